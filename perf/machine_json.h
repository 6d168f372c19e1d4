// The machine and the build that a report was made with, as JSON: the same in every report.
#pragma once

#include <nlohmann/json.hpp>

#include "tidemark/perf/machine.h"

namespace tidemark {

nlohmann::ordered_json machine_json(const Machine& machine);
nlohmann::ordered_json build_json(const Build& build);

}  // namespace tidemark
