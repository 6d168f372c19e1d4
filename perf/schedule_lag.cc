#include "tidemark/perf/schedule_lag.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace tidemark {

namespace {
__extension__ using WideRow = unsigned __int128;
}  // namespace

void ScheduleLag::note(std::uint64_t row, Clock::duration lag) {
  if (row < first_counted_ || row >= rows_) return;
  last_ = lag;
  highest_ = std::max(highest_, lag);
  const WideRow position = WideRow{row - first_counted_} * kSlots / (rows_ - first_counted_);
  Slot& slot = slots_[static_cast<std::size_t>(position)];
  if (!slot.used || lag > slot.lag) slot = {true, row, lag};
}

void ScheduleLag::cut_off(Clock::duration lag) {
  last_ = lag;
  highest_ = std::max(highest_, lag);
}

void ScheduleLag::merge(const ScheduleLag& other) {
  first_counted_ = other.first_counted_;
  rows_ = other.rows_;
  highest_ = std::max(highest_, other.highest_);
  last_ = std::max(last_, other.last_);
  for (std::size_t i = 0; i < kSlots; ++i) {
    const Slot& theirs = other.slots_[i];
    if (theirs.used && (!slots_[i].used || theirs.lag > slots_[i].lag)) slots_[i] = theirs;
  }
}

double ScheduleLag::backlog_growth(std::uint64_t rate) const {
  struct Point {
    double seconds;
    double backlog;
  };
  std::vector<Point> points;
  for (const Slot& slot : slots_) {
    if (!slot.used) continue;
    const double lag = std::chrono::duration<double>(slot.lag).count();
    const double due = static_cast<double>(slot.row) / static_cast<double>(rate);
    points.push_back({due + lag, lag * static_cast<double>(rate)});
  }
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double apart = points[j].seconds - points[i].seconds;
      if (apart > 0) slopes.push_back((points[j].backlog - points[i].backlog) / apart);
    }
  }
  if (slopes.empty()) return 0;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return *middle;
}

}  // namespace tidemark
