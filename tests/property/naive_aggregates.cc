#include "property/naive_aggregates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidemark::test_support {
namespace {

__extension__ typedef __int128 Wide;

std::vector<Cell> present_inputs(const std::vector<const Row*>& rows, std::size_t column) {
  std::vector<Cell> cells;
  for (const Row* row : rows) {
    if (!std::holds_alternative<std::monostate>(row->cells[column])) {
      cells.push_back(row->cells[column]);
    }
  }
  return cells;
}

Wide exact_sum(const std::vector<Cell>& cells) {
  Wide sum = 0;
  for (const Cell& cell : cells) sum += std::get<std::int64_t>(cell);
  return sum;
}

double double_sum(const std::vector<Cell>& cells) {
  double sum = 0;
  for (const Cell& cell : cells) sum += std::get<double>(cell);
  return sum;
}

// NaN is greater than every number.
bool less(const Cell& a, const Cell& b) {
  if (std::holds_alternative<std::int64_t>(a)) {
    return std::get<std::int64_t>(a) < std::get<std::int64_t>(b);
  }
  const double x = std::get<double>(a);
  const double y = std::get<double>(b);
  if (std::isnan(x)) return false;
  return std::isnan(y) || x < y;
}

bool fits_int64(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

Cell aggregate(AggregateFunction function, const std::vector<Cell>& cells, ColumnType type,
               std::uint64_t& overflows) {
  const bool integers = type == ColumnType::kInt64;
  if (function == AggregateFunction::kCount) return static_cast<std::int64_t>(cells.size());
  if (cells.empty()) return kNull;
  switch (function) {
    case AggregateFunction::kMin:
      return *std::min_element(cells.begin(), cells.end(), less);
    case AggregateFunction::kMax:
      return *std::max_element(cells.begin(), cells.end(), less);
    case AggregateFunction::kAvg: {
      const double sum = integers ? static_cast<double>(exact_sum(cells)) : double_sum(cells);
      return sum / static_cast<double>(cells.size());
    }
    default:
      break;
  }
  if (!integers) return double_sum(cells);
  const Wide sum = exact_sum(cells);
  if (fits_int64(sum)) return static_cast<std::int64_t>(sum);
  ++overflows;
  return kNull;
}

}  // namespace

NaiveAggregates naive_aggregates(const WindowQuery& query, const std::vector<const Row*>& rows) {
  NaiveAggregates result;
  for (const AggregateSpec& spec : query.aggregates) {
    if (spec.input == AggregateSpec::kRows) {
      result.cells.emplace_back(static_cast<std::int64_t>(rows.size()));
      continue;
    }
    const auto input = static_cast<std::size_t>(spec.input);
    result.cells.push_back(aggregate(spec.function, present_inputs(rows, query.keys.size() + input),
                                     query.values[input].type, result.overflows));
  }
  return result;
}

}  // namespace tidemark::test_support
