#include "tidemark/perf/tidemark_json.h"

#include <fmt/format.h>

#include <cmath>
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
    if (has("/suite")) {
      suite();
    } else {
      throughput();
      latencies();
      rates();
      counters("", JsonPath("/counters"));
    }
    read_checks();
    return std::move(measurement_);
  }

  Measurement profile() {
    read_surroundings();
    const JsonPath cells("/cells");
    const std::size_t count = list(cells, "a list of at least one cell");
    for (std::size_t i = 0; i < count; ++i) cell(cells / i);
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

  [[noreturn]] void refuse(const JsonPath& path, const std::string& must) const {
    throw Refused(fmt::format("{} is {}: it must be {}", document_.where(path),
                              root().contains(path) ? shown(root().at(path)) : "not there", must));
  }

  // The number of its members, of which there must be one.
  std::size_t list(const JsonPath& path, const char* must) const {
    if (!has(path) || !root().at(path).is_array() || root().at(path).empty()) refuse(path, must);
    return root().at(path).size();
  }

  void require_object(const JsonPath& path) const {
    if (!has(path) || !root().at(path).is_object()) refuse(path, "an object");
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
    if (!is_finite || value->get<double>() < 0 || (positive && value->get<double>() == 0)) {
      refuse(path, positive ? "a number above 0" : "a number that is not negative");
    }
    return value->get<double>();
  }

  // Rows per second of wall time, and of CPU time, which other processes on the machine take less
  // from.
  void throughput() {
    Figure wall{"throughput", "rows/s", Better::kHigher, FigureKind::kTiming};
    Figure cpu{"throughput per CPU second", "rows/s", Better::kHigher, FigureKind::kTiming};
    const JsonPath repeats("/throughput/repeats");
    const std::size_t count = list(repeats, "a list of at least one run");
    for (std::size_t i = 0; i < count; ++i) {
      wall.samples.push_back(number(repeats / i / "rows_per_second", true));
      cpu.samples.push_back(number(repeats / i / "rows_read", true) /
                            number(repeats / i / "cpu_seconds", true));
    }
    measurement_.figures.push_back(std::move(wall));
    // Within a run CPU time hardly varies, and from run to run the machine's speed does.
    cpu.needs_runs = true;
    measurement_.figures.push_back(std::move(cpu));
  }

  // A run without latencies, as --rate max makes it, has null.
  void latencies() {
    const JsonPath latency("/latency");
    if (!has(latency)) return;
    for (const char* name :
         {"event_time_to_result", "hand_over_to_result", "watermark_to_result"}) {
      for (const char* percentile : {"p50", "p90", "p99", "p99.9"}) {
        once_counted(fmt::format("{} {}", name, percentile), latency / name, percentile);
      }
    }
  }

  void rates() {
    if (!has("/rates")) return;
    const JsonPath path("/rates/highest_sustained");
    // Null where no rate was sustained.
    if (!root().contains(path)) refuse(path, "a number above 0, or null");
    if (has(path)) once("highest sustained rate", "rows/s", Better::kHigher, number(path, true));
  }

  // One value of the run.
  void once(const std::string& name, const char* unit, Better better, double value) {
    Figure figure{name, unit, better, FigureKind::kTiming};
    figure.samples.push_back(value);
    figure.needs_runs = true;
    measurement_.figures.push_back(std::move(figure));
  }

  // A percentile of times that the object at `path` counts: there is none where it counted none.
  void once_counted(const std::string& name, const JsonPath& path, const char* percentile) {
    const bool any = number(path / "count", false) > 0;
    if (!any && !has(path / percentile)) return;
    if (!any) refuse(path / percentile, "null, as its count is 0");
    once(name, "ns", Better::kLower, number(path / percentile, true));
  }

  // Of all counters only a checksum is a text.
  std::string checksum(const JsonPath& path) const {
    const std::string value = text(path);
    if (!value.starts_with("0x") || value.size() < 3 ||
        value.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string::npos) {
      refuse(path, "a checksum as text, such as \"0x1f\"");
    }
    return value;
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
    if (key == "checksum") {
      figure.text = checksum(path);
    } else {
      figure.samples.push_back(number(path, false));
    }
    measurement_.figures.push_back(std::move(figure));
  }

  void counters(const std::string& prefix, const JsonPath& path) {
    if (!has(path) || !root().at(path).is_object() || root().at(path).empty()) {
      refuse(path, "an object of at least one counter");
    }
    for (const auto& [key, value] : root().at(path).items()) counter(prefix, key, path / key);
  }

  void suite() {
    for (const char* part : {"throughput", "latency", "rates", "counters"}) {
      if (has(JsonPath() / part)) {
        refuse(JsonPath() / part, "null, as a suite has no figures but those of its jobs");
      }
    }
    const JsonPath suite("/suite");
    const std::size_t count = list(suite, "a list of at least one job");
    for (std::size_t i = 0; i < count; ++i) {
      const JsonPath path = suite / i;
      const std::string name = text(path / "name");
      if (name.empty()) refuse(path / "name", "a name, which every job of a suite has");
      if (!jobs_.insert(name).second) refuse(path / "name", "another name: two jobs have this one");
      const std::string prefix = name + " ";
      counters(prefix, path / "counters");
      // Null where they were not counted.
      if (has(path / "instructions")) counter(prefix, "instructions", path / "instructions");
      suite_options(name, path / "options");
      sampled_throughput(prefix, path / "throughput" / "rows_per_second");
    }
  }

  void suite_options(const std::string& name, const JsonPath& path) {
    require_object(path);
    measurement_.jobs.push_back(name);
    for (const auto& [key, value] : root().at(path).items()) {
      measurement_.surroundings.emplace_back(
          job_surrounding(name, key), value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  void sampled_throughput(const std::string& prefix, const JsonPath& path) {
    Figure figure{prefix + "throughput", "rows/s", Better::kHigher, FigureKind::kTiming};
    const std::size_t count = list(path, "a list of at least one rate");
    for (std::size_t i = 0; i < count; ++i) figure.samples.push_back(number(path / i, true));
    measurement_.figures.push_back(std::move(figure));
  }

  std::int64_t whole_number(const JsonPath& path) const {
    constexpr double kMost = 1e15;
    const double value = number(path, true);
    if (value != std::floor(value) || value > kMost) refuse(path, "a whole number above 0");
    return static_cast<std::int64_t>(value);
  }

  std::string cell_name(const JsonPath& path) const {
    if (text(path / "strategy").empty()) refuse(path / "strategy", "the name of a strategy");
    return fmt::format("size={} slide={} keys={} {}",
                       format_duration(whole_number(path / "size_ms")),
                       format_duration(whole_number(path / "slide_ms")),
                       whole_number(path / "keys"), text(path / "strategy"));
  }

  void cell(const JsonPath& path) {
    const std::string name = cell_name(path);
    if (!jobs_.insert(name).second) {
      refuse(path / "strategy", "another one: two cells are the same");
    }
    // A strategy that cannot do a cell has no figures of it.
    if (has(path / "refused")) {
      if (text(path / "refused").empty()) refuse(path / "refused", "the reason as text, or null");
      return;
    }
    const std::string prefix = name + " ";
    for (const char* key : {"updates_per_row", "merges_per_slide", "work_per_row", "live_entries",
                            "state_bytes", "entries_at_end", "results", "checksum"}) {
      counter(prefix, key, path / key);
    }
    sampled_throughput(prefix, path / "rows_per_second_samples");
    // Few passes of many cells, made to be looked at; the counters are what a profile is for.
    measurement_.figures.back().needs_runs = true;
    once_counted(prefix + "firing median", path / "firing_ns", "median");
    once_counted(prefix + "firing p99", path / "firing_ns", "p99");
  }

  // What a run says of its own results, without which nobody knows whether its figures count.
  void read_checks() {
    const JsonPath right("/checks/right");
    if (!has(right) || !root().at(right).is_boolean()) refuse(right, "true or false");
    if (!root().at(right).get<bool>()) {
      measurement_.wrong =
          fmt::format("{} is false: the results of this run were wrong", document_.where(right));
    }
  }

  const JsonDocument& document_;
  Measurement measurement_;
  std::set<std::string> jobs_;  // names of jobs or cells that were read
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
