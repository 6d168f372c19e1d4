// How many cores this process may use, and which.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark {

struct CpuAllowance {
  // CPUs of the affinity mask, ascending.
  std::vector<int> cpus;
  // Cores' worth of CPU time that the cgroup grants (v1 or v2), if it sets a limit.
  std::optional<double> quota;
  // Default number of workers: the mask's CPUs, at most the quota rounded up, at least 1.
  std::size_t workers = 1;
  // For people: see workers_reason().
  std::string reason;
};

// Reads the affinity mask and the cgroup files of this process.
CpuAllowance cpu_allowance();

// The tightest CPU limit of this process's cgroup and its ancestors, in cores' worth of CPU time;
// nullopt when none is set or known. Reads proc/self and the cgroup mounts below `root`.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

// The rule by itself: `mask_cpus` CPUs and an optional quota.
std::size_t default_workers(std::size_t mask_cpus, std::optional<double> quota);

// What decides the number, for people, such as "2 CPUs in the affinity mask"; a quota below the
// mask is always named, also where rounding it up gives all CPUs.
std::string workers_reason(std::size_t mask_cpus, std::optional<double> quota,
                           std::string_view where = "in the affinity mask");

// How often, and for how long in all, a cgroup's quota kept this process's threads from running.
struct CpuThrottling {
  std::uint64_t times = 0;
  std::chrono::nanoseconds time{};
};

// Since the cgroup was made, of this process's cgroup and its ancestors together; other processes
// of theirs count too. nullopt where the kernel does not count it. Reads as cgroup_cpu_quota().
std::optional<CpuThrottling> cgroup_cpu_throttling(const std::filesystem::path& root = "/");

// Quota from the text of cgroup v2's cpu.max ("150000 100000", "max 100000"); nullopt means no
// limit.
std::optional<double> parse_cpu_max(std::string_view text);
// Quota from cgroup v1's cpu.cfs_quota_us and cpu.cfs_period_us; a quota of -1 means no limit.
std::optional<double> quota_from_v1(long long quota_us, long long period_us);

}  // namespace tidemark
