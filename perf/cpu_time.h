// The CPU time that this process has used, and how often it was taken off.
#pragma once

#include <cstdint>
#include <optional>

#include "tidemark/operators/run_report.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark {

// In seconds, of all threads, in user and kernel mode.
double process_cpu_seconds();

// How often the system has taken the CPU from one of its threads that could have run on.
std::uint64_t process_involuntary_switches();

// `cpu_seconds` of a run over the time for which its workers were not parked, at most 1. Well below
// 1 other processes, or a quota, kept the workers from running.
double cpu_share(const RunReport& report, double cpu_seconds);

// What a quota took between two readings; nothing where it is not counted.
std::optional<CpuThrottling> throttled_between(const std::optional<CpuThrottling>& before,
                                               const std::optional<CpuThrottling>& after);

}  // namespace tidemark
