#include "tidemark/operators/slicing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "property/naive_windows.h"
#include "support/case_table.h"
#include "support/zones.h"
#include "tidemark/operators/window_edges.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using test_support::kZones;
using test_support::naive_windows;
using test_support::NaiveWindow;
using test_support::random_instant;
using test_support::transitions_of;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

class RandomSpecs {
 public:
  explicit RandomSpecs(std::uint64_t seed) : random_(seed) {}

  WindowSpec next() {
    switch (between(0, 5)) {
      case 0:
        return with_offset(tumbling(milliseconds(length())));
      case 1:
        return with_offset(sliding_spec());
      case 2:
        return with_offset(cumulate_spec());
      case 3:
        return calendar_weeks(between(1, 3), static_cast<int>(between(1, 7)));
      case 4:
        return calendar_months(between(1, 30));
      default:
        return calendar_years(between(1, 40));
    }
  }
  std::mt19937_64& random() { return random_; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  std::int64_t length() {
    constexpr std::array<std::int64_t, 12> kLengths = {
        1000,      10 * kMinute, 15 * kMinute, 30 * kMinute, kHour, 90 * kMinute,
        2 * kHour, 4 * kHour,    6 * kHour,    12 * kHour,   kDay,  7 * kDay};
    if (between(0, 4) == 0) return between(1, 3 * kDay);
    return kLengths[static_cast<std::size_t>(between(0, kLengths.size() - 1))];
  }
  WindowSpec sliding_spec() {
    std::int64_t size = length();
    std::int64_t slide = length();
    // Not too many windows a row.
    slide = std::max(slide, size / 50 + 1);
    return sliding(milliseconds(size), milliseconds(slide));
  }
  WindowSpec cumulate_spec() {
    const std::int64_t step = length();
    return cumulate(milliseconds(step * between(1, 24)), milliseconds(step));
  }
  WindowSpec with_offset(WindowSpec spec) {
    const std::int64_t limit = (spec.kind == WindowKind::kSliding ? spec.slide : spec.size) - 1;
    if (between(0, 1) == 0) return spec;
    spec.offset = between(-limit, limit);
    if (between(0, 1) == 0) spec.offset -= spec.offset % kMinute;
    return spec;
  }

  std::mt19937_64 random_;
};

// All windows that hold `time`, by end and start; windows that hold the same instants, once.
std::vector<NaiveWindow> windows_of(const Slicing& slicing, EventTime time) {
  std::vector<NaiveWindow> windows;
  const std::int64_t slice = slicing.slice_of(time);
  if (slicing.is_gap(slice)) return windows;
  for (std::int64_t window = slicing.first_window(slice); window <= slicing.last_window(slice);
       ++window) {
    EXPECT_LE(slicing.first_slice(window), slice);
    EXPECT_GE(slicing.last_slice(window), slice);
    if (slicing.repeats_previous(window)) continue;
    windows.push_back({slicing.window_start(window), slicing.window_end(window)});
  }
  return windows;
}

void expect_span_holds(const Slicing& slicing, EventTime time, RandomSpecs& specs) {
  const Slicing::Span span = slicing.span_of(time);
  ASSERT_LE(span.begin, time);
  ASSERT_LT(time, span.end);
  for (const EventTime other :
       {span.begin, span.end - 1, specs.between(span.begin, span.end - 1)}) {
    ASSERT_EQ(slicing.slice_of(other), span.slice);
  }
}

void expect_firing_order(const Slicing& slicing, EventTime watermark) {
  const std::int64_t open = slicing.first_open_window(watermark);
  ASSERT_GT(slicing.window_end(open) - 1, watermark);
  ASSERT_LE(slicing.window_end(open - 1) - 1, watermark);
}

void expect_next_edge(const WindowSpec& spec, const std::shared_ptr<const ZoneClock>& clock,
                      EventTime watermark) {
  const Slicing slicing(spec, clock);
  const std::vector<WindowSpec> specs = {spec};
  const EventTime next = WindowEdges(specs, clock).next_after(watermark);
  ASSERT_GT(next, watermark);
  const std::int64_t open = slicing.first_open_window(watermark);
  ASSERT_EQ(slicing.first_open_window(next - 1), open);
  ASSERT_GT(slicing.first_open_window(next), open);
}

TEST(Slicing, PutsEveryRowIntoTheWindowsThatEnumerationFinds) {
  RandomSpecs specs(4711);
  for (const std::string zone : kZones) {
    const auto clock = zone_clock_of(zone);
    const std::vector<EventTime> transitions = transitions_of(zone);
    for (int i = 0; i < 150; ++i) {
      const WindowSpec spec = specs.next();
      ASSERT_TRUE(validate(spec)) << validate(spec).error().message;
      const Slicing slicing(spec, clock);
      for (int row = 0; row < 4; ++row) {
        const EventTime time = random_instant(transitions, specs.random());
        SCOPED_TRACE(zone + " " + to_string(spec) + " " + std::to_string(time));
        const std::vector<NaiveWindow> windows = windows_of(slicing, time);
        ASSERT_EQ(windows, naive_windows(spec, zone, time));
        for (const NaiveWindow& window : windows) {
          ASSERT_LE(window.start, time);
          ASSERT_LT(time, window.end);
        }
        expect_span_holds(slicing, time, specs);
        expect_firing_order(slicing, time);
        expect_next_edge(spec, clock, time);
      }
    }
  }
}

TEST(Slicing, PutsEveryRowIntoTheWindowsThatEnumerationFindsInUtc) {
  RandomSpecs specs(4712);
  for (int i = 0; i < 3000; ++i) {
    const WindowSpec spec = specs.next();
    const Slicing slicing(spec);
    const EventTime time =
        random_instant({0, kMinEventTime + 2 * kDay, kMaxEventTime - 2 * kDay}, specs.random());
    SCOPED_TRACE(to_string(spec) + " " + std::to_string(time));
    ASSERT_EQ(windows_of(slicing, time), naive_windows(spec, "", time));
    expect_span_holds(slicing, time, specs);
    expect_firing_order(slicing, time);
    expect_next_edge(spec, nullptr, time);
  }
}

// However long windows are and wherever rows lie, bounds do not wrap.
TEST(Slicing, BoundsAreRightAtTheEndsOfTime) {
  constexpr milliseconds kLongest(kMaxDurationMs);
  const milliseconds most(kMaxDurationMs - 1);
  for (const WindowSpec& spec :
       {tumbling(kLongest), tumbling(kLongest, most), tumbling(kLongest, -most),
        sliding(kLongest, kLongest - milliseconds(7), milliseconds(-11)),
        sliding(milliseconds(1), kLongest), cumulate(kLongest, kLongest, -most),
        cumulate(kLongest, kLongest, most), calendar_weeks(521775, 7), calendar_months(120000),
        calendar_years(10000), tumbling(milliseconds(1))}) {
    ASSERT_TRUE(validate(spec)) << validate(spec).error().message;
    for (const std::string zone : {"", "Asia/Manila", "Pacific/Apia"}) {
      const Slicing slicing(spec, zone_clock_of(zone));
      for (const EventTime time : {kMinEventTime, kMinEventTime + 1, EventTime{-1}, EventTime{0},
                                   kMaxEventTime - 1, kMaxEventTime}) {
        SCOPED_TRACE(to_string(spec) + " " + zone + " " + std::to_string(time));
        EXPECT_EQ(windows_of(slicing, time), naive_windows(spec, zone, time));
        expect_firing_order(slicing, time);
        // The watermark of the first row may be so far back.
        expect_firing_order(slicing, kMinEventTime - kMaxDurationMs - 1);
      }
    }
  }
}

TEST(Slicing, BeforeTheFirstWatermarkNothingIsCompleteAndAtTheEndAllIs) {
  for (const WindowSpec& spec : {tumbling(milliseconds(7)), calendar_months(1)}) {
    const Slicing slicing(spec, zone_clock_of("Europe/Rome"));
    EXPECT_EQ(slicing.first_open_window(kNoWatermark), kNoWatermark);
    EXPECT_EQ(slicing.first_open_window(kEndOfTime), kEndOfTime);
  }
}

// The clock goes from 02:00 to 03:00: three steps of half an hour end at one instant.
TEST(Slicing, WindowsThatDifferInSkippedTimesOnlyAreOne) {
  const EventTime shift = test_support::parse_case_time("2021-03-14T10:00:00Z").value();
  const Slicing slicing(cumulate(milliseconds(kDay), milliseconds(kHour / 2)),
                        zone_clock_of("America/Los_Angeles"));
  const std::int64_t last_before = slicing.last_window(slicing.slice_of(shift - 1)) - 47 + 3;
  EXPECT_EQ(slicing.window_end(last_before), shift);
  EXPECT_FALSE(slicing.repeats_previous(last_before));
  EXPECT_TRUE(slicing.repeats_previous(last_before + 1));
  EXPECT_TRUE(slicing.repeats_previous(last_before + 2));
  EXPECT_FALSE(slicing.repeats_previous(last_before + 3));
  EXPECT_EQ(slicing.window_end(last_before + 3), shift + kHour / 2);
}

}  // namespace
}  // namespace tidemark
