#include "tidemark/perf/cpu_time.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace tidemark {

double process_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::uint64_t process_involuntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

double cpu_share(const RunReport& report, double cpu_seconds) {
  Clock::duration busy{};
  for (const Scheduler::WorkerMetrics& worker : report.workers) busy += worker.busy;
  const double seconds = std::chrono::duration<double>(busy).count();
  return seconds > 0 ? std::min(1.0, cpu_seconds / seconds) : 1;
}

std::optional<CpuThrottling> throttled_between(const std::optional<CpuThrottling>& before,
                                               const std::optional<CpuThrottling>& after) {
  if (!before || !after) return std::nullopt;
  return CpuThrottling{after->times - before->times, after->time - before->time};
}

}  // namespace tidemark
