#include "tidemark/perf/state_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/connectors/stream_expectation.h"
#include "tidemark/operators/aggregate_kernel.h"
#include "tidemark/operators/plan.h"
#include "tidemark/operators/shared_windows.h"
#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/figure_text.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

template <typename T>
double as_double(T value) {
  return static_cast<double>(value);
}

BenchStreamConfig stream_of(const ProfileOptions& options, std::uint64_t keys) {
  BenchStreamConfig config = options.stream;
  config.keys = keys;
  return config;
}

StreamShape shape_of(const ProfileOptions& options, std::uint64_t keys) {
  StreamShape shape = expected_stream(keys, options.stream.event_rate, options.stream.skew,
                                      options.stream.disorder);
  shape.different_values = {as_double(BenchStream::kLargestAmount)};
  return shape;
}

ProfilePrediction prediction_of(const WindowPlan& plan) {
  ProfilePrediction prediction;
  prediction.updates_per_row = plan.cost.updates_per_row;
  if (plan.stream_cost) {
    prediction.merges_per_slide = plan.stream_cost->merges_per_slide;
    prediction.live_entries = plan.stream_cost->live_entries;
    prediction.state_bytes = plan.stream_cost->entry_bytes;
    prediction.allocated_bytes = plan.stream_cost->state_bytes();
  }
  return prediction;
}

// Bytes of state that a cell may come to hold, and what by. Sums over intervals take at most as
// much again as the slices they are of.
std::optional<std::string> too_much_state(const ProfileOptions& options, const WindowPlan& plan,
                                          const ProfilePrediction& prediction,
                                          const StreamShape& stream) {
  double entries = prediction.live_entries.value_or(0);
  double bytes = prediction.allocated_bytes.value_or(0);
  // Not predicted where slices are too many to be walked.
  if (plan.strategy == Strategy::kBaseIntervals && !prediction.live_entries) {
    const StreamCost slices =
        stream_cost(plan.window, Strategy::kRecompute, plan.state_size, stream);
    entries = 2 * slices.live_entries;
    bytes = 2 * slices.entry_bytes;
  }
  if (bytes <= as_double(options.memory_limit)) return std::nullopt;
  const auto whole_bytes = static_cast<std::uint64_t>(std::llround(std::min(bytes, 1e18)));
  return fmt::format("predicted to hold {} entries in {}, more than --memory allows ({})",
                     short_count(entries), bytes_text(whole_bytes),
                     bytes_text(options.memory_limit));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t upper = values.size() / 2;
  return values.size() % 2 == 1 ? values[upper] : (values[upper - 1] + values[upper]) / 2;
}

double rate_of(const StagePass& pass) {
  return ratio(as_double(pass.end.rows - pass.begin.rows),
               1e-9 * as_double(pass.end.nanoseconds - pass.begin.nanoseconds));
}

// Each firing by the shortest of its times.
LatencyRecorder shortest_firings(const std::vector<StagePass>& passes) {
  LatencyRecorder recorder;
  for (std::size_t i = 0; i < passes.front().firings.size(); ++i) {
    std::int64_t shortest = passes.front().firings[i];
    for (const StagePass& pass : passes) shortest = std::min(shortest, pass.firings[i]);
    recorder.record(shortest);
  }
  return recorder;
}

// What a stamp costs, in ticks.
double ticks_per_stamp() {
  constexpr std::uint64_t kStamps = 10'000;
  PhaseClock clock;
  clock.start();
  for (std::uint64_t i = 0; i < kStamps; ++i) clock.stamp(WorkPhase::kOther);
  return as_double(clock.ticks()[static_cast<std::size_t>(WorkPhase::kOther)]) / kStamps;
}

void share_time(const StagePass& pass, CellFigures& figures) {
  double all = 0;
  for (const std::uint64_t ticks : pass.ticks) all += as_double(ticks);
  for (std::size_t i = 0; i < kWorkPhases; ++i) {
    figures.time_share[i] = ratio(as_double(pass.ticks[i]), all);
  }
  figures.stamp_share = ratio(as_double(pass.stamps) * ticks_per_stamp(), all);
}

void spread_over_keys(const std::vector<KeyEntries>& keys, std::size_t top, CellFigures& figures) {
  if (keys.empty()) return;
  // The smallest value with at least that share of all keys at or below it; most entries first.
  const auto at = [&](std::size_t percent) {
    const std::size_t rank = std::max<std::size_t>((keys.size() * percent + 99) / 100, 1);
    return keys[keys.size() - rank].entries;
  };
  figures.key_entries_median = at(50);
  figures.key_entries_p99 = at(99);
  figures.key_entries_max = keys.front().entries;
  figures.top_keys.assign(keys.begin(),
                          keys.begin() + static_cast<std::ptrdiff_t>(std::min(top, keys.size())));
}

// Passes of one cell: those that are timed, and the one with phases.
CellFigures figures_of(const ProfileOptions& options, const WindowPlan& plan,
                       const std::vector<StagePass>& timed, const StagePass& in_phases) {
  const StagePass& pass = timed.front();
  CellFigures figures;
  figures.ran = plan.strategy;
  figures.window_filled = pass.window_filled;
  figures.rows = pass.end.rows - pass.begin.rows;
  figures.rows_on_time = pass.end.rows_on_time - pass.begin.rows_on_time;
  figures.slides = pass.end.windows_fired - pass.begin.windows_fired;
  figures.updates = pass.end.updates - pass.begin.updates;
  figures.merges = pass.end.merges - pass.begin.merges;
  for (const StagePass& each : timed) figures.rows_per_second_of_passes.push_back(rate_of(each));
  figures.rows_per_second = median_of(figures.rows_per_second_of_passes);
  const auto rows = as_double(figures.rows_on_time);
  figures.updates_per_row = ratio(as_double(figures.updates), rows);
  figures.merges_per_slide = ratio(as_double(figures.merges), as_double(figures.slides));
  figures.work_per_row = ratio(as_double(figures.updates + figures.merges), rows);
  figures.entry_bytes = plan.state_size.all + sizeof(EntryHeader);
  const StateCounters& state = pass.state;
  figures.live_entries = state.peak_live_entries;
  figures.entries_at_end = state.live_entries;
  figures.state_bytes = state.peak_live_entries * figures.entry_bytes;
  figures.allocated_bytes = state.peak_state_bytes - state.peak_key_table_bytes;
  figures.key_table_bytes = state.peak_key_table_bytes;
  figures.keys_held = state.peak_keys;
  figures.bytes_per_key = ratio(as_double(state.peak_state_bytes), as_double(state.peak_keys));
  figures.firings = shortest_firings(timed);
  share_time(in_phases, figures);
  figures.samples = in_phases.samples;
  spread_over_keys(in_phases.keys, options.top_keys, figures);
  figures.results = pass.report.results;
  figures.checksum = pass.checksum;
  const auto look_at = [&](const StagePass& each) {
    const RunReport& report = each.report;
    figures.rows_add_up &=
        report.rows_read == options.stream.rows &&
        report.rows_read == report.rows_on_time + report.rows_late + report.rows_in_no_window &&
        each.checksum == pass.checksum;
    figures.no_overflow &= report.overflows.count == 0;
  };
  for (const StagePass& each : timed) look_at(each);
  look_at(in_phases);
  return figures;
}

JobFigures run_job(const ProfileOptions& options, const ProfileCell& cell) {
  BenchOptions job;
  job.window = profile_query(options, cell.slide, cell.strategy).windows.front();
  job.aggregates = options.aggregates;
  job.strategy = cell.strategy;
  job.stream = stream_of(options, cell.keys);
  job.delay = options.stream.disorder;
  job.cores = options.cores;
  job.cpus = options.cpus;
  job.cancellation = options.cancellation;
  const ThroughputRun run =
      run_throughput(job, options.cores, options.cores, Batch::kDefaultCapacity);
  return {run.rows_per_second(), run.report.results, run.checksum};
}

// False: it was cancelled.
bool run_cell(const ProfileOptions& options, const BenchStream& stream, ProfileCell& cell) {
  const WindowQuery query = profile_query(options, cell.slide, cell.strategy);
  if (const auto valid = validate(query); !valid) {
    cell.refused = valid.error().message;
    return true;
  }
  const StreamShape shape = shape_of(options, cell.keys);
  const std::vector<WindowPlan> plans = plan_query(query, shape);
  cell.predicted = prediction_of(plans.front());
  cell.refused = too_much_state(options, plans.front(), *cell.predicted, shape);
  if (cell.refused) return true;
  StagePassOptions pass_options;
  pass_options.cancellation = options.cancellation;
  std::vector<StagePass> timed;
  while (timed.size() < options.repeats) {
    timed.push_back(run_stage_pass(query, plans, stream, pass_options));
    if (timed.back().cancelled) return false;
  }
  pass_options.in_phases = true;
  pass_options.looks_at_state = true;
  const StagePass in_phases = run_stage_pass(query, plans, stream, pass_options);
  if (in_phases.cancelled) return false;
  cell.figures = figures_of(options, plans.front(), timed, in_phases);
  if (options.cores > 0) cell.job = run_job(options, cell);
  return options.cancellation == nullptr || !options.cancellation->requested();
}

template <typename Figures>
bool same_results(const CellFigures& a, const Figures& b, bool comparable) {
  return a.results == b.results && (!comparable || a.checksum == b.checksum);
}

std::string disagreement(const ProfileCell& a, const ProfileCell& b) {
  return fmt::format(
      "slide {}, {} keys: {} has {} results with checksum {:#018x}, but {} has {} with {:#018x}",
      format_duration(a.slide), a.keys, to_string(a.strategy), a.figures->results,
      a.figures->checksum, to_string(b.strategy), b.figures->results, b.figures->checksum);
}

std::string job_disagreement(const ProfileCell& cell) {
  return fmt::format(
      "slide {}, {} keys, {}: the whole job has {} results with checksum {:#018x}, but the stage "
      "alone {} with {:#018x}",
      format_duration(cell.slide), cell.keys, to_string(cell.strategy), cell.job->results,
      cell.job->checksum, cell.figures->results, cell.figures->checksum);
}

bool same_place(const ProfileCell& a, const ProfileCell& b) {
  return a.slide == b.slide && a.keys == b.keys;
}

// With several sources, which rows come first is a matter of pace; some aggregates tell.
bool jobs_are_order_free(const ProfileOptions& options) {
  if (options.cores == 0) return true;
  BenchOptions job;
  job.aggregates = options.aggregates;
  job.stream = options.stream;
  job.delay = options.stream.disorder;
  return is_order_free(job);
}

}  // namespace

std::vector<AggregateSpec> profile_aggregates() {
  return {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
          {AggregateFunction::kSum, 0, "sum(amount)"}};
}

std::uint64_t default_event_rate(std::int64_t size, std::uint64_t rows) {
  const double seconds = 2.2 * as_double(size) / 1000;
  return static_cast<std::uint64_t>(std::max(1.0, as_double(rows) / seconds));
}

WindowQuery profile_query(const ProfileOptions& options, std::int64_t slide, Strategy strategy) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  const std::chrono::milliseconds size(options.size);
  query.windows = {slide == options.size ? tumbling(size)
                                         : sliding(size, std::chrono::milliseconds(slide))};
  query.aggregates = options.aggregates;
  query.strategy = strategy;
  query.delay = options.stream.disorder;
  return query;
}

Expected<void> validate(const ProfileOptions& options) {
  if (options.slides.empty()) return make_error("at least one slide is needed");
  if (options.keys.empty()) return make_error("at least one number of keys is needed");
  if (options.strategies.empty()) return make_error("at least one strategy is needed");
  if (options.repeats == 0) return make_error("at least 1 repeat is needed, not 0");
  if (options.stream.rows == 0) return make_error("rows must be at least 1, not 0");
  for (const AggregateSpec& aggregate : options.aggregates) {
    if (has_list_result(aggregate.function)) {
      return make_error("results are checked as numbers, and " + aggregate.name + " is a list");
    }
  }
  for (const std::int64_t slide : options.slides) {
    // Buckets can do whatever windows and aggregates are right.
    const auto valid = validate(profile_query(options, slide, Strategy::kBuckets));
    if (!valid) return valid;
  }
  for (const std::uint64_t keys : options.keys) {
    if (auto valid = validate(stream_of(options, keys)); !valid) return valid;
  }
  return {};
}

StateProfile run_profile(const ProfileOptions& options) {
  StateProfile profile;
  profile.options = options;
  const std::size_t all = options.slides.size() * options.keys.size() * options.strategies.size();
  for (const std::int64_t slide : options.slides) {
    for (const std::uint64_t keys : options.keys) {
      const BenchStream stream(stream_of(options, keys));
      for (const Strategy strategy : options.strategies) {
        if (options.on_cell) {
          options.on_cell(profile.cells.size(), all,
                          fmt::format("slide {}, {} keys, {}", format_duration(slide), keys,
                                      to_string(strategy)));
        }
        ProfileCell& cell = profile.cells.emplace_back();
        cell.slide = slide;
        cell.keys = keys;
        cell.strategy = strategy;
        cell.rows_per_slide = as_double(options.stream.event_rate) * as_double(slide) / 1000;
        if (!run_cell(options, stream, cell)) {
          profile.cancelled = true;
          return profile;
        }
      }
    }
  }
  profile.savings = pane_savings(profile.cells);
  const WindowQuery query = profile_query(options, options.slides.front(), Strategy::kBuckets);
  profile.checks =
      check_cells(profile.cells, merges_in_any_grouping(query) && jobs_are_order_free(options));
  return profile;
}

ProfileChecks check_cells(const std::vector<ProfileCell>& cells, bool comparable) {
  ProfileChecks checks;
  checks.comparable = comparable;
  const ProfileCell* first = nullptr;  // of the cells of one place
  for (const ProfileCell& cell : cells) {
    if (first != nullptr && !same_place(*first, cell)) first = nullptr;
    if (!cell.figures) continue;
    checks.rows_add_up &= cell.figures->rows_add_up;
    checks.no_overflow &= cell.figures->no_overflow;
    if (cell.job && !same_results(*cell.figures, *cell.job, comparable)) {
      checks.disagreeing.push_back(job_disagreement(cell));
    }
    if (first == nullptr) {
      first = &cell;
    } else if (!same_results(*first->figures, *cell.figures, comparable)) {
      checks.disagreeing.push_back(disagreement(*first, cell));
    }
  }
  return checks;
}

std::optional<double> prediction_error(double measured, double expected) {
  if (expected != 0) return (measured - expected) / expected;
  if (measured == 0) return 0.0;
  return std::nullopt;
}

std::vector<PaneSaving> pane_savings(const std::vector<ProfileCell>& cells) {
  std::vector<PaneSaving> savings;
  for (const ProfileCell& cell : cells) {
    if (!cell.figures || cell.figures->ran == Strategy::kBuckets) continue;
    const auto buckets = std::find_if(cells.begin(), cells.end(), [&](const ProfileCell& other) {
      return other.figures && other.strategy == Strategy::kBuckets && same_place(cell, other);
    });
    if (buckets == cells.end()) continue;
    savings.push_back(
        {cell.slide, cell.keys, cell.strategy, cell.rows_per_key_and_slide(),
         ratio(buckets->figures->work_per_row, cell.figures->work_per_row),
         ratio(as_double(buckets->figures->live_entries), as_double(cell.figures->live_entries)),
         ratio(as_double(buckets->figures->allocated_bytes),
               as_double(cell.figures->allocated_bytes))});
  }
  return savings;
}

}  // namespace tidemark
