#include "tidemark/operators/result_comparison.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace tidemark {

bool ResultComparison::says_the_same(const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, layout_.entry_size()) == 0) return true;
  const std::array<const std::byte*, 2> rows{a, b};
  std::vector<CellOverflow> overflows;
  compared_.clear();
  layout_.lower(rows.data(), nullptr, rows.size(), compared_, 0, 0, overflows);
  for (std::size_t i = 0; i < compared_.column_count(); ++i) {
    const Column& column = compared_.column(i);
    if (column.is_null(0) != column.is_null(1)) return false;
    if (column.is_null(0)) continue;
    if (column.type() == ColumnType::kDouble) {
      const double* const cells = column.doubles();
      const bool both_nan = std::isnan(cells[0]) && std::isnan(cells[1]);
      if (!both_nan && cells[0] != cells[1]) return false;
    } else if (column.type() == ColumnType::kString) {
      if (column.string(0) != column.string(1)) return false;
    } else if (column.int64s()[0] != column.int64s()[1]) {
      return false;
    }
  }
  return true;
}

}  // namespace tidemark
