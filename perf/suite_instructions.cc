#include "tidemark/perf/suite_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tidemark/perf/hardware_instructions.h"
#include "tidemark/perf/instruction_count.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark {

namespace {

using Counted = Expected<std::uint64_t>;

std::vector<Counted> count_by_hardware(const SuiteResult& result, const SuiteOptions& options) {
  std::vector<Counted> counts;
  for (const SuiteEntry& entry : result.entries) {
    if (options.on_job) options.on_job(counts.size(), result.entries.size(), entry.job.name);
    const Expected<HardwareInstructions> counter = HardwareInstructions::begin();
    if (!counter) return {tl::make_unexpected(counter.error())};
    run_suite_job(entry.job, options.cancellation);
    counts.push_back(counter->count());
  }
  return counts;
}

// As many jobs at a time as there are CPUs: each is a process with one worker, and what it executes
// does not depend on how fast it goes.
std::vector<Counted> count_by_valgrind(const SuiteResult& result, const SuiteOptions& options) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {make_error("this program cannot find itself: " + error.message())};
  std::vector<std::string> jobs{kNoSuiteJob};
  for (const SuiteEntry& entry : result.entries) jobs.push_back(entry.job.name);
  std::vector<std::optional<Counted>> counts(jobs.size());
  std::atomic<std::size_t> next{0};
  std::mutex telling;
  std::size_t begun = 0;  // under the lock
  const auto tell = [&](const std::string& job) {
    const std::scoped_lock lock(telling);
    if (options.on_job) options.on_job(begun, jobs.size(), job);
    ++begun;
  };
  const auto work = [&] {
    // Relaxed: the number alone matters, and join() hands over the counts.
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < counts.size();) {
      tell(jobs[i]);
      const Expected<InstructionCount> count =
          count_instructions(fmt::format("exec \"{}\" bench --suite {} --suite-job {}",
                                         program.string(), result.name, jobs[i]),
                             options.cancellation);
      counts[i] = count ? Counted(count->instructions) : tl::make_unexpected(count.error());
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cpu_allowance().workers; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  std::vector<Counted> all;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const Counted& start = *counts[0];
    const Counted& count = *counts[i];
    if (!start || !count) {
      all.push_back(start ? count : start);
    } else {
      all.push_back(*count - std::min(*start, *count));
    }
  }
  return all;
}

// Why not all are there; nothing if they are.
std::optional<std::string> failure_among(const std::vector<Counted>& counts) {
  for (const Counted& count : counts) {
    if (!count) return count.error().message;
  }
  return std::nullopt;
}

}  // namespace

void count_suite_instructions(SuiteResult& result, const SuiteOptions& options) {
  std::vector<Counted> counts = count_by_hardware(result, options);
  const std::optional<std::string> no_hardware = failure_among(counts);
  result.instructions_by = "counted by the CPU, in user space";
  if (no_hardware) {
    counts = count_by_valgrind(result, options);
    result.instructions_by = "counted by valgrind, less the program's start; " + *no_hardware;
    if (const auto no_valgrind = failure_among(counts)) {
      result.instructions_by = fmt::format("not counted: {}; {}", *no_hardware, *no_valgrind);
      return;
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) result.entries[i].instructions = *counts[i];
}

}  // namespace tidemark
