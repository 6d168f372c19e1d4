#include "tidemark/perf/bench_options.h"

#include <algorithm>

#include "tidemark/connectors/stream_expectation.h"
#include "tidemark/operators/slicing.h"

namespace tidemark {

namespace {

// With several sources, none runs more than this many slides ahead of the slowest.
constexpr std::int64_t kDriftSlides = 10;

// In ms, as a calendar's months are in 1970.
WindowSpec in_milliseconds(const WindowSpec& window) {
  if (window.unit == CalendarUnit::kNone) return window;
  const Slicing slicing(window);
  const std::chrono::milliseconds size(slicing.window_end(0) - slicing.window_start(0));
  return tumbling(size);
}

}  // namespace

PipelineOptions bench_pipeline(const BenchOptions& options, std::size_t cores) {
  PipelineOptions pipeline;
  pipeline.cores = cores;
  pipeline.stream =
      expected_stream(options.stream.keys, options.stream.event_rate, options.stream.skew);
  if (options.cpus.size() >= cores) {
    pipeline.cpus.assign(options.cpus.begin(),
                         options.cpus.begin() + static_cast<std::ptrdiff_t>(cores));
  }
  pipeline.local_aggregation = options.local_aggregation;
  pipeline.cancellation = options.cancellation;
  pipeline.live = options.live;
  return pipeline;
}

std::uint64_t rows_within(std::chrono::milliseconds time, std::uint64_t rate) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{static_cast<std::uint64_t>(time.count())} * rate / 1000);
}

std::vector<AggregateSpec> headline_aggregates() {
  return {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
          {AggregateFunction::kSum, 0, "sum(amount)"},
          {AggregateFunction::kMax, 0, "max(amount)"}};
}

std::uint64_t default_rows(const WindowSpec& window, std::uint64_t event_rate) {
  const double seconds = 1.25 * static_cast<double>(in_milliseconds(window).size) / 1000;
  return static_cast<std::uint64_t>(std::max(1.0, seconds * static_cast<double>(event_rate)));
}

WindowQuery bench_query(const BenchOptions& options) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  query.windows = {options.window};
  query.aggregates = options.aggregates;
  query.strategy = options.strategy;
  query.delay = options.delay;
  query.lateness = options.lateness;
  query.max_drift = kDriftSlides * in_milliseconds(options.window).slide;
  return query;
}

bool is_order_free(const BenchOptions& options) {
  if (options.window.kind == WindowKind::kCount) return false;
  const bool depends = std::any_of(
      options.aggregates.begin(), options.aggregates.end(), [](const AggregateSpec& aggregate) {
        const AggregateAlgebra algebra = algebra_of(aggregate, ColumnType::kInt64);
        return !algebra.commutative || !algebra.exactly_associative;
      });
  const std::int64_t needed =
      options.stream.disorder + (options.window.kind == WindowKind::kSession ? 1 : 0);
  return !depends && options.delay >= needed;
}

Expected<void> validate(const BenchOptions& options) {
  if (auto valid = validate(bench_query(options)); !valid) return valid;
  if (auto valid = validate(options.stream); !valid) return valid;
  if (options.stream.rows == 0) return make_error("rows must be at least 1, not 0");
  for (const AggregateSpec& aggregate : options.aggregates) {
    if (has_list_result(aggregate.function)) {
      return make_error("results are checked as numbers, and " + aggregate.name + " is a list");
    }
  }
  if (options.repeats == 0) return make_error("at least 1 repeat is needed, not 0");
  if (options.cores == 0) return make_error("at least 1 core is needed, not 0");
  const bool is_paced = options.measures_latency || options.finds_rate;
  if (is_paced && options.duration.count() <= 0) {
    return make_error("a run at a rate needs a duration longer than 0");
  }
  if (is_paced && options.lateness > 0) {
    return make_error("a run at a rate takes no allowed lateness: late rows fire windows again");
  }
  if (options.measures_latency && options.rate) {
    BenchStreamConfig paced = options.stream;
    paced.rows = rows_within(options.warmup + options.duration, *options.rate);
    if (auto valid = validate(paced); !valid) return valid;
  }
  return {};
}

}  // namespace tidemark
