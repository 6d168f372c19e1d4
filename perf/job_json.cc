#include "tidemark/perf/job_json.h"

#include <fmt/format.h>

#include "tidemark/perf/run_counters.h"

namespace tidemark {

using nlohmann::ordered_json;

std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:#018x}", checksum); }

ordered_json job_json(const BenchOptions& options) {
  ordered_json aggregates = ordered_json::array();
  for (const AggregateSpec& aggregate : options.aggregates) aggregates.push_back(aggregate.name);
  return {{"window", to_string(options.window)},
          {"keys", options.stream.keys},
          {"skew", to_string(options.stream.skew)},
          {"aggregates", aggregates},
          {"strategy", to_string(options.strategy)},
          {"event_rate", options.stream.event_rate},
          {"disorder_ms", options.stream.disorder},
          {"delay_ms", options.delay},
          {"lateness_ms", options.lateness},
          {"seed", options.stream.seed},
          {"rows", options.stream.rows}};
}

ordered_json counters_json(const ThroughputRun& run) {
  ordered_json counters = ordered_json::object();
  for (const auto& [name, value] : run_counters(run)) counters[name] = value;
  counters["checksum"] = checksum_text(run.checksum);
  return counters;
}

}  // namespace tidemark
