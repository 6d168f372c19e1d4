#include "tidemark/perf/bench_suite.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tidemark/perf/run_counters.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

namespace {

struct StreamSize {
  std::uint64_t rows;
  std::uint64_t keys;
  std::uint64_t event_rate;
};

SuiteJob suite_job(std::string name, std::string what, const WindowSpec& window, StreamSize size,
                   Strategy strategy = Strategy::kAuto) {
  SuiteJob job{std::move(name), std::move(what), {}};
  job.options.window = window;
  job.options.aggregates = headline_aggregates();
  job.options.strategy = strategy;
  job.options.stream.rows = size.rows;
  job.options.stream.keys = size.keys;
  job.options.stream.event_rate = size.event_rate;
  job.options.measures_latency = false;
  return job;
}

// 100 s of event time in windows of 1 min every 1 s.
SuiteJob sliding_job(const char* name, Strategy strategy) {
  SuiteJob job = suite_job(name, "windows that share slices",
                           sliding(std::chrono::seconds(60), std::chrono::seconds(1)),
                           {100'000, 200, 1'000}, strategy);
  // A maximum cannot be taken back.
  if (strategy == Strategy::kSubtract) job.options.aggregates.pop_back();
  return job;
}

SuiteJob with_disorder(SuiteJob job, std::chrono::milliseconds disorder,
                       std::chrono::milliseconds delay, std::chrono::milliseconds lateness) {
  job.options.stream.disorder = disorder.count();
  job.options.delay = delay.count();
  job.options.lateness = lateness.count();
  return job;
}

SuiteJob with_skew(SuiteJob job, Skew skew) {
  job.options.stream.skew = skew;
  return job;
}

bool is_as_expected(const ThroughputRun& run, const PlainResults& expected, std::uint64_t rows) {
  const RunReport& report = run.report;
  return run.checksum == expected.checksum && report.results == expected.results &&
         report.rows_read == rows && report.rows_on_time == expected.rows_on_time &&
         report.rows_late == expected.rows_late &&
         report.rows_in_no_window == expected.rows_in_no_window && report.rows_bad == 0 &&
         report.overflows.count == 0;
}

SuiteEntry run_entry(const SuiteJob& job, const PlainResults& expected,
                     const SuiteOptions& options) {
  SuiteEntry entry{job, expected, {}, {}, {}};
  // Warms up caches and memory; its figures are those of the others, but for time.
  run_suite_job(job, options.cancellation);
  for (std::size_t i = 0; i < options.repeats; ++i) {
    entry.repeats.push_back(run_suite_job(job, options.cancellation));
  }
  BenchOptions parallel = job.options;
  parallel.cores = 2;
  parallel.cancellation = options.cancellation;
  entry.parallel.push_back(run_throughput(parallel, 2, 1, Batch::kDefaultCapacity));
  if (is_order_free(parallel)) {
    entry.parallel.push_back(run_throughput(parallel, 2, 2, Batch::kDefaultCapacity));
  }
  return entry;
}

}  // namespace

std::vector<SuiteJob> ci_suite() {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const WindowSpec ten_seconds = tumbling(seconds(10));
  return {
      suite_job("tumbling", "one state per row and window", ten_seconds,
                {1'000'000, 1'000, 10'000}),
      suite_job("many-keys", "more keys than caches hold", ten_seconds, {300'000, 100'000, 10'000}),
      with_skew(suite_job("skewed-keys", "a few keys with most rows", ten_seconds,
                          {300'000, 10'000, 10'000}),
                {SkewKind::kZipf, 1.1}),
      sliding_job("sliding-buckets", Strategy::kBuckets),
      sliding_job("sliding-recompute", Strategy::kRecompute),
      sliding_job("sliding-subtract", Strategy::kSubtract),
      sliding_job("sliding-two-stacks", Strategy::kTwoStacks),
      sliding_job("sliding-worst-case", Strategy::kWorstCase),
      sliding_job("sliding-base-intervals", Strategy::kBaseIntervals),
      suite_job("many-windows", "3,600 windows hold each row", sliding(hours(1), seconds(1)),
                {20'000, 20, 10}),
      suite_job("cumulate", "windows that grow by a step", cumulate(seconds(60), seconds(5)),
                {200'000, 1'000, 2'000}),
      with_disorder(suite_job("sessions", "windows of each key's own rows", session(seconds(2)),
                              {200'000, 1'000, 500}),
                    milliseconds(0), milliseconds(1), milliseconds(0)),
      with_disorder(suite_job("disorder", "rows out of order that are not late",
                              sliding(seconds(30), seconds(5)), {200'000, 500, 2'000}),
                    seconds(2), seconds(2), seconds(0)),
      with_disorder(suite_job("lateness", "late rows that fire windows again, and some too late",
                              ten_seconds, {200'000, 1'000, 5'000}),
                    seconds(4), seconds(1), seconds(2)),
  };
}

bool SuiteEntry::results_right() const {
  const auto is_right = [this](const ThroughputRun& run) {
    return is_as_expected(run, expected, job.options.stream.rows);
  };
  return std::all_of(repeats.begin(), repeats.end(), is_right) &&
         std::all_of(parallel.begin(), parallel.end(), is_right);
}

bool SuiteEntry::counters_agree() const {
  const auto first = run_counters(repeats.front());
  return std::all_of(repeats.begin(), repeats.end(),
                     [&](const ThroughputRun& run) { return run_counters(run) == first; });
}

bool SuiteResult::right() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const SuiteEntry& entry) { return entry.right(); });
}

ThroughputRun run_suite_job(const SuiteJob& job, const Cancellation* cancellation) {
  BenchOptions options = job.options;
  options.cores = 1;
  options.cancellation = cancellation;
  return run_throughput(options, 1, 1, Batch::kDefaultCapacity);
}

Expected<SuiteResult> run_suite(const std::string& name, const std::vector<SuiteJob>& jobs,
                                const SuiteOptions& options) {
  SuiteResult result;
  result.name = name;
  result.instructions_by = "not counted without --instructions";
  for (const SuiteJob& job : jobs) {
    if (options.on_job) options.on_job(result.entries.size(), jobs.size(), job.name);
    const Expected<PlainResults> expected = compute_plainly(job.options);
    if (!expected) return tl::unexpected(expected.error());
    SuiteEntry entry = run_entry(job, *expected, options);
    result.cancelled = options.cancellation != nullptr && options.cancellation->requested();
    if (result.cancelled) return result;
    result.entries.push_back(std::move(entry));
  }
  return result;
}

}  // namespace tidemark
