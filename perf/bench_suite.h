// A fixed set of small jobs whose counters tell what the engine does, for gates in CI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/perf/bench_options.h"
#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/plain_windows.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

struct SuiteJob {
  std::string name;
  std::string what;  // for people: what it stands for
  BenchOptions options;
};

// The jobs of the suite `ci`. Their names, options and order change only with the baseline.
std::vector<SuiteJob> ci_suite();

struct SuiteOptions {
  std::size_t repeats = 5;  // of each job, at least 1
  const Cancellation* cancellation = nullptr;
  // Called before each job, by one thread at a time, for those who wait; may be empty.
  std::function<void(std::size_t done, std::size_t all, const std::string& next)> on_job{};
};

struct SuiteEntry {
  SuiteJob job;
  PlainResults expected;
  // Of one worker and one partition.
  std::vector<ThroughputRun> repeats;
  // Of two workers: with one partition, and, where results do not depend on which of several is
  // ahead, with two.
  std::vector<ThroughputRun> parallel;
  // In user space, of one pass with one worker; nothing if they were not counted.
  std::optional<std::uint64_t> instructions;

  bool results_right() const;   // of every pass, as expected
  bool counters_agree() const;  // between repeats
  bool right() const { return results_right() && counters_agree(); }
};

struct SuiteResult {
  std::string name;
  std::vector<SuiteEntry> entries;
  std::string instructions_by;  // what counted them, or why nothing did; for people
  bool cancelled = false;       // what is here is not complete

  bool right() const;
};

// One pass of `job` with one worker and one partition, as every repeat is.
ThroughputRun run_suite_job(const SuiteJob& job, const Cancellation* cancellation);

// Runs all `jobs`, one after the other, and computes for each what is right. Refuses jobs that
// compute_plainly does not know.
Expected<SuiteResult> run_suite(const std::string& name, const std::vector<SuiteJob>& jobs,
                                const SuiteOptions& options);

}  // namespace tidemark
