// The machine and the build that a report was made with, as JSON: the same in every report.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "tidemark/perf/machine.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark {

nlohmann::ordered_json machine_json(const Machine& machine);
nlohmann::ordered_json build_json(const Build& build);

// Its duration in ns; null where it is not counted.
nlohmann::ordered_json throttled_json(const std::optional<CpuThrottling>& throttled);

}  // namespace tidemark
