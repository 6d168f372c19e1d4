#include "tidemark/operators/cost_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
  double keys(double rows) const { return expected_keys(stream_, rows); }
  double keys_in(double ms) const { return expected_keys(stream_, rows_in(ms)); }
  // Of the last ms up to the row that raises the watermark: with that row, and without those that
  // come out of order and are still to come.
  double rows_in_last(double ms) const {
    const auto disorder = static_cast<double>(stream_.disorder);
    return 1 + rows_in(ms < disorder ? ms * ms / (2 * disorder) : ms - disorder / 2);
  }
  double keys_in_last(double ms) const { return expected_keys(stream_, rows_in_last(ms)); }

  // Of stretches of `length` ms that begin at `first` and every `step` ms from there, the mean. A
  // short one has a row more or less, by how it lies to the rows: one ms at a multiple of the step
  // from row to row always has a row, wherever rows are scarce.
  double keys_in_each(std::int64_t first, std::int64_t length, std::int64_t step) const {
    constexpr double kManyRows = 1000;
    const auto rate = static_cast<std::int64_t>(stream_.rows_per_second);
    const double rows = rows_in(static_cast<double>(length));
    if (rows > kManyRows || static_cast<double>(rate) != stream_.rows_per_second) {
      return keys_in(static_cast<double>(length));
    }
    // Rows lie alike in every second.
    constexpr std::int64_t kSecond = 1000;
    const std::int64_t stretches = kSecond / std::gcd(step, kSecond);
    std::int64_t all = 0;
    std::int64_t from = (first % kSecond + kSecond) % kSecond;
    for (std::int64_t i = 0; i < stretches; ++i, from = (from + step) % kSecond) {
      all += rows_before(from + length, rate) - rows_before(from, rate);
    }
    return expected_keys(stream_, static_cast<double>(all) / static_cast<double>(stretches));
  }

  // The sum of keys_in(i * step) for i in [1, count].
  double keys_in_growing(double step, double count) const {
    return sum_of([&](double i) { return keys_in(i * step); }, count);
  }
  // The same of keys_in_last(base + i * step).
  double keys_in_last_growing(double base, double step, double count) const {
    return sum_of([&](double i) { return keys_in_last(base + i * step); }, count);
  }

 private:
  // The sum of keys(i) for i in [1, count], a whole number: the trapezoidal rule, with panels that
  // grow, where they are many.
  template <typename Keys>
  static double sum_of(const Keys& keys, double count) {
    constexpr double kOneByOne = 32;
    constexpr double kGrowth = 1.05;
    double sum = 0;
    double i = 1;
    for (; i <= std::min(count, kOneByOne); ++i) sum += keys(i);
    while (i <= count) {
      const double next = std::min(count + 1, std::floor(i * kGrowth) + 1);
      const double first = keys(i);
      const double last = keys(next - 1);
      sum += (next - i) * (first + last) / 2;
      i = next;
    }
    return sum;
  }

  // Row i lies at i * 1000 / rate, rounded down.
  static std::int64_t rows_before(std::int64_t time, std::int64_t rate) {
    return (time * rate + 999) / 1000;
  }

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

// How often `length` goes into `ms`, rounded up.
double times_in(double ms, double length) { return std::ceil(ms / length); }

// Windows that overlap, each as full as it is old, at the time when one is about to fire.
double sliding_buckets(const Lengths& lengths, const Expectation& expect, const StreamLag& lag) {
  const auto delay = static_cast<double>(lag.delay);
  const double kept = times_in(static_cast<double>(lag.lateness), lengths.slide);
  double full = (1 + kept) * expect.keys_in(lengths.size);
  // Windows that have ended, but the watermark is not there yet.
  const double ended = std::floor(delay / lengths.slide);
  for (double i = 1; i <= ended; ++i) {
    const double ago = delay - i * lengths.slide;
    full += expect.keys(expect.rows_in_last(ago + lengths.size) - expect.rows_in_last(ago));
  }
  const double filling = std::floor((lengths.size + delay) / lengths.slide) - ended;
  if (filling < 1) return full;
  const double youngest = std::fmod(lengths.size + delay, lengths.slide);
  return full + expect.keys_in_last(youngest) +
         expect.keys_in_last_growing(youngest, lengths.slide, filling - 1);
}

// Those of a cumulate period are equally old, and close one after the other.
double cumulate_buckets(const Lengths& lengths, const Expectation& expect, const StreamLag& lag) {
  constexpr double kSamples = 64;
  const double windows = std::floor(lengths.size / lengths.slide);
  const double behind = times_in(static_cast<double>(lag.delay + lag.lateness), lengths.slide);
  const auto filled = [&](double passed) {
    return expect.keys_in_growing(lengths.slide, std::min(passed, windows));
  };
  double most = 0;
  const auto look_after = [&](double passed) {
    double entries = 0;
    // This period, and those before it that have not been left behind.
    for (double steps = passed; steps - behind <= windows; steps += windows) {
      const double gone = std::max(0.0, steps - behind - 1);
      const double complete = std::min(steps, windows);
      if (complete > gone) entries += filled(complete) - filled(gone);
      entries += (windows - complete) * expect.keys_in_last(complete * lengths.slide);
    }
    // The row that raises the watermark past a period's end is in all windows of the next one.
    if (passed == windows) entries += windows * expect.keys_in_last(0);
    most = std::max(most, entries);
  };
  const double step = std::max(1.0, std::floor(windows / kSamples));
  for (double passed = 1; passed < windows; passed += step) look_after(passed);
  look_after(windows);
  return most;
}

// What the slices of one slide and of one window hold.
struct SliceEntries {
  double per_slide;
  double per_window;
  // Of what leaves with a window, what a flip just before need not fold: with two slices per slide
  // it has folded one of them before.
  double folded_before_flip = 0;
};

SliceEntries slice_entries(const WindowSpec& window, const Lengths& lengths,
                           const Expectation& expect) {
  const double whole = std::floor(lengths.size / lengths.slide);
  const double remainder = lengths.size - whole * lengths.slide;
  const auto step = static_cast<std::int64_t>(lengths.slide);
  const auto rest = static_cast<std::int64_t>(remainder);
  if (remainder == 0) {
    const double entries = expect.keys_in_each(window.offset, step, step);
    return {entries, whole * entries};
  }
  const double first = expect.keys_in_each(window.offset, rest, step);
  if (whole == 0) return {first, first, first};
  const double second = expect.keys_in_each(window.offset + rest, step - rest, step);
  return {first + second, whole * (first + second) + first, first};
}

// Entries that are there beside those of one window when it fires: of rows that the watermark has
// not come to, and of slices that late rows may still come for.
double entries_around(Strategy strategy, const WindowSpec& window, const Lengths& lengths,
                      const SliceEntries& entries, const Expectation& expect,
                      const StreamLag& lag) {
  const auto delay = static_cast<double>(lag.delay);
  const double youngest = std::fmod(delay, lengths.slide);
  double ahead = expect.keys_in_last(youngest);
  for (double passed = youngest; passed < delay; passed += lengths.slide) {
    ahead += expect.keys(expect.rows_in_last(passed + lengths.slide) - expect.rows_in_last(passed));
  }
  if (lag.lateness == 0) return ahead;
  const double kept =
      times_in(static_cast<double>(lag.lateness), lengths.slide) * entries.per_slide;
  // Strategies that rewrite what is sealed have a copy of all of it.
  const bool rewrites =
      !grows(window) && (strategy == Strategy::kTwoStacks || strategy == Strategy::kWorstCase);
  return ahead + kept + (rewrites ? entries.per_window : 0);
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
                    const Expectation& expect, const StreamLag& lag, StreamCost& cost) {
  const UnitCost unit = unit_cost(window, strategy);
  const SliceEntries entries = slice_entries(window, lengths, expect);
  cost.entries_per_slide = entries.per_slide;
  cost.live_entries =
      entries.per_window + entries_around(strategy, window, lengths, entries, expect, lag);
  const bool is_spread =
      strategy == Strategy::kWorstCase && !grows(window) && WorstCaseSharing::pays(window);
  cost.merges_per_slide =
      entries.per_slide *
      (is_spread ? WorstCaseSharing::merges_per_entry(window) : unit.merges_per_entry);
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
                       const StreamShape& stream, const StreamLag& lag) {
  const Lengths lengths = lengths_of(window);
  const Expectation expect(stream);
  const double entry_size = kHeaderBytes + static_cast<double>(state.all);
  const double windows_open = std::ceil(lengths.size / lengths.slide);
  const double keys = expect.keys_in(lengths.size);
  StreamCost cost;
  cost.rows_per_slide = expect.rows_in(lengths.slide);
  cost.results_per_slide =
      grows(window) ? expect.keys_in_growing(lengths.slide, windows_open) / windows_open : keys;
  double open_panes = kOpenSlices + std::floor(static_cast<double>(lag.delay) / lengths.slide);
  if (strategy == Strategy::kBuckets) {
    cost.live_entries = grows(window) ? cumulate_buckets(lengths, expect, lag)
                                      : sliding_buckets(lengths, expect, lag);
    open_panes = windows_open + times_in(static_cast<double>(lag.lateness), lengths.slide);
  } else {
    predict_shared(window, strategy, lengths, expect, lag, cost);
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
    if (cost.rows_per_slide > 0) merges_per_row = cost.merges_per_slide / cost.rows_per_slide;
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

// What is taken where windows overlap much.
StrategyChoice choose_sharing(const WindowSpec& window, bool exactly_invertible,
                              const std::optional<StreamShape>& stream) {
  if (grows(window)) {
    return {Strategy::kTwoStacks,
            "the slices of a period leave together, so one stack that grows is enough"};
  }
  if (exactly_invertible) {
    return {Strategy::kSubtract, "every aggregate can be undone exactly"};
  }
  if (!flip_is_spike(window, stream)) {
    return {Strategy::kTwoStacks,
            "not every aggregate can be undone exactly, and a flip is no spike"};
  }
  return {Strategy::kWorstCase,
          "not every aggregate can be undone exactly, and flips would be spikes"};
}

}  // namespace

StrategyChoice choose_strategy(const WindowSpec& window, bool exactly_invertible,
                               const std::optional<StreamShape>& stream) {
  if (window.size <= window.slide) {
    return {Strategy::kBuckets, "windows do not overlap, so there is nothing to share"};
  }
  StrategyChoice choice = choose_sharing(window, exactly_invertible, stream);
  double least = work_per_row(window, choice.strategy, stream);
  const auto consider = [&](Strategy strategy, const char* reason) {
    const double work = work_per_row(window, strategy, stream);
    if (work >= least) return;
    least = work;
    choice = {strategy, reason};
  };
  consider(Strategy::kBuckets,
           "few windows hold a row and few rows share a slice, so sharing would cost more");
  // Of a stream that is not known its merges are not.
  if (stream) {
    consider(Strategy::kRecompute,
             "few windows hold a slice, so that merging its entries for each costs least");
  }
  return choice;
}

}  // namespace tidemark
