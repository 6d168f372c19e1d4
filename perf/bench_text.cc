#include "tidemark/perf/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/perf/cpu_time.h"
#include "tidemark/perf/figure_text.h"
#include "tidemark/perf/state_figures.h"
#include "tidemark/perf/text_lines.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

// Below this share of the CPU time that workers could use, figures tell more of other processes.
constexpr double kQuietShare = 0.9;
// Above this share of the run's CPU time, recording is worth a word.
constexpr double kMostRecording = 0.02;
constexpr std::array kPercents{50.0, 90.0, 99.0, 99.9, 99.99};

std::string cores_text(std::size_t cores) {
  return cores == 1 ? "1 core" : fmt::format("{} cores", cores);
}

std::string lag_text(Clock::duration duration) {
  return nanoseconds_text(std::chrono::duration<double, std::nano>(duration).count());
}

// Writes the report's parts one after the other.
class BenchText : public TextLines {
 public:
  explicit BenchText(const BenchResult& result) : result_(result) {}

  void job() {
    const BenchOptions& options = result_.options;
    std::string aggregates;
    for (const AggregateSpec& aggregate : options.aggregates) {
      aggregates += (aggregates.empty() ? "" : ", ") + aggregate.name;
    }
    line("job      {}; {}; {} keys, {}", to_string(options.window), aggregates, options.stream.keys,
         to_string(options.stream.skew));
    line("         {} rows a second of event time, disorder {}, delay {}, strategy {}",
         options.stream.event_rate, format_duration(options.stream.disorder),
         format_duration(options.delay), to_string(result_.median_run().report.strategies.front()));
  }

  void machine(const Machine& machine, const Build& build) {
    line("machine  {}; {}", machine.cpu_model, machine.system);
    line("         {} used: {}", cores_text(result_.options.cores), result_.options.cores_reason);
    line("build    {} {}, {}, {} {}, {}", build.version, build.commit, build.compiler,
         build.build_type, build.flags, build.allocator);
  }

  void throughput() {
    const ThroughputRun& run = result_.median_run();
    line("");
    line("throughput, rows/s     median        min        max");
    line("  {:<15} {:>12} {:>10} {:>10}   {} x {} rows, {:.2f} s each",
         cores_text(result_.options.cores), short_count(result_.median()),
         short_count(result_.lowest()), short_count(result_.highest()), result_.repeats.size(),
         short_count(static_cast<double>(run.report.rows_read)), run.report.wall_seconds);
    line("  {:<15} {:>12} {:>10} {:>10}   one pass", "1 worker",
         short_count(result_.one_core.rows_per_second()), "", "");
    if (run.cpu_share() < kQuietShare) {
      line("  the machine was busy: workers got {:.0f} % of the CPU time they were ready to use",
           100 * run.cpu_share());
    }
    std::optional<CpuThrottling> all;
    for (const ThroughputRun& repeat : result_.repeats) {
      if (!repeat.throttled) continue;
      if (!all) all.emplace();
      all->times += repeat.throttled->times;
      all->time += repeat.throttled->time;
    }
    throttling(all, "in these passes");
  }

  void latency() {
    line("");
    if (!result_.latency) {
      line("latency  not measured: there is no schedule to measure against at --rate max");
      return;
    }
    const LatencyRun& run = *result_.latency;
    line("latency of {} results at {} rows/s for {} after {}",
         short_count(static_cast<double>(run.latencies.event_time_to_result.count())),
         short_count(static_cast<double>(run.offered_rate)),
         format_duration(result_.options.duration.count()),
         format_duration(result_.options.warmup.count()));
    percentiles(run.latencies);
    schedule(run);
    line(
        "  the system took the CPU from workers {} times; they got {:.1f} % of the time they could "
        "use",
        run.involuntary_switches, 100 * cpu_share(run.report, run.cpu_seconds));
    throttling(run.throttled, "in this run");
    recording(run);
  }

  void rates() {
    if (!result_.rates) return;
    const RateSearchResult& rates = *result_.rates;
    std::vector<const RateStep*> steps;
    for (const RateStep& step : rates.steps) steps.push_back(&step);
    std::stable_sort(steps.begin(), steps.end(), [](const RateStep* a, const RateStep* b) {
      return a->run.offered_rate < b->run.offered_rate;
    });
    line("");
    line("event time to result by offered rate");
    line("  {:>10}{}{}{}{}  sustained", "rows/s", column("p50"), column("p99"), column("p99.9"),
         column("max"));
    for (const RateStep* step : steps) rate_line(*step);
    const std::string bound =
        nanoseconds_text(static_cast<double>(result_.options.latency_bound.count()));
    if (!rates.highest_sustained) {
      line("  no rate is sustained with p99 within {}; from {} to {} rows/s were tried", bound,
           short_count(static_cast<double>(steps.front()->run.offered_rate)),
           short_count(static_cast<double>(steps.back()->run.offered_rate)));
      if (steps.back()->run.offered_rate == rates.limits.highest && !steps.back()->overloaded) {
        line("  the highest is {} times the best throughput and was sent in time, so a higher one",
             kMostOfThroughput);
        line("  may be sustained: what waits for event time waits the shorter the faster it runs;");
        line("  more --rows may tell a higher throughput, and --event-rate shortens the wait too");
      }
      return;
    }
    line("  highest rate sustained with p99 within {}: {} rows/s", bound,
         short_count(static_cast<double>(*rates.highest_sustained)));
    if (rates.at_limit) {
      line(
          "  no higher rate was tried: it is {} times the best throughput, and more may be "
          "possible",
          kMostOfThroughput);
    }
  }

  void state() {
    const StateFigures state = state_figures(result_);
    line("");
    line("state");
    line("  {} keys, at most {} live entries, {} of state and 8 B of header each", state.keys,
         state.peak_live_entries, bytes_text(state.state_bytes_per_entry));
    line("  {:.1f} B allocated per live entry; {} in all, {} of it key tables",
         state.allocated_bytes_per_entry, bytes_text(state.peak_state_bytes),
         bytes_text(state.peak_key_table_bytes));
    line("  {:.4g} updates per row, {:.5g} merges per slide", state.updates_per_row,
         state.merges_per_slide);
  }

  void checks() {
    const BenchChecks& checks = result_.checks;
    const RunReport& report = result_.median_run().report;
    line("");
    line("check    {} rows in = {} on time + {} late + {} bad + {} in no window; {} results out",
         report.rows_read, report.rows_on_time, report.rows_late, report.rows_bad,
         report.rows_in_no_window, report.results);
    line("         checksum {:#018x}{}", result_.repeats.front().checksum, checksum_verdict());
    if (!checks.rows_add_up) line("         WRONG: rows do not add up");
    if (!checks.no_overflow) line("         WRONG: a sum did not fit its result");
  }

 private:
  void throttling(const std::optional<CpuThrottling>& throttled, const char* when) {
    if (!throttled || throttled->time.count() == 0) return;
    line("  the CPU quota of the cgroup stopped its threads for {} in all {}",
         lag_text(throttled->time), when);
  }

  void percentiles(const ResultLatencies& latencies) {
    if (latencies.event_time_to_result.count() == 0) {
      no_data();
      return;
    }
    std::string names;
    for (const double percent : kPercents) names += column(fmt::format("p{}", percent));
    line("  {:<21}{}{}", "", names, column("max"));
    percentile_line("event time to result", latencies.event_time_to_result);
    percentile_line("hand-over to result", latencies.hand_over_to_result);
    percentile_line("watermark to result", latencies.watermark_to_result);
  }

  // What would have made some window fire depends on what it fires by.
  void no_data() {
    const char* const what = "  no data: no window was completed by a row after the warm-up; ";
    switch (result_.options.window.kind) {
      case WindowKind::kGlobal:
        line("{}a global window", what);
        line("  fires at the end of the stream alone, so it has no latency");
        break;
      case WindowKind::kCount:
        line("{}a longer --duration, a", what);
        line("  higher --rate, fewer --keys or a smaller count makes some fire");
        break;
      case WindowKind::kSession:
        line("{}a longer --duration, a", what);
        line(
            "  higher --rate, a shorter gap or more --keys, with pauses between rows of one, makes "
            "some fire");
        break;
      default:
        line("{}a longer --duration, a", what);
        line("  higher --rate, a lower --event-rate or a shorter {} makes some fire",
             result_.options.window.kind == WindowKind::kTumbling   ? "size"
             : result_.options.window.kind == WindowKind::kCumulate ? "step"
                                                                    : "slide");
    }
  }

  void percentile_line(const char* name, const LatencyRecorder& latencies) {
    if (latencies.count() == 0) {
      line("  {:<21}{}", name, column("no data"));
      return;
    }
    std::string values;
    for (const double percent : kPercents) {
      values += column(nanoseconds_text(static_cast<double>(*latencies.percentile(percent))));
    }
    line("  {:<21}{}{}", name, values,
         column(nanoseconds_text(static_cast<double>(*latencies.max()))));
  }

  static std::string column(const std::string& text) { return fmt::format(" {:>9}", text); }

  void rate_line(const RateStep& step) {
    const LatencyRecorder& latencies = step.run.latencies.event_time_to_result;
    std::string values;
    for (const double percent : {50.0, 99.0, 99.9, 100.0}) {
      const auto value = latencies.percentile(percent);
      values += column(value ? nanoseconds_text(static_cast<double>(*value)) : "no data");
    }
    line("  {:>10}{}  {}", short_count(static_cast<double>(step.run.offered_rate)), values,
         step.sustained ? "yes" : "no: " + step.reason);
  }

  void recording(const LatencyRun& run) {
    line("  recording took {} per result, {:.2g} % of the CPU time of the run",
         nanoseconds_text(run.nanoseconds_per_record()), 100 * run.recording_share());
    if (run.recording_share() > kMostRecording) {
      line("  that is more than {:g} %: latencies tell of the recording too", 100 * kMostRecording);
    }
  }

  void schedule(const LatencyRun& run) {
    const double share = 100 * run.achieved_rate / static_cast<double>(run.offered_rate);
    if (run.cut_off_after) {
      line("  the run was cut off after {}: {} of its {} rows had been sent, {:.3g} % of the rate;",
           format_duration(run.cut_off_after->count()),
           short_count(static_cast<double>(run.rows_sent)),
           short_count(static_cast<double>(run.rows)), share);
      line("  the next was due {} before; what latencies there are tell nothing of this rate",
           lag_text(run.lag.last()));
    } else if (run.rate_reached()) {
      line(
          "  the schedule was held within 1 %: {:.2f} % of the rate, rows at most {} after they "
          "were due",
          share, lag_text(run.lag.highest()));
    } else {
      line(
          "  the schedule was not held: the offered rate was not reached, {} rows/s ({:.1f} %) "
          "were sent,",
          short_count(run.achieved_rate), share);
      line("  at the end {} after they were due; latencies grow for as long as such a run lasts",
           lag_text(run.lag.last()));
    }
    if (!run.window_filled) {
      line("  the window of {} was not full when recording began; the run had {} of event time",
           format_duration(result_.options.window.size), format_duration(run.event_time_ms));
    }
  }

  std::string checksum_verdict() const {
    const BenchChecks& checks = result_.checks;
    if (!checks.comparable) {
      return ", not compared: results of this job depend on which of the partitions is ahead";
    }
    if (checks.repeats_agree && checks.one_core_agrees) {
      return ", the same in every repeat and on one worker";
    }
    return checks.repeats_agree ? ", WRONG: another one on one worker" : ", WRONG: repeats differ";
  }

  const BenchResult& result_;
};

}  // namespace

std::string bench_text(const BenchResult& result, const Machine& machine, const Build& build) {
  BenchText text(result);
  text.job();
  text.machine(machine, build);
  text.throughput();
  text.latency();
  text.rates();
  text.state();
  text.checks();
  return text.take();
}

}  // namespace tidemark
