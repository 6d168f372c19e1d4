#include "tidemark/perf/checksum_sink.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "tidemark/perf/result_checksum.h"

namespace tidemark {

namespace {

// The window's start follows from its end, so it is left out.
constexpr std::size_t kFirstColumn = 1;
constexpr std::size_t kChecksumChunk = 256;
constexpr std::uint64_t kNullCell = 0x9AE16A3B2F90404F;

using Sums = std::array<std::uint64_t, kChecksumChunk>;

// Adds the weighted cells [begin, begin + n) of a column.
void add_cells(const Column& column, std::uint64_t weight, std::size_t begin, std::size_t n,
               Sums& sums) {
  if (column.type() == ColumnType::kDouble) {
    const double* cells = column.doubles() + begin;
    for (std::size_t i = 0; i < n; ++i) sums[i] += std::bit_cast<std::uint64_t>(cells[i]) * weight;
  } else {
    const std::int64_t* cells = column.int64s() + begin;
    for (std::size_t i = 0; i < n; ++i) sums[i] += static_cast<std::uint64_t>(cells[i]) * weight;
  }
}

void add_cells_or_null(const Column& column, std::uint64_t weight, std::size_t begin, std::size_t n,
                       Sums& sums) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = begin + i;
    std::uint64_t cell = kNullCell;
    if (!column.is_null(row)) {
      cell = column.type() == ColumnType::kDouble
                 ? std::bit_cast<std::uint64_t>(column.doubles()[row])
                 : static_cast<std::uint64_t>(column.int64s()[row]);
    }
    sums[i] += cell * weight;
  }
}

}  // namespace

void ChecksumSink::accept(const Batch& results) {
  Sums sums;
  for (std::size_t begin = 0; begin < results.size(); begin += kChecksumChunk) {
    const std::size_t n = std::min(kChecksumChunk, results.size() - begin);
    std::fill_n(sums.begin(), n, 0);
    for (std::size_t i = kFirstColumn; i < results.column_count(); ++i) {
      const Column& column = results.column(i);
      const std::uint64_t weight = checksum_weight(i - kFirstColumn);
      if (column.has_nulls()) {
        add_cells_or_null(column, weight, begin, n, sums);
      } else {
        add_cells(column, weight, begin, n, sums);
      }
    }
    for (std::size_t i = 0; i < n; ++i) checksum_ += checksum_row(sums[i]);
  }
  results_ += results.size();
}

}  // namespace tidemark
