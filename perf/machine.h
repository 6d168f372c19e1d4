// What a measurement ran on: the machine and the build.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark {

struct Machine {
  std::string cpu_model;  // "unknown" where the system does not tell
  std::string system;     // kernel name, release and architecture
  std::size_t cpus = 0;   // in the affinity mask
  std::optional<double> cgroup_quota;
  std::size_t default_cores = 1;
  std::string default_reason;  // what decided default_cores
};

// The program that measured.
struct Build {
  std::string version;
  std::string commit;
  std::string compiler;
  std::string build_type;
  std::string flags;
  std::string allocator;
};

// Reads /proc/cpuinfo and uname.
Machine describe_machine(const CpuAllowance& allowance);

// For people, on one line: the CPU and the system, and with a quota what it leaves.
std::string machine_text(const Machine& machine);

// The first model name in the text of /proc/cpuinfo, or "unknown".
std::string cpu_model_of(std::string_view cpuinfo);

}  // namespace tidemark
