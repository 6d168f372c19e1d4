// Whatever number the text of a measurement has follows from its JSON.
#include "tidemark/perf/bench_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/perf/bench_json.h"
#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/bench_suite.h"
#include "tidemark/perf/figure_text.h"
#include "tidemark/perf/suite_report.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const Machine kMachine{"a CPU", "a system", 2, {}, 2, "2 CPUs"};
const Build kBuild{"1", "abc", "g++", "Release", "-O3", "mimalloc"};

// Columns are for people, and their width is not the point.
std::string without_columns(const std::string& text) {
  return std::regex_replace(text, std::regex(" +"), " ");
}

double as_number(const json& figure) { return figure.get<double>(); }
std::string short_text(const json& figure) { return short_count(as_number(figure)); }
std::string time_text(const json& ns) {
  return ns.is_null() ? "no data" : nanoseconds_text(as_number(ns));
}
std::string size_text(const json& bytes) { return bytes_text(bytes.get<std::uint64_t>()); }
std::string duration_text(const json& ms) { return format_duration(ms.get<std::int64_t>()); }
std::string plain_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The middle pass by rows per second, the lower one of two.
const json& median_pass(const json& report) {
  static json pass;
  std::vector<json> passes = report["throughput"]["repeats"];
  std::sort(passes.begin(), passes.end(), [](const json& a, const json& b) {
    return as_number(a["rows_per_second"]) < as_number(b["rows_per_second"]);
  });
  pass = passes[(passes.size() - 1) / 2];
  return pass;
}

std::vector<std::string> job_lines(const json& report) {
  const json& options = report["options"];
  return {
      fmt::format("job {}; {}; {} keys, {}", plain_text(options["window"]),
                  fmt::join(options["aggregates"].get<std::vector<std::string>>(), ", "),
                  plain_text(options["keys"]), plain_text(options["skew"])),
      fmt::format(" {} rows a second of event time, disorder {}, delay {}, strategy {}",
                  plain_text(options["event_rate"]), duration_text(options["disorder_ms"]),
                  duration_text(options["delay_ms"]), plain_text(report["throughput"]["strategy"])),
      fmt::format("machine {}; {}", plain_text(report["machine"]["cpu_model"]),
                  plain_text(report["machine"]["system"])),
      fmt::format(" {} cores used: {}", plain_text(options["cores"]),
                  plain_text(options["cores_reason"])),
  };
}

std::vector<std::string> throughput_lines(const json& report) {
  const json& pass = median_pass(report);
  std::vector<double> rates;
  for (const json& repeat : report["throughput"]["repeats"]) {
    rates.push_back(as_number(repeat["rows_read"]) / as_number(repeat["wall_seconds"]));
  }
  std::sort(rates.begin(), rates.end());
  const double median = rates.size() % 2 == 1
                            ? rates[rates.size() / 2]
                            : (rates[rates.size() / 2 - 1] + rates[rates.size() / 2]) / 2;
  std::vector<std::string> lines{
      fmt::format(" {} cores {} {} {} {} x {} rows, {:.2f} s each",
                  plain_text(report["options"]["cores"]), short_count(median),
                  short_count(rates.front()), short_count(rates.back()),
                  plain_text(report["options"]["repeats"]), short_text(pass["rows_read"]),
                  as_number(pass["wall_seconds"])),
      fmt::format(" 1 worker {} one pass",
                  short_text(report["throughput"]["one_core"]["rows_per_second"]))};
  if (as_number(pass["cpu_share"]) < 0.9) {
    lines.push_back(
        fmt::format(" the machine was busy: workers got {:.0f} % of the CPU time they were ready "
                    "to use",
                    100 * as_number(pass["cpu_share"])));
  }
  return lines;
}

// Summed over passes, of which some may not tell; empty without a stop.
std::vector<std::string> throttled_lines(const std::vector<json>& passes, const char* when) {
  double sum = 0;
  for (const json& pass : passes) {
    if (!pass["throttled_ns"].is_null()) sum += as_number(pass["throttled_ns"]);
  }
  if (sum == 0) return {};
  return {fmt::format(" the CPU quota of the cgroup stopped its threads for {} in all {}",
                      nanoseconds_text(sum), when)};
}

std::string latency_line(const json& latency, const char* field, const char* name) {
  const json& figures = latency[field];
  return fmt::format(" {} {} {} {} {} {} {}", name, time_text(figures["p50"]),
                     time_text(figures["p90"]), time_text(figures["p99"]),
                     time_text(figures["p99.9"]), time_text(figures["p99.99"]),
                     time_text(figures["max"]));
}

std::vector<std::string> latency_lines(const json& report) {
  const json& latency = report["latency"];
  const double share =
      100 * as_number(latency["achieved_rate"]) / as_number(latency["offered_rate"]);
  std::vector<std::string> lines{
      fmt::format("latency of {} results at {} rows/s for {} after {}",
                  short_text(latency["event_time_to_result"]["count"]),
                  short_text(latency["offered_rate"]),
                  duration_text(report["options"]["duration_ms"]),
                  duration_text(report["options"]["warmup_ms"])),
      latency_line(latency, "event_time_to_result", "event time to result"),
      latency_line(latency, "hand_over_to_result", "hand-over to result"),
      latency_line(latency, "watermark_to_result", "watermark to result"),
      fmt::format(" the system took the CPU from workers {} times; they got {:.1f} % of the time "
                  "they could use",
                  plain_text(latency["involuntary_switches"]),
                  100 * as_number(latency["cpu_share"])),
      fmt::format(" recording took {} per result, {:.2g} % of the CPU time of the run",
                  time_text(report["recorder"]["ns_per_record"]),
                  100 * as_number(report["recorder"]["share_of_run"]))};
  if (!latency["cut_off_after_ms"].is_null()) {
    lines.push_back(fmt::format(
        " the run was cut off after {}: {} of its {} rows had been sent, {:.3g} % of the rate;",
        duration_text(latency["cut_off_after_ms"]), short_text(latency["rows_read"]),
        short_text(latency["rows_scheduled"]), share));
    lines.push_back(
        fmt::format(" the next was due {} before; what", time_text(latency["last_lag_ns"])));
  } else if (latency["rate_reached"] == true) {
    lines.push_back(fmt::format(" {:.2f} % of the rate, rows at most {} after they were due", share,
                                time_text(latency["max_lag_ns"])));
  } else {
    lines.push_back(fmt::format(" was not reached, {} rows/s ({:.1f} %) were sent,",
                                short_text(latency["achieved_rate"]), share));
    lines.push_back(fmt::format(" at the end {} after", time_text(latency["last_lag_ns"])));
  }
  if (latency["window_filled"] == false) {
    lines.push_back(
        fmt::format("the run had {} of event time", duration_text(latency["event_time_ms"])));
  }
  return lines;
}

std::vector<std::string> rate_lines(const json& report) {
  std::vector<std::string> lines;
  for (const json& step : report["rates"]["steps"]) {
    const json& latency = step["latency"];
    lines.push_back(fmt::format(
        " {} {} {} {} {} {}", short_text(step["offered_rate"]), time_text(latency["p50"]),
        time_text(latency["p99"]), time_text(latency["p99.9"]), time_text(latency["max"]),
        step["sustained"] == true ? "yes" : "no: " + plain_text(step["reason"])));
  }
  lines.push_back(fmt::format(" highest rate sustained with p99 within {}: {} rows/s",
                              time_text(report["options"]["latency_bound_ns"]),
                              short_text(report["rates"]["highest_sustained"])));
  return lines;
}

// State figures by their definition, from the passes that they come from.
std::vector<std::string> state_lines(const json& report) {
  const json& state = report["state"];
  const json& pass = median_pass(report);
  return {fmt::format(" {} keys, at most {} live entries, {} of state and 8 B of header each",
                      plain_text(state["keys"]), plain_text(state["peak_live_entries"]),
                      size_text(state["state_bytes_per_entry"])),
          fmt::format(
              " {:.1f} B allocated per live entry; {} in all, {} of it key tables",
              (as_number(state["peak_state_bytes"]) - as_number(state["peak_key_table_bytes"])) /
                  as_number(state["peak_live_entries"]),
              size_text(state["peak_state_bytes"]), size_text(state["peak_key_table_bytes"])),
          fmt::format(" {:.4g} updates per row, {:.5g} merges per slide",
                      as_number(pass["updates"]) / as_number(pass["rows_on_time"]),
                      as_number(pass["merges"]) /
                          as_number(report["throughput"]["one_core"]["windows_fired"]))};
}

std::vector<std::string> check_lines(const json& report) {
  const json& pass = median_pass(report);
  return {fmt::format(
              "check {} rows in = {} on time + {} late + {} bad + {} in no window; {} results out",
              plain_text(pass["rows_read"]), plain_text(pass["rows_on_time"]),
              plain_text(pass["rows_late"]), plain_text(pass["rows_bad"]),
              plain_text(pass["rows_in_no_window"]), plain_text(pass["results"])),
          fmt::format(" checksum {}", plain_text(report["checks"]["checksum"]))};
}

void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) EXPECT_THAT(text, HasSubstr(line));
}

// Two workers, three passes, a run at a rate and a search, of which one rate is not sustained.
const BenchResult& measured() {
  static const BenchResult result = [] {
    BenchOptions options;
    options.window = sliding(seconds(20), seconds(1));
    options.aggregates = headline_aggregates();
    options.stream.rows = 60'000;
    options.stream.event_rate = 2'000;
    options.stream.keys = 37;
    options.cores = 2;
    options.cores_reason = "two";
    options.repeats = 3;
    options.warmup = milliseconds(20);
    options.duration = milliseconds(80);
    options.rate = 200'000;
    BenchResult bench = run_bench(options);
    RateSearchResult rates;
    for (const bool sustained : {true, false}) {
      RateStep step;
      step.run = *bench.latency;
      step.run.offered_rate = sustained ? 200'000 : 400'000;
      step.sustained = sustained;
      if (!sustained) step.reason = "p99 is above 10 ms";
      rates.steps.push_back(step);
    }
    rates.highest_sustained = 200'000;
    rates.limits.highest = 400'000;
    bench.rates = rates;
    return bench;
  }();
  return result;
}

void expect_text_of_json(const BenchResult& result) {
  const json report = json::parse(bench_json(result, kMachine, kBuild));
  const std::string text = without_columns(bench_text(result, kMachine, kBuild));
  expect_lines(text, job_lines(report));
  expect_lines(text, throughput_lines(report));
  expect_lines(text, latency_lines(report));
  expect_lines(text, rate_lines(report));
  expect_lines(text, throttled_lines(report["throughput"]["repeats"], "in these passes"));
  expect_lines(text, throttled_lines({report["latency"]}, "in this run"));
  expect_lines(text, state_lines(report));
  expect_lines(text, check_lines(report));
}

TEST(BenchTextTest, EveryNumberFollowsFromTheJson) { expect_text_of_json(measured()); }

TEST(BenchTextTest, SoDoThoseOfARunThatDidNotReachItsRateOrWasCutOffOnABusyMachine) {
  BenchResult result = measured();
  for (ThroughputRun& repeat : result.repeats) repeat.cpu_seconds /= 100;
  result.latency->achieved_rate = 123'456;
  expect_text_of_json(result);
  result.latency->rows = 12'345'678;
  result.latency->cut_off_after = milliseconds(5'100);
  result.latency->lag.cut_off(milliseconds(4'321));
  expect_text_of_json(result);
}

TEST(BenchTextTest, WhatAQuotaTookIsTold) {
  BenchResult result = measured();
  for (ThroughputRun& repeat : result.repeats) repeat.throttled.reset();
  result.latency->throttled.reset();
  EXPECT_THAT(bench_text(result, kMachine, kBuild), testing::Not(HasSubstr("CPU quota")));
  const json report = json::parse(bench_json(result, kMachine, kBuild));
  EXPECT_TRUE(report["latency"]["throttled_ns"].is_null());
  result.repeats[0].throttled = CpuThrottling{2, milliseconds(30)};
  result.repeats[2].throttled = CpuThrottling{1, milliseconds(12)};
  result.latency->throttled = CpuThrottling{1, milliseconds(7)};
  EXPECT_THAT(bench_text(result, kMachine, kBuild),
              testing::AllOf(HasSubstr("stopped its threads for 42 ms in all in these passes"),
                             HasSubstr("stopped its threads for 7 ms in all in this run")));
  expect_text_of_json(result);
}

TEST(BenchTextTest, StateFiguresInTheJsonFollowFromItsPasses) {
  const json report = json::parse(bench_json(measured(), kMachine, kBuild));
  const json& pass = median_pass(report);
  EXPECT_DOUBLE_EQ(as_number(report["state"]["updates_per_row"]),
                   as_number(pass["updates"]) / as_number(pass["rows_on_time"]));
  EXPECT_DOUBLE_EQ(
      as_number(report["state"]["merges_per_slide"]),
      as_number(pass["merges"]) / as_number(report["throughput"]["one_core"]["windows_fired"]));
  EXPECT_GT(as_number(pass["merges"]), 0);
}

struct NoData {
  WindowSpec window;
  const char* advice;
};

TEST(BenchTextTest, WhereNoWindowWasCompletedTheAdviceIsForItsKind) {
  for (const NoData& none :
       {NoData{tumbling(seconds(1)), "a shorter size makes"},
        NoData{sliding(seconds(2), seconds(1)), "a shorter slide makes"},
        NoData{cumulate(seconds(2), seconds(1)), "a shorter step makes"},
        NoData{session(seconds(1)), "a shorter gap"}, NoData{count_window(5), "a smaller count"},
        NoData{global_window(), "fires at the end of the stream alone"}}) {
    BenchResult result = measured();
    result.latency->latencies = ResultLatencies();
    result.options.window = none.window;
    const std::string text = bench_text(result, kMachine, kBuild);
    EXPECT_THAT(text, HasSubstr("no data: no window was completed"));
    EXPECT_THAT(text, HasSubstr(none.advice));
    const bool slides = none.window.kind == WindowKind::kSliding;
    EXPECT_EQ(text.find("slide makes") != std::string::npos, slides) << none.advice;
  }
}

TEST(SuiteTextTest, AQuotaOfTheMachineIsNamed) {
  Machine machine = kMachine;
  EXPECT_THAT(suite_text({}, machine, kBuild), HasSubstr("machine  a CPU; a system\n"));
  machine.cgroup_quota = 1.5;
  machine.default_reason = workers_reason(2, 1.5);
  EXPECT_THAT(suite_text({}, machine, kBuild),
              HasSubstr("a system; a cgroup quota of 1.5 CPUs, 2 CPUs in the affinity mask\n"));
}

TEST(SuiteTextTest, OneJobAndOnePassAreNamedInTheSingular) {
  std::vector<SuiteJob> jobs{ci_suite().front()};
  jobs[0].options.stream.rows = 100;
  SuiteOptions options;
  options.repeats = 1;
  EXPECT_THAT(suite_text(*run_suite("ci", jobs, options), kMachine, kBuild),
              HasSubstr("ci: 1 job, 1 pass each"));
}

TEST(SuiteTextTest, EveryNumberFollowsFromTheJson) {
  std::vector<SuiteJob> jobs = ci_suite();
  jobs.resize(6);
  for (SuiteJob& job : jobs) job.options.stream.rows = 3'000;
  SuiteOptions options;
  options.repeats = 3;
  SuiteResult result = *run_suite("ci", jobs, options);
  result.entries.front().instructions = 1'234'567;
  for (const std::size_t repeats : {3U, 2U}) {
    for (SuiteEntry& entry : result.entries) entry.repeats.resize(repeats);
    const json report = json::parse(suite_json(result, kMachine, kBuild));
    const std::string text = without_columns(suite_text(result, kMachine, kBuild));
    expect_lines(text, {fmt::format("suite ci: {} jobs, {} passes each", report["suite"].size(),
                                    report["suite"][0]["throughput"]["rows_per_second"].size())});
    for (const json& job : report["suite"]) {
      std::vector<double> rates = job["throughput"]["rows_per_second"];
      std::sort(rates.begin(), rates.end());
      const double median = repeats == 3 ? rates[1] : (rates[0] + rates[1]) / 2;
      const json& counters = job["counters"];
      const std::string instructions =
          job["instructions"].is_null()
              ? "-"
              : fmt::format("{:.1f}",
                            as_number(job["instructions"]) / as_number(job["options"]["rows"]));
      expect_lines(
          text, {fmt::format(" {} {} {} {} {} {:.4g} {:.4g} {} {}\n", plain_text(job["name"]),
                             short_count(median), short_count(rates.front()),
                             short_count(rates.back()), plain_text(counters["results"]),
                             as_number(counters["updates"]) / as_number(counters["rows_on_time"]),
                             as_number(counters["merges"]) / as_number(counters["windows_fired"]),
                             plain_text(counters["peak_live_entries"]), instructions)});
    }
  }
}

}  // namespace
}  // namespace tidemark
