#include "tidemark/perf/machine_json.h"

namespace tidemark {

using nlohmann::ordered_json;

ordered_json machine_json(const Machine& machine) {
  return {{"cpu_model", machine.cpu_model},
          {"system", machine.system},
          {"cpus", machine.cpus},
          {"cgroup_quota",
           machine.cgroup_quota ? ordered_json(*machine.cgroup_quota) : ordered_json(nullptr)},
          {"default_cores", machine.default_cores},
          {"default_reason", machine.default_reason}};
}

ordered_json build_json(const Build& build) {
  return {{"version", build.version},   {"commit", build.commit},
          {"compiler", build.compiler}, {"build_type", build.build_type},
          {"flags", build.flags},       {"allocator", build.allocator}};
}

ordered_json throttled_json(const std::optional<CpuThrottling>& throttled) {
  return throttled ? ordered_json(throttled->time.count()) : ordered_json(nullptr);
}

}  // namespace tidemark
