#include "tidemark/perf/bench_text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/perf/state_figures.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

// Below this share of the CPU time that workers could use, figures tell more of other processes.
constexpr double kQuietShare = 0.9;

std::string cores_text(std::size_t cores) {
  return cores == 1 ? "1 core" : fmt::format("{} cores", cores);
}

std::string nanoseconds_text(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return fmt::format("{:.3g} ms", nanoseconds / 1e6);
  return fmt::format("{:.3g} s", nanoseconds / 1e9);
}

std::string nanoseconds_text(Clock::duration duration) {
  return nanoseconds_text(std::chrono::duration<double, std::nano>(duration).count());
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1024) return fmt::format("{} B", bytes);
  if (value < 1024 * 1024) return fmt::format("{:.1f} KiB", value / 1024);
  return fmt::format("{:.1f} MiB", value / 1024 / 1024);
}

// Writes the report's parts one after the other.
class BenchText {
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
    line("         {} used; by default {} ({})", cores_text(result_.options.cores),
         machine.default_cores, machine.default_reason);
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
  }

  void latency() {
    line("");
    if (!result_.latency) {
      line("latency  not measured: there is no schedule to measure against at --rate max");
      return;
    }
    const LatencyRun& run = *result_.latency;
    line("latency of {} results at {} rows/s for {} after {}",
         short_count(static_cast<double>(run.latencies.count())),
         short_count(static_cast<double>(run.offered_rate)),
         format_duration(result_.options.duration.count()),
         format_duration(result_.options.warmup.count()));
    percentiles(run.latencies);
    schedule(run);
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

  std::string take() const { return fmt::to_string(text_); }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_.push_back('\n');
  }

  void percentiles(const LatencyRecorder& latencies) {
    if (latencies.count() == 0) {
      line("  no data: no window was completed by a row after the warm-up; a longer --duration, a");
      line("  higher --rate or a shorter slide makes some fire");
      return;
    }
    constexpr std::array kPercents{50.0, 90.0, 99.0, 99.9, 99.99};
    std::string names;
    std::string values;
    for (const double percent : kPercents) {
      names += fmt::format(" {:>10}", fmt::format("p{}", percent));
      values += fmt::format(" {:>10}",
                            nanoseconds_text(static_cast<double>(*latencies.percentile(percent))));
    }
    line(" {} {:>10}", names, "max");
    line(" {} {:>10}", values, nanoseconds_text(static_cast<double>(*latencies.max())));
  }

  void schedule(const LatencyRun& run) {
    if (run.rate_reached()) {
      line("  the schedule was held: rows were sent at most {} after they were due",
           nanoseconds_text(run.lag.highest));
    } else {
      line(
          "  the offered rate was not reached: {} rows/s were sent, at the end {} after they were "
          "due",
          short_count(run.achieved_rate), nanoseconds_text(run.lag.last));
    }
    if (!run.window_filled) {
      line("  the window of {} was not full when recording began; the run had {} of event time",
           format_duration(result_.options.window.size), format_duration(run.event_time_ms));
    }
  }

  std::string checksum_verdict() const {
    const BenchChecks& checks = result_.checks;
    if (!checks.comparable) {
      return ", not compared: with less delay than disorder, results depend on which core is ahead";
    }
    if (checks.repeats_agree && checks.one_core_agrees) {
      return ", the same in every repeat and on one worker";
    }
    return checks.repeats_agree ? ", WRONG: another one on one worker" : ", WRONG: repeats differ";
  }

  const BenchResult& result_;
  fmt::memory_buffer text_;
};

}  // namespace

std::string bench_text(const BenchResult& result, const Machine& machine, const Build& build) {
  BenchText text(result);
  text.job();
  text.machine(machine, build);
  text.throughput();
  text.latency();
  text.state();
  text.checks();
  return text.take();
}

}  // namespace tidemark
