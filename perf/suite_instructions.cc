#include "tidemark/perf/suite_instructions.h"

#include <cstdint>
#include <string>

#include "tidemark/perf/hardware_instructions.h"

namespace tidemark {

namespace {

Expected<std::uint64_t> count_by_hardware(const SuiteJob& job, const Cancellation* cancellation) {
  const Expected<HardwareInstructions> counter = HardwareInstructions::begin();
  if (!counter) return tl::unexpected(counter.error());
  run_suite_job(job, cancellation);
  return counter->count();
}

}  // namespace

void count_suite_instructions(SuiteResult& result, const Cancellation* cancellation) {
  for (SuiteEntry& entry : result.entries) {
    if (cancellation != nullptr && cancellation->requested()) return;
    const Expected<std::uint64_t> count = count_by_hardware(entry.job, cancellation);
    if (!count) {
      result.instructions_by = count.error().message;
      for (SuiteEntry& other : result.entries) other.instructions.reset();
      return;
    }
    entry.instructions = *count;
  }
  result.instructions_by = "counted by the CPU, in user space";
}

}  // namespace tidemark
