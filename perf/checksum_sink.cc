#include "tidemark/perf/checksum_sink.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>

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

// Without NULLs, and with this many columns: all in one pass, so that each cell is read once and a
// row's sum stays in a register. The loop has no branch, and the compiler makes vectors of it.
template <std::size_t kColumns>
std::uint64_t sum_of_rows(const Batch& results) {
  std::array<const std::uint64_t*, kColumns> cells;
  std::array<std::uint64_t, kColumns> weights;
  for (std::size_t i = 0; i < kColumns; ++i) {
    cells[i] = static_cast<const std::uint64_t*>(results.column(kFirstColumn + i).cells());
    weights[i] = checksum_weight(i);
  }
  std::uint64_t checksum = 0;
  const std::size_t rows = results.size();
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kColumns; ++i) sum += cells[i][row] * weights[i];
    checksum += checksum_row(sum);
  }
  return checksum;
}

// For results of a few columns, as most are; nothing for others.
std::optional<std::uint64_t> sum_in_one_pass(const Batch& results) {
  for (std::size_t i = kFirstColumn; i < results.column_count(); ++i) {
    if (results.column(i).has_nulls()) return std::nullopt;
  }
  switch (results.column_count() - kFirstColumn) {
    case 3:
      return sum_of_rows<3>(results);
    case 4:
      return sum_of_rows<4>(results);
    case 5:
      return sum_of_rows<5>(results);
    default:
      return std::nullopt;
  }
}

}  // namespace

void ChecksumSink::accept(const Batch& results) {
  results_ += results.size();
  if (const auto sum = sum_in_one_pass(results)) {
    checksum_ += *sum;
    return;
  }
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
}

}  // namespace tidemark
