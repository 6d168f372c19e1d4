#include "tidemark/operators/cost_model.h"

#include <algorithm>
#include <cmath>

#include "tidemark/operators/slicing.h"
#include "tidemark/operators/worst_case_sharing.h"

namespace tidemark {

namespace {

constexpr double kHeaderBytes = 8;
// Per live key: number of live entries, place in the list of live keys, and that list.
constexpr double kRunningKeyBytes = 12;
constexpr double kIndexBytes = 4;
// One that fires and one that fills.
constexpr double kOpenSlices = 2;
// A firing that costs this many times the usual one is a spike.
constexpr double kSpike = 5;

bool grows(const WindowSpec& window) { return window.kind == WindowKind::kCumulate; }

// How many windows hold a row that is in one, in the mean.
double windows_per_row(const WindowSpec& window) {
  if (window.slide == 0) return 1;
  const double windows = static_cast<double>(window.size) / static_cast<double>(window.slide);
  return std::max(1.0, grows(window) ? (windows + 1) / 2 : windows);
}

bool flips(const WindowSpec& window, Strategy strategy) {
  if (grows(window)) return false;
  return strategy == Strategy::kTwoStacks ||
         (strategy == Strategy::kWorstCase && !WorstCaseSharing::pays(window));
}

// Length in ms, kind by kind: calendar units are taken as those of 1970.
struct Lengths {
  double size;
  double slide;
};

Lengths lengths_of(const WindowSpec& window) {
  if (window.unit == CalendarUnit::kNone) {
    return {static_cast<double>(window.size), static_cast<double>(window.slide)};
  }
  const Slicing slicing(window);
  const auto size = static_cast<double>(slicing.window_end(0) - slicing.window_start(0));
  return {size, size};
}

class Expectation {
 public:
  explicit Expectation(const StreamShape& stream) : stream_(stream) {}

  double rows_in(double ms) const { return stream_.rows_per_second * ms / 1000; }
  double keys_in(double ms) const { return expected_keys(stream_, rows_in(ms)); }

  // The sum of keys_in(base + i * step) for i in [1, count], a whole number: the trapezoidal rule,
  // with panels that grow, where they are many.
  double keys_in_growing(double base, double step, double count) const {
    constexpr double kOneByOne = 32;
    constexpr double kGrowth = 1.05;
    double sum = 0;
    double i = 1;
    for (; i <= std::min(count, kOneByOne); ++i) sum += keys_in(base + i * step);
    while (i <= count) {
      const double next = std::min(count + 1, std::floor(i * kGrowth) + 1);
      const double first = keys_in(base + i * step);
      const double last = keys_in(base + (next - 1) * step);
      sum += (next - i) * (first + last) / 2;
      i = next;
    }
    return sum;
  }

 private:
  const StreamShape& stream_;
};

std::size_t running_parts(const WindowSpec& window, Strategy strategy) {
  switch (strategy) {
    case Strategy::kSubtract:
      return 1;
    case Strategy::kTwoStacks:
    case Strategy::kWorstCase:
      if (grows(window)) return 1;
      return flips(window, strategy) ? 2 : 4;
    default:
      return 0;
  }
}

// Windows that overlap, each as full as it is old. Those of a cumulate period are equally old, and
// close one after the other.
double bucket_entries(const WindowSpec& window, const Lengths& lengths, const Expectation& expect) {
  const double whole = std::floor(lengths.size / lengths.slide);
  const double rest = lengths.size - whole * lengths.slide;
  if (grows(window)) {
    constexpr double kSamples = 64;
    double most = 0;
    for (double passed = 1; passed <= whole; passed += std::max(1.0, whole / kSamples)) {
      most = std::max(most, (whole - passed + 1) * expect.keys_in(passed * lengths.slide));
    }
    return most;
  }
  if (whole == 0) return expect.keys_in(lengths.size);
  if (rest == 0) return expect.keys_in_growing(0, lengths.slide, whole);
  return expect.keys_in(rest) + expect.keys_in_growing(rest, lengths.slide, whole);
}

// What the slices of one slide and of one window hold.
struct SliceEntries {
  double per_slide;
  double per_window;
  // Of what leaves with a window, what a flip just before need not fold: with two slices per slide
  // it has folded one of them before.
  double folded_before_flip;
};

SliceEntries slice_entries(const Lengths& lengths, const Expectation& expect) {
  const double whole = std::floor(lengths.size / lengths.slide);
  const double remainder = lengths.size - whole * lengths.slide;
  if (remainder == 0) {
    const double entries = expect.keys_in(lengths.slide);
    return {entries, whole * entries, entries};
  }
  const double first = expect.keys_in(remainder);
  if (whole == 0) return {first, first, first};
  const double second = expect.keys_in(lengths.slide - remainder);
  return {first + second, whole * (first + second) + first, first};
}

}  // namespace

UnitCost unit_cost(const WindowSpec& window, Strategy strategy) {
  UnitCost cost;
  const bool one_stack = grows(window);
  switch (strategy) {
    case Strategy::kAuto:
    case Strategy::kBuckets:
      cost.updates_per_row = windows_per_row(window);
      break;
    case Strategy::kRecompute:
      cost.merges_per_entry = windows_per_row(window);
      break;
    case Strategy::kBaseIntervals:
      // Shared by all windows of a query: the plan says what they merge.
      break;
    case Strategy::kSubtract:
      cost.merges_per_entry = 2;
      break;
    case Strategy::kTwoStacks:
    case Strategy::kWorstCase:
      cost.merges_per_entry = one_stack ? 1 : flips(window, strategy) ? 3 : 4;
      cost.flips_at_worst = flips(window, strategy) ? 1 : 0;
      break;
  }
  return cost;
}

namespace {

void predict_shared(const WindowSpec& window, Strategy strategy, const Lengths& lengths,
                    const Expectation& expect, StreamCost& cost) {
  const UnitCost unit = unit_cost(window, strategy);
  const SliceEntries entries = slice_entries(lengths, expect);
  cost.entries_per_slide = entries.per_slide;
  cost.live_entries = entries.per_window;
  cost.merges_per_slide = entries.per_slide * unit.merges_per_entry;
  cost.worst_merges = cost.merges_per_slide;
  if (strategy == Strategy::kRecompute) {
    // Each firing walks all entries of its window.
    if (!grows(window)) cost.merges_per_slide = entries.per_window;
    cost.worst_merges = entries.per_window;
  } else if (unit.flips_at_worst > 0) {
    // A slide's entries are merged, others restored, and what has not been folded is.
    cost.worst_merges = std::max(cost.merges_per_slide, 2 * entries.per_slide + entries.per_window -
                                                            entries.folded_before_flip);
  }
}

}  // namespace

StateSize state_size(const AggregateLayout& layout) {
  return {layout.state_size(), layout.undone_size() - sizeof(EntryHeader)};
}

StreamCost stream_cost(const WindowSpec& window, Strategy strategy, const StateSize& state,
                       const StreamShape& stream) {
  const Lengths lengths = lengths_of(window);
  const Expectation expect(stream);
  const double entry_size = kHeaderBytes + static_cast<double>(state.all);
  const double windows_open = std::ceil(lengths.size / lengths.slide);
  const double keys = expect.keys_in(lengths.size);
  StreamCost cost;
  cost.rows_per_slide = expect.rows_in(lengths.slide);
  cost.results_per_slide =
      grows(window) ? expect.keys_in_growing(0, lengths.slide, windows_open) / windows_open : keys;
  double open_panes = kOpenSlices;
  if (strategy == Strategy::kBuckets) {
    cost.live_entries = bucket_entries(window, lengths, expect);
    open_panes = windows_open;
  } else {
    predict_shared(window, strategy, lengths, expect, cost);
  }
  cost.entry_bytes = cost.live_entries * entry_size;
  const auto parts = static_cast<double>(running_parts(window, strategy));
  if (parts > 0) {
    const auto in_parts = static_cast<double>(state.all - state.undone);
    cost.running_bytes = keys * (entry_size + (parts - 1) * in_parts + kRunningKeyBytes);
  }
  cost.index_bytes = open_panes * kIndexBytes * keys;
  return cost;
}

namespace {

// Work per row: what it updates, and its share of the merges of the slices' entries. Without a
// stream every key is taken to have many rows in every slice, so that rows are what costs.
double work_per_row(const WindowSpec& window, Strategy strategy,
                    const std::optional<StreamShape>& stream) {
  const UnitCost unit = unit_cost(window, strategy);
  double merges_per_row = 0;
  if (stream && unit.merges_per_entry > 0) {
    const StreamCost cost = stream_cost(window, strategy, {}, *stream);
    merges_per_row = cost.merges_per_slide / std::max(cost.rows_per_slide, 1.0);
  }
  return unit.updates_per_row + merges_per_row;
}

// How a flip of two stacks compares with a firing at which none is due: merges and results.
bool flip_is_spike(const WindowSpec& window, const std::optional<StreamShape>& stream) {
  if (!stream) {
    // Every key has an entry in every slice and a result in every window.
    const double per_key = unit_cost(window, Strategy::kTwoStacks).merges_per_entry + 1;
    return windows_per_row(window) > (kSpike - 1) * per_key;
  }
  const StreamCost cost = stream_cost(window, Strategy::kTwoStacks, {}, *stream);
  const double usual = 2 * cost.entries_per_slide + cost.results_per_slide;
  return cost.worst_merges + cost.results_per_slide > kSpike * usual;
}

}  // namespace

StrategyChoice choose_strategy(const WindowSpec& window, bool exactly_invertible,
                               const std::optional<StreamShape>& stream) {
  if (window.size <= window.slide) {
    return {Strategy::kBuckets, "windows do not overlap, so there is nothing to share"};
  }
  if (grows(window)) {
    return {Strategy::kTwoStacks,
            "the slices of a period leave together, so one stack that grows is enough"};
  }
  if (exactly_invertible) {
    if (work_per_row(window, Strategy::kBuckets, stream) <
        work_per_row(window, Strategy::kSubtract, stream)) {
      return {Strategy::kBuckets,
              "few windows hold a row and few rows share a slice, so sharing would cost more"};
    }
    return {Strategy::kSubtract, "every aggregate can be undone exactly"};
  }
  if (!flip_is_spike(window, stream)) {
    return {Strategy::kTwoStacks,
            "not every aggregate can be undone exactly, and a flip is no spike"};
  }
  return {Strategy::kWorstCase,
          "not every aggregate can be undone exactly, and flips would be spikes"};
}

}  // namespace tidemark
