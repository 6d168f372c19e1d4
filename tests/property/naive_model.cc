#include "property/naive_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace tidemark::test_support {
namespace {

__extension__ typedef __int128 Wide;

// End, start, window number, keys as text.
using Group = std::tuple<EventTime, EventTime, std::uint32_t, std::string>;

struct GroupRows {
  std::vector<Cell> keys;
  std::vector<Row> rows;
};

Wide floor_quotient(Wide value, Wide divisor) {
  Wide quotient = value / divisor;
  if (quotient * divisor > value) --quotient;
  return quotient;
}

std::vector<Cell> present_inputs(const GroupRows& group, std::size_t column) {
  std::vector<Cell> cells;
  for (const Row& row : group.rows) {
    if (!std::holds_alternative<std::monostate>(row.cells[column])) {
      cells.push_back(row.cells[column]);
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

Cell aggregate(const AggregateSpec& spec, const std::vector<Cell>& cells, ColumnType type,
               ModelOutcome& outcome) {
  const bool integers = type == ColumnType::kInt64;
  if (spec.function == AggregateFunction::kCount) return static_cast<std::int64_t>(cells.size());
  if (cells.empty()) return kNull;
  switch (spec.function) {
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
  ++outcome.overflow_count;
  return kNull;
}

Cell aggregate(const WindowQuery& query, const AggregateSpec& spec, const GroupRows& group,
               ModelOutcome& outcome) {
  if (spec.input == AggregateSpec::kRows) return static_cast<std::int64_t>(group.rows.size());
  const auto input = static_cast<std::size_t>(spec.input);
  return aggregate(spec, present_inputs(group, query.keys.size() + input), query.values[input].type,
                   outcome);
}

class Model {
 public:
  Model(const WindowQuery& query, ModelWatermark mode) : query_(query), mode_(mode) {}

  void add(const Row& row) {
    bool has_window = false;
    bool accepted = false;
    EventTime last_end = kNoWatermark;
    for (std::uint32_t number = 0; number < query_.windows.size(); ++number) {
      const WindowSpec& spec = query_.windows[number];
      for (const EventTime start : naive_window_starts(spec, row.time)) {
        const EventTime end = start + spec.size;
        has_window = true;
        last_end = std::max(last_end, end);
        if (watermark_ && *watermark_ >= end - 1) continue;
        accepted = true;
        enter(row, number, start, end);
      }
    }
    if (!has_window) {
      ++outcome_.rows_in_no_window;
    } else if (accepted) {
      ++outcome_.rows_on_time;
    } else {
      outcome_.late.push_back({row, *watermark_, last_end});
    }
    raise_watermark(row.time);
  }

  ModelOutcome finish() {
    for (auto& [place, group] : groups_) {
      const auto& [end, start, number, text] = place;
      ResultRow result{number, start, end, group.keys, {}};
      for (const AggregateSpec& spec : query_.aggregates) {
        result.aggregates.push_back(aggregate(query_, spec, group, outcome_));
      }
      outcome_.results.push_back(std::move(result));
    }
    return std::move(outcome_);
  }

 private:
  void enter(const Row& row, std::uint32_t number, EventTime start, EventTime end) {
    const auto key_count = static_cast<std::ptrdiff_t>(query_.keys.size());
    std::vector<Cell> keys(row.cells.begin(), row.cells.begin() + key_count);
    GroupRows& group = groups_[Group{end, start, number, to_text(keys)}];
    group.keys = std::move(keys);
    group.rows.push_back(row);
    ++outcome_.accepted_pairs;
  }

  void raise_watermark(EventTime time) {
    if (mode_ == ModelWatermark::kOnlyAtEnd) return;
    const EventTime watermark = time - query_.delay - 1;
    watermark_ = std::max(watermark_.value_or(watermark), watermark);
  }

  const WindowQuery& query_;
  ModelWatermark mode_;
  std::optional<EventTime> watermark_;
  std::map<Group, GroupRows> groups_;
  ModelOutcome outcome_;
};

}  // namespace

std::vector<EventTime> naive_window_starts(const WindowSpec& spec, EventTime time) {
  std::vector<EventTime> starts;
  Wide k = floor_quotient(static_cast<Wide>(time) - spec.offset, spec.slide);
  for (;; --k) {
    const Wide start = spec.offset + k * spec.slide;
    if (start + spec.size <= time) break;
    starts.push_back(static_cast<EventTime>(start));
  }
  std::reverse(starts.begin(), starts.end());
  return starts;
}

std::vector<Row> ModelOutcome::late_rows() const {
  std::vector<Row> rows;
  rows.reserve(late.size());
  for (const ModelLateRow& entry : late) rows.push_back(entry.row);
  return rows;
}

ModelOutcome run_naive_model(const WindowQuery& query, const std::vector<Row>& rows,
                             ModelWatermark watermark) {
  Model model(query, watermark);
  for (const Row& row : rows) model.add(row);
  return model.finish();
}

}  // namespace tidemark::test_support
