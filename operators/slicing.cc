#include "tidemark/operators/slicing.h"

#include <date/date.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark {

namespace {

constexpr std::int64_t kMsPerDay = 86'400'000;
constexpr std::int64_t kDaysPerWeek = 7;
constexpr std::int64_t kMonthsPerYear = 12;

// Months since January of the year 0.
std::int64_t month_of(std::int64_t local) {
  const date::days day{static_cast<int>(floor_div(local, kMsPerDay))};
  const date::year_month_day civil{date::sys_days{day}};
  return int{civil.year()} * kMonthsPerYear + unsigned{civil.month()} - 1;
}

std::int64_t month_start(std::int64_t month) {
  const date::year year{static_cast<int>(floor_div(month, kMonthsPerYear))};
  const date::month in_year{static_cast<unsigned>(floor_mod(month, kMonthsPerYear)) + 1};
  return date::sys_days{year / in_year / 1}.time_since_epoch().count() * kMsPerDay;
}

std::int64_t months_of(const WindowSpec& spec) {
  switch (spec.unit) {
    case CalendarUnit::kMonth:
      return spec.size;
    case CalendarUnit::kYear:
      return spec.size * kMonthsPerYear;
    case CalendarUnit::kWeek:
    case CalendarUnit::kNone:
      break;
  }
  return 0;
}

// Weeks tumble by a fixed size, from the week that holds the epoch, a Thursday.
WindowSpec in_milliseconds(const WindowSpec& spec) {
  if (spec.unit != CalendarUnit::kWeek) return spec;
  constexpr std::int64_t kThursday = 4;
  const std::int64_t size = spec.size * kDaysPerWeek * kMsPerDay;
  const std::int64_t day = -floor_mod(kThursday - spec.first_weekday, kDaysPerWeek);
  return {WindowKind::kTumbling, size, size, day * kMsPerDay};
}

}  // namespace

Slicing::Slicing(const WindowSpec& spec, std::shared_ptr<const ZoneClock> clock)
    : months_(months_of(spec)), clock_(std::move(clock)) {
  const WindowSpec fixed = in_milliseconds(spec);
  slide_ = fixed.slide;
  offset_ = fixed.offset;
  size_ = fixed.size;
  if (spec.kind == WindowKind::kCumulate) {
    steps_ = size_ / slide_;
    size_ = slide_;
  }
  whole_slides_ = size_ / slide_;
  remainder_ = size_ % slide_;
  per_slide_ = remainder_ == 0 ? 1 : 2;
}

Slicing::Span Slicing::span_of(EventTime time) const {
  if (clock_ == nullptr) {
    const std::int64_t slice = local_slice_of(time);
    return {slice, local_slice_start(slice), local_slice_start(slice + 1)};
  }
  const ZoneClock::Period& period = clock_->period_of(time);
  const std::int64_t slice = local_slice_of(time + period.offset);
  return {slice, std::max(period.begin, local_slice_start(slice) - period.offset),
          std::min(period.end, local_slice_start(slice + 1) - period.offset)};
}

EventTime Slicing::window_start(std::int64_t window) const {
  const std::int64_t local = local_window_start(window);
  return clock_ == nullptr ? local : clock_->first_instant(local);
}

EventTime Slicing::window_end(std::int64_t window) const {
  const std::int64_t local = local_window_end(window);
  return clock_ == nullptr ? local : clock_->end_instant(local);
}

std::int64_t Slicing::first_open_window(EventTime watermark) const {
  if (watermark == kNoWatermark || watermark == kEndOfTime) return watermark;
  return first_open_locally(clock_ == nullptr ? watermark : clock_->local_watermark(watermark));
}

// No window that holds a row ends before the first event time there is.
std::int64_t Slicing::first_open_window(EventTime watermark, std::int64_t lateness) const {
  if (watermark == kNoWatermark || watermark == kEndOfTime) return watermark;
  const EventTime behind = saturating_add(watermark, -lateness);
  return first_open_window(lateness > 0 && behind < kMinEventTime ? kNoWatermark : behind);
}

std::int64_t Slicing::local_slice_of(std::int64_t local) const {
  if (months_ != 0) return floor_div(month_of(local), months_);
  const std::int64_t slide_index = floor_div(local - offset_, slide_);
  if (per_slide_ == 1) return slide_index;
  const bool second = local - offset_ - slide_index * slide_ >= remainder_;
  return 2 * slide_index + static_cast<std::int64_t>(second);
}

std::int64_t Slicing::local_slice_start(std::int64_t slice) const {
  if (months_ != 0) return month_start(slice * months_);
  if (per_slide_ == 1) return offset_ + slice * slide_;
  return offset_ + floor_div(slice, 2) * slide_ + floor_mod(slice, 2) * remainder_;
}

std::int64_t Slicing::local_window_end(std::int64_t window) const {
  if (months_ != 0) return month_start((window + 1) * months_);
  return offset_ + window * slide_ + size_;
}

std::int64_t Slicing::first_open_locally(std::int64_t watermark) const {
  if (months_ != 0) return local_slice_of(watermark + 1);
  return floor_div(watermark + 1 - size_ - offset_, slide_) + 1;
}

}  // namespace tidemark
