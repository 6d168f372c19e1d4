#include "property/naive_aggregates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "tidemark/operators/user_aggregate.h"

namespace tidemark::test_support {
namespace {

__extension__ typedef __int128 Wide;

// By event time, then in the order of arrival.
std::vector<Cell> present_inputs(const std::vector<const Row*>& rows, std::size_t column) {
  std::multimap<EventTime, Cell> cells;
  for (const Row* row : rows) {
    if (!std::holds_alternative<std::monostate>(row->cells[column])) {
      cells.emplace(row->time, row->cells[column]);
    }
  }
  std::vector<Cell> ordered;
  for (const auto& [time, cell] : cells) ordered.push_back(cell);
  return ordered;
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

long double number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  return std::get<double>(cell);
}

// In two passes: the mean first.
Cell deviation(const std::vector<Cell>& cells, bool of_sample, bool root) {
  const auto n = static_cast<long double>(cells.size());
  if (of_sample && cells.size() < 2) return kNull;
  long double mean = 0;
  for (const Cell& cell : cells) mean += number(cell) / n;
  long double squares = 0;
  for (const Cell& cell : cells) squares += (number(cell) - mean) * (number(cell) - mean);
  const long double variance = squares / (of_sample ? n - 1 : n);
  return static_cast<double>(root ? std::sqrt(variance) : variance);
}

Cell quantile(std::vector<Cell> cells, double share) {
  std::sort(cells.begin(), cells.end(), less);
  const double place = share * static_cast<double>(cells.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = static_cast<std::size_t>(std::ceil(place));
  const auto low = static_cast<double>(number(cells[below]));
  const auto high = static_cast<double>(number(cells[above]));
  if (low == high) return low;
  return low * (static_cast<double>(above) - place) + high * (place - static_cast<double>(below));
}

struct Less {
  bool operator()(const Cell& a, const Cell& b) const { return less(a, b); }
};

std::string list_of(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    text += text.empty() ? "[" : ",";
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
      text += fmt::format("{}", *integer);
    } else {
      const double value = std::get<double>(cell);
      text += std::isfinite(value) ? fmt::format("{}", value) : "null";
    }
  }
  return text + "]";
}

Cell most_frequent(const std::vector<Cell>& cells, double most) {
  std::map<Cell, std::int64_t, Less> counts;
  for (const Cell& cell : cells) ++counts[cell];
  std::multimap<std::int64_t, Cell> by_count;
  for (const auto& [cell, count] : counts) by_count.emplace(-count, cell);
  std::vector<Cell> first;
  for (const auto& [count, cell] : by_count) {
    if (static_cast<double>(first.size()) < most) first.push_back(cell);
  }
  return list_of(first);
}

Cell squares_of(const std::vector<Cell>& cells) {
  std::uint64_t sum = 0;
  for (const Cell& cell : cells) {
    const auto value = static_cast<std::uint64_t>(std::get<std::int64_t>(cell));
    sum += value * value;
  }
  return static_cast<std::int64_t>(sum);
}

Cell aggregate(const AggregateSpec& spec, const std::vector<Cell>& cells, ColumnType type,
               std::uint64_t& overflows) {
  const AggregateFunction function = spec.function;
  const bool integers = type == ColumnType::kInt64;
  if (function == AggregateFunction::kCount) return static_cast<std::int64_t>(cells.size());
  if (function == AggregateFunction::kCountDistinct ||
      function == AggregateFunction::kApproxDistinct) {
    return static_cast<std::int64_t>(std::set<Cell, Less>(cells.begin(), cells.end()).size());
  }
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
    case AggregateFunction::kVariance:
    case AggregateFunction::kStddev:
      return deviation(cells, true, function == AggregateFunction::kStddev);
    case AggregateFunction::kVariancePopulation:
    case AggregateFunction::kStddevPopulation:
      return deviation(cells, false, function == AggregateFunction::kStddevPopulation);
    case AggregateFunction::kFirst:
      return cells.front();
    case AggregateFunction::kLast:
      return cells.back();
    case AggregateFunction::kMedian:
      return quantile(cells, 0.5);
    case AggregateFunction::kQuantile:
      return quantile(cells, spec.parameter);
    case AggregateFunction::kApproxQuantile: {
      std::vector<Cell> sorted = cells;
      std::sort(sorted.begin(), sorted.end(), less);
      const double place = spec.parameter * static_cast<double>(cells.size() - 1);
      return static_cast<double>(number(sorted[static_cast<std::size_t>(place)]));
    }
    case AggregateFunction::kTopK:
      return most_frequent(cells, spec.parameter);
    case AggregateFunction::kCollect:
      return list_of(cells);
    case AggregateFunction::kUser:
      return squares_of(cells);
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

std::shared_ptr<const UserAggregate> sum_of_squares() {
  struct Definition {
    static std::uint64_t identity() { return 0; }
    static std::uint64_t lift(std::int64_t value) {
      return static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(value);
    }
    static std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return a + b; }
    static std::uint64_t invert(std::uint64_t a, std::uint64_t b) { return a - b; }
    static std::int64_t lower(std::uint64_t state) { return static_cast<std::int64_t>(state); }
  };
  return define_aggregate<Definition>();
}

NaiveAggregates naive_aggregates(const WindowQuery& query, const std::vector<const Row*>& rows) {
  NaiveAggregates result;
  for (const AggregateSpec& spec : query.aggregates) {
    if (spec.input == AggregateSpec::kRows) {
      result.cells.emplace_back(static_cast<std::int64_t>(rows.size()));
      continue;
    }
    const auto input = static_cast<std::size_t>(spec.input);
    result.cells.push_back(aggregate(spec, present_inputs(rows, query.keys.size() + input),
                                     query.values[input].type, result.overflows));
  }
  return result;
}

}  // namespace tidemark::test_support
