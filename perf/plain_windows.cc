#include "tidemark/perf/plain_windows.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <vector>

#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark {

namespace {

constexpr std::size_t kReadAtOnce = 1024;

struct PlainRow {
  EventTime time;
  std::int64_t key;
  std::int64_t amount;
};

struct PlainTotals {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = std::numeric_limits<std::int64_t>::min();

  void add(std::int64_t amount) {
    ++count;
    sum += amount;
    min = std::min(min, amount);
    max = std::max(max, amount);
  }

  std::int64_t of(AggregateFunction function) const {
    switch (function) {
      case AggregateFunction::kSum:
        return sum;
      case AggregateFunction::kMin:
        return min;
      case AggregateFunction::kMax:
        return max;
      default:
        return count;
    }
  }
};

std::int64_t floor_to(std::int64_t time, std::int64_t step) {
  const std::int64_t rest = time % step;
  return time - (rest < 0 ? rest + step : rest);
}

class PlainWindows {
 public:
  explicit PlainWindows(const BenchOptions& options)
      : options_(options), window_(options.window), stream_(options.stream) {}

  PlainResults run() {
    const bool is_session = window_.kind == WindowKind::kSession;
    if (is_session) sessions_.resize(options_.stream.keys);
    for_each_row([&](const PlainRow& row) { is_session ? add_to_session(row) : add(row); });
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (!windows_[i].fired) fire(end_of(i), windows_[i]);
    }
    for (std::size_t key = 0; key < sessions_.size(); ++key) end_session(key);
    return found_;
  }

 private:
  struct Open {
    std::vector<PlainTotals> keys;
    bool fired = false;
  };
  struct Session {
    PlainTotals totals;
    EventTime last = 0;
  };

  template <typename Visit>
  void for_each_row(Visit visit) const {
    std::array<EventTime, kReadAtOnce> times;
    std::array<std::int64_t, kReadAtOnce> keys;
    std::array<std::int64_t, kReadAtOnce> amounts;
    for (std::uint64_t row = 0; row < stream_.rows(); row += kReadAtOnce) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(kReadAtOnce, stream_.rows() - row));
      stream_.fill(row, 1, count, times.data(), keys.data(), amounts.data());
      for (std::size_t i = 0; i < count; ++i) visit(PlainRow{times[i], keys[i], amounts[i]});
    }
  }

  // Calls `visit` with the end of every window that holds `time`.
  template <typename Visit>
  void for_each_window(EventTime time, Visit visit) const {
    if (window_.kind == WindowKind::kCumulate) {
      const EventTime start = floor_to(time - window_.offset, window_.size) + window_.offset;
      for (EventTime end = start + window_.slide; end <= start + window_.size;
           end += window_.slide) {
        if (end > time) visit(end);
      }
      return;
    }
    const EventTime last = floor_to(time - window_.offset, window_.slide) + window_.offset;
    for (EventTime start = last; start + window_.size > time; start -= window_.slide) {
      visit(start + window_.size);
    }
  }

  EventTime watermark() const { return seen_ ? highest_ - options_.delay - 1 : kNoWatermark; }

  void add(const PlainRow& row) {
    bool accepted = false;
    bool held = false;
    for_each_window(row.time, [&](EventTime end) {
      held = true;
      if (seen_ && end - 1 + options_.lateness <= watermark()) return;
      accepted = true;
      Open& open = window_at(end);
      PlainTotals& totals = open.keys[static_cast<std::size_t>(row.key)];
      totals.add(row.amount);
      // A window that the watermark has passed fires at once, for the key of the row.
      if (!seen_ || end - 1 > watermark()) return;
      open.fired = true;
      emit(end, row.key, totals);
    });
    ++(accepted ? found_.rows_on_time : held ? found_.rows_late : found_.rows_in_no_window);
    if (!seen_ || row.time > highest_) {
      highest_ = row.time;
      seen_ = true;
      follow_watermark();
    }
  }

  // Ends are a slide apart, in cumulate windows a step.
  EventTime end_of(std::size_t index) const {
    return first_end_ + static_cast<EventTime>(index) * window_.slide;
  }

  // Windows between those that have rows are there too, without keys.
  Open& window_at(EventTime end) {
    if (windows_.empty()) first_end_ = end;
    for (; end < first_end_; first_end_ -= window_.slide) windows_.emplace_front();
    const auto index = static_cast<std::size_t>((end - first_end_) / window_.slide);
    if (index >= windows_.size()) windows_.resize(index + 1);
    windows_[index].keys.resize(options_.stream.keys);
    return windows_[index];
  }

  void follow_watermark() {
    for (std::size_t i = 0; i < windows_.size() && end_of(i) - 1 <= watermark(); ++i) {
      if (!windows_[i].fired) fire(end_of(i), windows_[i]);
    }
    while (!windows_.empty() && first_end_ - 1 + options_.lateness <= watermark()) {
      windows_.pop_front();
      first_end_ += window_.slide;
    }
  }

  void fire(EventTime end, Open& open) {
    open.fired = true;
    for (std::size_t key = 0; key < open.keys.size(); ++key) {
      if (open.keys[key].count > 0) emit(end, static_cast<std::int64_t>(key), open.keys[key]);
    }
  }

  // Rows of a session that touch at exactly the gap belong together.
  void add_to_session(const PlainRow& row) {
    ++found_.rows_on_time;
    const auto key = static_cast<std::size_t>(row.key);
    if (row.time - sessions_[key].last > window_.size) end_session(key);
    sessions_[key].totals.add(row.amount);
    sessions_[key].last = row.time;
  }

  void end_session(std::size_t key) {
    Session& session = sessions_[key];
    if (session.totals.count > 0) {
      emit(session.last + window_.size, static_cast<std::int64_t>(key), session.totals);
    }
    session = {};
  }

  void emit(EventTime end, std::int64_t key, const PlainTotals& totals) {
    std::uint64_t cells = static_cast<std::uint64_t>(end) * checksum_weight(0) +
                          static_cast<std::uint64_t>(key) * checksum_weight(1);
    for (std::size_t i = 0; i < options_.aggregates.size(); ++i) {
      cells += static_cast<std::uint64_t>(totals.of(options_.aggregates[i].function)) *
               checksum_weight(i + 2);
    }
    found_.checksum += checksum_row(cells);
    ++found_.results;
  }

  const BenchOptions& options_;
  const WindowSpec& window_;
  BenchStream stream_;
  std::deque<Open> windows_;  // by end, which no two windows share
  EventTime first_end_ = 0;
  std::vector<Session> sessions_;  // by key
  bool seen_ = false;
  EventTime highest_ = 0;
  PlainResults found_;
};

bool is_plain_aggregate(const AggregateSpec& aggregate) {
  return aggregate.function == AggregateFunction::kCount ||
         aggregate.function == AggregateFunction::kSum ||
         aggregate.function == AggregateFunction::kMin ||
         aggregate.function == AggregateFunction::kMax;
}

}  // namespace

Expected<PlainResults> compute_plainly(const BenchOptions& options) {
  const WindowSpec& window = options.window;
  const bool is_session = window.kind == WindowKind::kSession;
  const bool known = (has_slices(window.kind) && window.unit == CalendarUnit::kNone) ||
                     (is_session && window.gap_input == WindowSpec::kFixedGap);
  if (!known) return make_error("no plain computation of " + to_string(window));
  if (is_session && (options.stream.disorder > 0 || options.lateness > 0)) {
    return make_error("no plain computation of sessions with disorder or lateness");
  }
  for (const AggregateSpec& aggregate : options.aggregates) {
    if (!is_plain_aggregate(aggregate)) {
      return make_error("no plain computation of " + aggregate.name);
    }
  }
  return PlainWindows(options).run();
}

}  // namespace tidemark
