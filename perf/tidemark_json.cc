#include "tidemark/perf/tidemark_json.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

using Json = JsonDocument::Json;
using JsonPath = nlohmann::json_pointer<std::string>;

// What stops the reading of a document: caught where it began.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether less of a deterministic counter is better; of others any change is one for the worse.
Better better_of_counter(const std::string& name) {
  static const std::set<std::string> kCosts{"updates",
                                            "updates_per_row",
                                            "merges",
                                            "work_per_row",
                                            "entries_at_end",
                                            "merges_per_slide",
                                            "peak_live_entries",
                                            "live_entries",
                                            "state_bytes",
                                            "peak_state_bytes",
                                            "state_bytes_per_entry",
                                            "allocated_bytes",
                                            "logical_state_bytes",
                                            "batches_sent",
                                            "bytes_per_key",
                                            "peak_key_table_bytes",
                                            "instructions"};
  return kCosts.contains(name) ? Better::kLower : Better::kEqual;
}

class TidemarkReader {
 public:
  explicit TidemarkReader(const JsonDocument& document) : document_(document) {
    measurement_.source = document.source();
    measurement_.schema = document.root()["schema"].get<std::string>();
  }

  Measurement bench() {
    read_surroundings();
    if (has("/throughput/repeats")) {
      throughput();
    }
    for (const char* latency :
         {"event_time_to_result", "hand_over_to_result", "watermark_to_result"}) {
      const JsonPath path = JsonPath("/latency") / latency;
      for (const char* percentile : {"p50", "p90", "p99", "p99.9"}) {
        once(fmt::format("{} {}", latency, percentile), "ns", Better::kLower, path / percentile);
      }
    }
    once("highest sustained rate", "rows/s", Better::kHigher, JsonPath("/rates/highest_sustained"));
    counters("", JsonPath("/counters"));
    suite();
    read_checks();
    return std::move(measurement_);
  }

  Measurement profile() {
    read_surroundings();
    const JsonPath cells("/cells");
    if (!has(cells) || !root().at(cells).is_array() || root().at(cells).empty()) {
      throw Refused(fmt::format("{} is {}: it must be a list of at least one cell",
                                document_.where(cells),
                                has(cells) ? shown(root().at(cells)) : "not there"));
    }
    for (std::size_t i = 0; i < root().at(cells).size(); ++i) cell(cells / i);
    read_checks();
    return std::move(measurement_);
  }

 private:
  const Json& root() const { return document_.root(); }
  bool has(const JsonPath& path) const {
    return root().contains(path) && !root().at(path).is_null();
  }
  bool has(const char* path) const { return has(JsonPath(path)); }

  std::string text(const JsonPath& path) const {
    return has(path) && root().at(path).is_string() ? root().at(path).get<std::string>() : "";
  }

  // Any change of these is a change of what was measured; a new commit is what is compared.
  void read_surroundings() {
    measurement_.time = text(JsonPath("/time"));
    measurement_.commit = text(JsonPath("/build/commit"));
    // How often and how else it was measured changes no figure.
    static const std::set<std::string> kLeftOut{
        "build.version",         "build.commit",
        "machine.default_cores", "machine.default_reason",
        "options.repeats",       "options.cores_reason",
        "options.finds_rate",    "options.latency_bound_ns"};
    for (const char* part : {"machine", "build", "options"}) {
      const JsonPath path = JsonPath() / part;
      if (!has(path) || !root().at(path).is_object()) {
        throw Refused(
            fmt::format("{} is not there, so nobody can tell whether the runs are "
                        "comparable: is the file whole?",
                        document_.where(path)));
      }
      for (const auto& [key, value] : root().at(path).items()) {
        const std::string name = std::string(part) + "." + key;
        if (kLeftOut.contains(name)) continue;
        measurement_.surroundings.emplace_back(
            name, value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
    measurement_.machine_json = root()["machine"].dump();
    measurement_.build_json = root()["build"].dump();
  }

  double number(const JsonPath& path, bool positive) const {
    const Json* value = root().contains(path) ? &root().at(path) : nullptr;
    const bool is_finite =
        value != nullptr && value->is_number() && std::isfinite(value->get<double>());
    if (!is_finite || (positive && value->get<double>() <= 0)) {
      throw Refused(fmt::format("{} is {}: it must be a number{}", document_.where(path),
                                value == nullptr ? "not there" : shown(*value),
                                positive ? " above 0" : ""));
    }
    return value->get<double>();
  }

  // Rows per second of wall time, and of CPU time, which other processes on the machine take less
  // from.
  void throughput() {
    Figure wall{"throughput", "rows/s", Better::kHigher, FigureKind::kTiming};
    Figure cpu{"throughput per CPU second", "rows/s", Better::kHigher, FigureKind::kTiming};
    const JsonPath list("/throughput/repeats");
    for (std::size_t i = 0; i < root().at(list).size(); ++i) {
      wall.samples.push_back(number(list / i / "rows_per_second", true));
      if (!has(list / i / "cpu_seconds")) continue;
      cpu.samples.push_back(number(list / i / "rows_read", true) /
                            number(list / i / "cpu_seconds", true));
    }
    measurement_.figures.push_back(std::move(wall));
    // Within a run CPU time hardly varies, and from run to run the machine's speed does.
    cpu.needs_runs = true;
    if (!cpu.samples.empty()) measurement_.figures.push_back(std::move(cpu));
  }

  // One value of the run. What was not measured is null or not there.
  void once(const std::string& name, const char* unit, Better better, const JsonPath& path) {
    if (!has(path)) return;
    Figure figure{name, unit, better, FigureKind::kTiming};
    figure.samples.push_back(number(path, true));
    figure.needs_runs = true;
    measurement_.figures.push_back(std::move(figure));
  }

  void counter(const std::string& prefix, const std::string& key, const JsonPath& path) {
    Figure figure{prefix + key, "", better_of_counter(key), FigureKind::kCounter};
    if (key == "instructions") {
      figure.kind = FigureKind::kInstructions;
      // Counts of different counters are not of the same thing.
      const std::string by = text(JsonPath("/instructions_by"));
      if (by.starts_with("counted by the CPU")) figure.unit = "by CPU";
      if (by.starts_with("counted by valgrind")) figure.unit = "by valgrind";
    }
    const Json& value = root().at(path);
    if (value.is_string()) {
      figure.text = value.get<std::string>();
    } else {
      figure.samples.push_back(number(path, false));
    }
    measurement_.figures.push_back(std::move(figure));
  }

  void counters(const std::string& prefix, const JsonPath& path) {
    if (!has(path)) return;
    if (!root().at(path).is_object()) {
      throw Refused(fmt::format("{} is {}: it must be an object", document_.where(path),
                                shown(root().at(path))));
    }
    for (const auto& [key, value] : root().at(path).items()) {
      if (!value.is_null()) counter(prefix, key, path / key);
    }
  }

  void suite() {
    const JsonPath suite("/suite");
    if (!has(suite)) return;
    const Json& entries = root().at(suite);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const JsonPath path = suite / i;
      const std::string name = text(path / "name");
      if (name.empty()) {
        throw Refused(fmt::format("{} is not there: every entry of a suite has a name",
                                  document_.where(path / "name")));
      }
      const std::string prefix = name + " ";
      counters(prefix, path / "counters");
      if (has(path / "instructions")) counter(prefix, "instructions", path / "instructions");
      suite_options(name, path / "options");
      sampled_throughput(prefix, path / "throughput");
    }
  }

  void suite_options(const std::string& name, const JsonPath& path) {
    if (!has(path)) return;
    for (const auto& [key, value] : root().at(path).items()) {
      measurement_.surroundings.emplace_back(
          fmt::format("suite.{}.{}", name, key),
          value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  // The list itself, or an object that holds it.
  void sampled_throughput(const std::string& prefix, JsonPath path) {
    if (has(path) && root().at(path).is_object()) path = path / "rows_per_second";
    if (!has(path) || !root().at(path).is_array() || root().at(path).empty()) return;
    Figure figure{prefix + "throughput", "rows/s", Better::kHigher, FigureKind::kTiming};
    for (std::size_t i = 0; i < root().at(path).size(); ++i) {
      figure.samples.push_back(number(path / i, true));
    }
    measurement_.figures.push_back(std::move(figure));
  }

  std::string cell_name(const JsonPath& path) const {
    const auto duration = [&](const char* key) {
      return format_duration(static_cast<std::int64_t>(number(path / key, true)));
    };
    return fmt::format("size={} slide={} keys={} {}", duration("size_ms"), duration("slide_ms"),
                       static_cast<std::int64_t>(number(path / "keys", true)),
                       text(path / "strategy"));
  }

  void cell(const JsonPath& path) {
    const std::string name = cell_name(path);
    // A strategy that cannot do a cell has no figures of it.
    if (has(path / "refused")) return;
    const std::string prefix = name + " ";
    for (const char* key : {"updates_per_row", "merges_per_slide", "work_per_row", "live_entries",
                            "state_bytes", "entries_at_end", "results", "checksum"}) {
      if (has(path / key)) counter(prefix, key, path / key);
    }
    sampled_throughput(prefix, path / "rows_per_second_samples");
    // Few passes of many cells, made to be looked at; the counters are what a profile is for.
    if (!measurement_.figures.empty() &&
        measurement_.figures.back().name == prefix + "throughput") {
      measurement_.figures.back().needs_runs = true;
    }
    once(prefix + "firing median", "ns", Better::kLower, path / "firing_ns" / "median");
    once(prefix + "firing p99", "ns", Better::kLower, path / "firing_ns" / "p99");
  }

  void read_checks() {
    const JsonPath right("/checks/right");
    if (has(right) && root().at(right) == false) {
      measurement_.wrong =
          fmt::format("{} is false: the results of this run were wrong", document_.where(right));
    }
  }

  const JsonDocument& document_;
  Measurement measurement_;
};

}  // namespace

bool is_tidemark(const Json& root) {
  return root.contains("schema") && root["schema"].is_string() &&
         root["schema"].get<std::string>().starts_with("tidemark-");
}

Expected<Measurement> read_tidemark(const JsonDocument& document) {
  const std::string schema = document.root()["schema"].get<std::string>();
  try {
    if (schema == "tidemark-bench/2") return TidemarkReader(document).bench();
    if (schema == "tidemark-profile/1") return TidemarkReader(document).profile();
  } catch (const Refused& error) {
    return make_error(error.what());
  } catch (const nlohmann::json::exception& error) {
    return make_error(
        fmt::format("{}: this is not what {} holds: {}", document.source(), schema, error.what()));
  }
  return make_error(
      fmt::format("{} is {:?}: this version compares tidemark-bench/2 and tidemark-profile/1",
                  document.where(JsonPath("/schema")), schema));
}

}  // namespace tidemark
