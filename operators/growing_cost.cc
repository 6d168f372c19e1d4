#include "tidemark/operators/growing_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tidemark/operators/counted_values.h"
#include "tidemark/operators/distinct_sketch.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/operators/state_blocks.h"

namespace tidemark {

namespace {

constexpr double kRatePeriod = 1000;

double state_block(double bytes) {
  return static_cast<double>(StateBlocks::block_size(static_cast<std::size_t>(bytes)));
}

double power_above(double count) {
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::ceil(count))));
}

// How many different ones `count` values are, if `different` are as likely as each other.
double different_among(double count, double different) {
  if (different == StreamShape::kAllDifferent || count <= 1) return count;
  return -different * std::expm1(count * std::log1p(-1 / different));
}

enum class GrowingKind { kRuns, kTimedRuns, kCounted, kSketch };

// One state of `rows` values, of which `different` are in the column.
struct GrowingState {
  GrowingKind kind;
  double different;

  double bytes(double rows) const {
    switch (kind) {
      case GrowingKind::kRuns:
        return runs_bytes(rows, 8, 4096);
      case GrowingKind::kTimedRuns:
        return runs_bytes(rows, 16, 8192);
      case GrowingKind::kCounted: {
        const double cells = different_among(rows, different) * 4 / 3 + 1;
        return state_block(sizeof(CountedValues)) +
               state_block(power_above(std::max(cells, 4.0)) * sizeof(CountedValues::Cell));
      }
      case GrowingKind::kSketch: {
        constexpr double kMostCells = 1024;
        const double cells = 2 * different_among(rows, different);
        return state_block(sizeof(DistinctSketch)) +
               4 * std::min(power_above(std::max(cells, 8.0)), kMostCells);
      }
    }
    return 0;
  }
  bool is_joined() const { return kind == GrowingKind::kRuns || kind == GrowingKind::kTimedRuns; }

 private:
  // Runs that double until they are full, each behind the first with a node that joins it.
  static double runs_bytes(double rows, double value, double largest) {
    constexpr double kNode = 32;
    const double in_run = (largest - kNode) / value;
    const double full = std::floor(rows / in_run);
    const double rest = rows - full * in_run;
    const double smallest = 4 * value + kNode;
    return full * (largest + kNode) +
           (rest > 0 ? state_block(std::max(smallest, kNode + rest * value)) : 0);
  }
};

// What states of the rows of a stretch of time take, one for each key that has some.
class StatesOverTime {
 public:
  StatesOverTime(const GrowingState& state, const StreamShape& stream)
      : state_(state), stream_(stream) {}

  double in(double ms) const {
    const double rows = stream_.rows_per_second * ms / kRatePeriod;
    double bytes = 0;
    for_each_share(
        stream_, [&](double keys, double share) { bytes += keys * expected_bytes(rows * share); });
    return bytes;
  }
  double keys_in(double ms) const {
    return expected_keys(stream_, stream_.rows_per_second * ms / kRatePeriod);
  }
  // The sum of in(i * step) for i in [1, count].
  double sum_in(double step, double count) const {
    constexpr double kSamples = 32;
    const double each = std::max(1.0, count / kSamples);
    double sum = 0;
    for (double i = (each + 1) / 2; i <= count; i += each) sum += each * in(i * step);
    return sum;
  }

 private:
  // Of a number of rows that chance has made `mean` on average (Poisson), nothing where it is none.
  double expected_bytes(double mean) const {
    constexpr double kDeviations = 5;
    constexpr double kSamples = 64;
    const double reach = kDeviations * std::sqrt(mean) + kDeviations;
    const double first = std::max(1.0, std::floor(mean - reach));
    const double last = std::ceil(mean + reach);
    const double step = std::max(1.0, std::floor((last - first) / kSamples));
    double bytes = 0;
    for (double rows = first; rows <= last; rows += step) {
      const double chance = std::exp(rows * std::log(mean) - mean - std::lgamma(rows + 1));
      bytes += step * chance * state_.bytes(rows);
    }
    return bytes;
  }

  const GrowingState& state_;
  const StreamShape& stream_;
};

double growing_bytes(const GrowingState& state, const WindowSpec& window, Strategy strategy,
                     const StreamShape& stream) {
  constexpr double kNode = 32;
  const StatesOverTime states(state, stream);
  const auto size = static_cast<double>(window.size);
  const auto slide = static_cast<double>(window.slide);
  const double slices = std::ceil(size / slide);
  const double whole = states.in(size);
  if (strategy == Strategy::kBuckets) {
    if (slices <= 1) return whole;
    return window.kind == WindowKind::kCumulate ? slices * states.in(size / 2)
                                                : states.sum_in(slide, slices);
  }
  const double entries = slices * states.keys_in(slide);
  const double sealed = size / slide * states.in(slide);
  if (state.is_joined()) {
    // Totals share the values of entries and have nodes of their own.
    const double totals =
        strategy == Strategy::kTwoStacks || strategy == Strategy::kWorstCase ? 2 : 1;
    return sealed + totals * kNode * entries;
  }
  if (strategy == Strategy::kRecompute || strategy == Strategy::kSubtract ||
      window.kind == WindowKind::kCumulate) {
    return sealed + whole;
  }
  // Entries that are folded hold what is in all from theirs to the last of their stack.
  const double folded = strategy == Strategy::kTwoStacks ? slices : std::ceil(slices / 2);
  double suffixes = 0;
  for (double i = 1; i <= folded; ++i) {
    suffixes += states.in(i * slide) * states.keys_in(slide) / states.keys_in(i * slide);
  }
  return suffixes + (slices - folded) * states.in(slide) + 1.5 * whole;
}

}  // namespace

GrowingCost growing_cost(const WindowQuery& query, const WindowSpec& window, Strategy strategy,
                         const StreamShape& stream) {
  // A slab has a header, and the last one is half empty.
  constexpr double kSlabShare = 32.0 / 31;
  constexpr double kHalfSlab = StateBlocks::kSlab / 2.0;
  GrowingCost cost;
  std::vector<std::pair<GrowingKind, int>> known;
  for (const AggregateSpec& aggregate : query.aggregates) {
    GrowingKind kind = GrowingKind::kCounted;
    switch (aggregate.function) {
      case AggregateFunction::kMedian:
      case AggregateFunction::kQuantile:
        if (strategy != Strategy::kSubtract) kind = GrowingKind::kRuns;
        break;
      case AggregateFunction::kCollect:
        kind = GrowingKind::kTimedRuns;
        break;
      case AggregateFunction::kApproxDistinct:
        kind = GrowingKind::kSketch;
        break;
      case AggregateFunction::kCountDistinct:
      case AggregateFunction::kTopK:
        break;
      case AggregateFunction::kApproxQuantile:
        cost.not_predicted = "buckets of approx_quantile, at most 16 bytes a value";
        continue;
      default:
        continue;
    }
    // Aggregates of one column that need the same state have one.
    const std::pair<GrowingKind, int> state(kind, aggregate.input);
    if (std::find(known.begin(), known.end(), state) != known.end()) continue;
    known.push_back(state);
    const auto input = static_cast<std::size_t>(aggregate.input);
    const double different =
        input < stream.different_values.size() ? stream.different_values[input] : 0;
    const bool needs_different = kind == GrowingKind::kCounted || kind == GrowingKind::kSketch;
    if (needs_different && different == 0) {
      cost.not_predicted = "different values, as it is not known how many there are";
      continue;
    }
    if (kind == GrowingKind::kSketch && strategy != Strategy::kBuckets) {
      cost.not_predicted = "bytes of sketches that windows are put together from";
      continue;
    }
    cost.bytes += growing_bytes({kind, different}, window, strategy, stream);
  }
  if (cost.bytes > 0) cost.bytes = cost.bytes * kSlabShare + kHalfSlab;
  return cost;
}

}  // namespace tidemark
