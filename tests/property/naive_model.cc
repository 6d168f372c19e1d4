#include "property/naive_model.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "property/naive_aggregates.h"
#include "property/naive_firing.h"
#include "property/naive_windows.h"

namespace tidemark::test_support {
namespace {

constexpr NaiveWindow kAllTime{kNoWatermark, kEndOfTime};

EventTime next_multiple(EventTime time, std::int64_t period) {
  EventTime next = time / period * period;
  while (next <= time) next += period;
  return next;
}

class Model {
 public:
  Model(const WindowQuery& query, ModelWatermark mode) : query_(query), mode_(mode) {}

  void add(const Row& row) {
    if (query_.max_ahead && highest_ && row.time - *highest_ > *query_.max_ahead) {
      ++outcome_.rows_bad;
      return;
    }
    has_window_ = false;
    accepted_ = false;
    last_close_ = kNoWatermark;
    const auto key_count = static_cast<std::ptrdiff_t>(query_.keys.size());
    keys_.assign(row.cells.begin(), row.cells.begin() + key_count);
    for (std::uint32_t number = 0; number < query_.windows.size(); ++number) enter(row, number);
    if (!has_window_) {
      ++outcome_.rows_in_no_window;
    } else if (accepted_) {
      ++outcome_.rows_on_time;
    } else {
      outcome_.late.push_back({row, *watermark_, last_close_});
      outcome_.late.back().row.cells.resize(query_.watermark_column());
    }
    raise_watermark(row);
    fire_due();
  }

  ModelOutcome finish() {
    watermark_ = kEndOfTime;
    fire_due();
    sort_canonically(outcome_.results);
    return std::move(outcome_);
  }

 private:
  using Id = std::uint64_t;
  // Number of the specification, keys as text.
  using Place = std::pair<std::uint32_t, std::string>;

  // When the watermark closes a window with this end for good.
  EventTime closed_at(EventTime end) const {
    const EventTime last = end - 1;
    if (last > std::numeric_limits<EventTime>::max() - query_.lateness) return kEndOfTime;
    return last + query_.lateness;
  }
  bool has_passed(EventTime time) const { return watermark_ && *watermark_ >= time; }

  void enter(const Row& row, std::uint32_t number) {
    const WindowSpec& spec = query_.windows[number];
    switch (spec.kind) {
      case WindowKind::kSession:
        enter_session(row, number);
        break;
      case WindowKind::kCount:
        enter_count(row, number);
        break;
      case WindowKind::kGlobal:
        enter_window(row, number, kAllTime);
        break;
      default:
        for (const NaiveWindow& window : naive_windows(spec, query_.zone, row.time)) {
          enter_window(row, number, window);
        }
    }
  }

  bool judge(EventTime end) {
    has_window_ = true;
    last_close_ = std::max(last_close_, closed_at(end));
    if (has_passed(closed_at(end))) return false;
    accepted_ = true;
    return true;
  }

  void enter_window(const Row& row, std::uint32_t number, const NaiveWindow& window) {
    if (!judge(window.end)) return;
    auto& places = windows_[Place{number, to_text(keys_)}];
    const auto place = places.find({window.end, window.start});
    if (place != places.end()) {
      add_row(row, take(place->second));
    } else {
      add_row(row, NaiveState{number, window, keys_});
    }
  }

  void enter_session(const Row& row, std::uint32_t number) {
    const WindowSpec& spec = query_.windows[number];
    std::int64_t gap = spec.size;
    if (spec.gap_input != WindowSpec::kFixedGap) {
      const std::size_t column = query_.keys.size() + static_cast<std::size_t>(spec.gap_input);
      gap = std::get<std::int64_t>(row.cells[column]);
    }
    const NaiveWindow own{row.time, row.time + gap};
    NaiveState merged{number, own, keys_};
    std::vector<Id> touched;
    for (const auto& [bounds, id] : windows_[Place{number, to_text(keys_)}]) {
      const auto& [end, start] = bounds;
      if (start > own.end || end < own.start) continue;
      touched.push_back(id);
      merged.bounds.start = std::min(merged.bounds.start, start);
      merged.bounds.end = std::max(merged.bounds.end, end);
    }
    if (!judge(merged.bounds.end)) return;
    for (const Id id : touched) naive_merge(merged, take(id));
    add_row(row, std::move(merged));
  }

  void enter_count(const Row& row, std::uint32_t number) {
    has_window_ = true;
    accepted_ = true;
    const WindowSpec& spec = query_.windows[number];
    std::vector<const Row*>& rows = counted_[Place{number, to_text(keys_)}];
    rows.push_back(&row);
    if (static_cast<std::int64_t>(rows.size()) % spec.slide != 0) return;
    const auto size =
        std::min(static_cast<std::ptrdiff_t>(spec.size), static_cast<std::ptrdiff_t>(rows.size()));
    NaiveState state{number, {kEndOfTime, kNoWatermark}, keys_};
    for (auto it = rows.end() - size; it != rows.end(); ++it) {
      state.rows.push_back(*it);
      state.bounds.start = std::min(state.bounds.start, (*it)->time);
      state.bounds.end = std::max(state.bounds.end, (*it)->time + 1);
    }
    state.rows_since_firing = state.rows;
    fire(state, PaneTiming::kOnTime);
  }

  // The row enters an open or a late window, which may fire at once.
  void add_row(const Row& row, NaiveState state) {
    state.rows.push_back(&row);
    state.rows_since_firing.push_back(&row);
    const EventTime last = state.bounds.end - 1;
    state.on_time_at.reset();
    if (has_passed(last)) {
      fire(state, PaneTiming::kLate);
    } else {
      state.on_time_at = last;
      prepare_early(row, state);
    }
    keep(std::move(state));
  }

  void prepare_early(const Row& row, NaiveState& state) {
    const std::int64_t amount = query_.early.amount;
    if (query_.early.kind == EarlyFiring::Kind::kRows) {
      if (++state.rows_counted < amount) return;
      state.rows_counted = 0;
      fire(state, PaneTiming::kEarly);
    } else if (query_.early.kind == EarlyFiring::Kind::kEventTime && !state.early_at) {
      set_early(state, next_multiple(row.time, amount));
    }
  }

  // The early firing after that at `time`. The multiples between would say nothing new.
  EventTime next_early(EventTime time) const {
    if (!query_.repeat_unchanged && has_passed(time + query_.early.amount)) {
      return next_multiple(*watermark_, query_.early.amount);
    }
    return time + query_.early.amount;
  }

  static void set_early(NaiveState& state, EventTime time) {
    state.early_at.reset();
    if (time < state.bounds.end - 1) state.early_at = time;
  }

  void fire(NaiveState& state, PaneTiming timing) {
    NaiveFiring firing = naive_fire(query_, state, timing);
    outcome_.overflow_count += firing.overflows;
    for (ResultRow& row : firing.results) outcome_.results.push_back(std::move(row));
  }

  // The next time at which something happens to the window.
  EventTime next_time(const NaiveState& state) const {
    EventTime next = closed_at(state.bounds.end);
    if (state.on_time_at) next = std::min(next, *state.on_time_at);
    if (state.early_at) next = std::min(next, *state.early_at);
    return next;
  }

  void keep(NaiveState state) {
    const Id id = next_id_++;
    timers_.insert({next_time(state), id});
    windows_[Place{state.number, to_text(state.keys)}].insert(
        {{state.bounds.end, state.bounds.start}, id});
    states_.emplace(id, std::move(state));
  }

  NaiveState take(Id id) {
    NaiveState state = std::move(states_.at(id));
    states_.erase(id);
    timers_.erase({next_time(state), id});
    const auto place = windows_.find(Place{state.number, to_text(state.keys)});
    place->second.erase({state.bounds.end, state.bounds.start});
    return state;
  }

  static EventTime own_watermark(const Cell& cell) {
    return std::holds_alternative<std::int64_t>(cell) ? std::get<std::int64_t>(cell) : kNoWatermark;
  }

  void raise_watermark(const Row& row) {
    highest_ = std::max(highest_.value_or(row.time), row.time);
    if (mode_ == ModelWatermark::kOnlyAtEnd) return;
    EventTime watermark = kNoWatermark;
    switch (query_.watermarks) {
      case WatermarkKind::kNone:
        return;
      case WatermarkKind::kPunctuated:
        watermark = own_watermark(row.cells[query_.watermark_column()]);
        if (watermark == kNoWatermark) return;
        break;
      case WatermarkKind::kBounded:
        watermark = *highest_ - query_.delay - 1;
    }
    watermark_ = std::max(watermark_.value_or(watermark), watermark);
  }

  // Everything that is due, in order of time, whatever the watermark is by then: how far it rises
  // at once is no part of the answer. The end of the input only completes windows.
  void fire_due() {
    while (!timers_.empty() && has_passed(timers_.begin()->first)) {
      const auto [time, id] = *timers_.begin();
      NaiveState state = take(id);
      if (watermark_ == kEndOfTime) state.early_at.reset();
      if (state.early_at == time) {
        fire(state, PaneTiming::kEarly);
        set_early(state, next_early(time));
      } else if (state.on_time_at == time) {
        fire(state, PaneTiming::kOnTime);
        state.on_time_at.reset();
      } else if (has_passed(closed_at(state.bounds.end)) && !state.on_time_at) {
        continue;
      }
      keep(std::move(state));
    }
  }

  const WindowQuery& query_;
  ModelWatermark mode_;
  std::optional<EventTime> watermark_;
  std::optional<EventTime> highest_;

  Id next_id_ = 0;
  std::map<Id, NaiveState> states_;
  std::set<std::pair<EventTime, Id>> timers_;
  // Windows of a key that are still kept, by end and start.
  std::map<Place, std::map<std::pair<EventTime, EventTime>, Id>> windows_;
  std::map<Place, std::vector<const Row*>> counted_;

  // Of the row at hand.
  std::vector<Cell> keys_;
  bool has_window_ = false;
  bool accepted_ = false;
  EventTime last_close_ = kNoWatermark;

  ModelOutcome outcome_;
};

}  // namespace

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
