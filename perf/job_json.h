// Parts that the JSON of measurements has in common.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tidemark/perf/bench_options.h"
#include "tidemark/perf/bench_run.h"

namespace tidemark {

// As text of 16 digits: a JSON number cannot hold 64 bits everywhere.
std::string checksum_text(std::uint64_t checksum);

// The job and its stream, without how it is measured.
nlohmann::ordered_json job_json(const BenchOptions& options);

// See run_counters; and the checksum.
nlohmann::ordered_json counters_json(const ThroughputRun& run);

}  // namespace tidemark
