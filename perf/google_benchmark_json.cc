#include "tidemark/perf/google_benchmark_json.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark {

namespace {

using Json = JsonDocument::Json;
using JsonPath = nlohmann::json_pointer<std::string>;

std::string text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool flag_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_boolean() && at->get<bool>();
}

// Whether a text is written as a number, or as what is none: "12", "12%", "NaN", "-inf".
bool is_numeric(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end != text.c_str() && (*end == '\0' || std::string_view(end) == "%");
}

struct CounterRule {
  std::string unit;
  Better better = Better::kEqual;
  bool known = false;  // what is better
  FigureKind kind = FigureKind::kUserCounter;
};

bool contains_any(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

// By the names that the library and its users give.
CounterRule rule_of(const std::string& counter) {
  std::string name = counter;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (contains_any(name, {"per_second", "per_sec", "/s", "throughput"})) {
    return {"1/s", Better::kHigher, true, FigureKind::kTiming};
  }
  if (name == "instructions") return {"", Better::kLower, true, FigureKind::kInstructions};
  if (contains_any(name, {"latency", "p50", "p90", "p95", "p99", "cycles", "misses", "_ns", "_us",
                          "_ms", "allocs", "bytes", "heap"})) {
    return {"", Better::kLower, true, FigureKind::kUserCounter};
  }
  return {};
}

// Whether a member of a row is a user counter, and not the library's own or a text. A counter that
// is no number is one too, to be refused: it must not vanish from the comparison.
bool is_counter(const std::string& key, const Json& value) {
  static const std::set<std::string> kRowKeys{
      "name",           "run_name",      "run_type",         "label",
      "aggregate_name", "big_o",         "time_unit",        "aggregate_unit",
      "error_occurred", "error_message", "skipped",          "skip_message",
      "family_index",   "repetitions",   "threads",          "per_family_instance_index",
      "iterations",     "real_time",     "repetition_index", "cpu_time"};
  if (kRowKeys.contains(key)) return false;
  if (value.is_string()) {
    return is_numeric(value.get<std::string>()) || key.ends_with("per_second");
  }
  return value.is_number() || value.is_null() || rule_of(key).known;
}

enum class Range { kAny, kNotNegative, kPositive };

// The values that a counter of this name can have: there is no rate of nothing, and no size or
// time below it, unless it tells how much one grew.
Range range_of(const std::string& counter) {
  const CounterRule rule = rule_of(counter);
  if (!rule.known) return Range::kAny;
  if (rule.better == Better::kHigher) return Range::kPositive;
  const bool may_fall = contains_any(counter, {"growth", "delta", "change", "diff"});
  return may_fall ? Range::kAny : Range::kNotNegative;
}

bool is_in(Range range, double value) {
  if (!std::isfinite(value)) return false;
  return range == Range::kAny || (range == Range::kPositive ? value > 0 : value >= 0);
}

Expected<double> number_at(const JsonDocument& document, const JsonPath& path, Range range) {
  if (!document.root().contains(path)) {
    return make_error(fmt::format("{} is not there: is the file whole?", document.where(path)));
  }
  const Json& value = document.root().at(path);
  const char* must = range == Range::kPositive      ? "it must be a number above 0"
                     : range == Range::kNotNegative ? "it must be a number that is not negative"
                                                    : "it must be a number";
  if (!value.is_number() || !is_in(range, value.get<double>())) {
    return make_error(fmt::format("{} is {}: {}", document.where(path), shown(value), must));
  }
  return value.get<double>();
}

Expected<double> nanoseconds_in_unit(const JsonDocument& document, const JsonPath& row) {
  static const std::map<std::string, double> kUnits{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const JsonPath path = row / "time_unit";
  if (!document.root().contains(path)) return 1.0;
  const Json& unit = document.root().at(path);
  const auto known = unit.is_string() ? kUnits.find(unit.get<std::string>()) : kUnits.end();
  if (known == kUnits.end()) {
    return make_error(
        fmt::format("{} is {}: it must be ns, us, ms or s", document.where(path), shown(unit)));
  }
  return known->second;
}

// The aggregate that a row holds, such as "mean"; empty for a repetition. Before version 1.5 only
// the end of the name told.
struct RowIdentity {
  std::string name;
  std::string aggregate;
  bool is_fit = false;
};

// A fit of complexity to the times of several benchmarks is none of them. Its members alone do not
// tell it: a user counter may be called `rms` too.
bool is_fit(const Json& row, const std::string& aggregate) {
  const std::string run_type = text_at(row, "run_type");
  if (!run_type.empty() && run_type != "aggregate") return false;
  if (!aggregate.empty()) return aggregate == "BigO" || aggregate == "RMS";
  const std::string name = text_at(row, "name");
  return (name.ends_with("_BigO") && row.contains("cpu_coefficient")) ||
         (name.ends_with("_RMS") && row.contains("rms"));
}

RowIdentity identity_of(const Json& row) {
  RowIdentity identity{text_at(row, "run_name"), text_at(row, "aggregate_name"), false};
  const std::string name = text_at(row, "name");
  identity.is_fit = is_fit(row, identity.aggregate);
  if (identity.name.empty()) {
    identity.name = name;
    if (!row.contains("run_type")) {
      for (const std::string aggregate : {"mean", "median", "stddev", "cv"}) {
        if (!name.ends_with("_" + aggregate)) continue;
        identity.aggregate = aggregate;
        identity.name = name.substr(0, name.size() - aggregate.size() - 1);
      }
    }
  }
  return identity;
}

// Reads the rows one by one, then makes figures of them.
class GoogleBenchmarkReader {
 public:
  GoogleBenchmarkReader(const JsonDocument& document, BenchmarkTime time)
      : document_(document), time_key_(time == BenchmarkTime::kReal ? "real_time" : "cpu_time") {}

  Expected<void> read_rows() {
    const Json& rows = document_.root()["benchmarks"];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const JsonPath path = JsonPath("/benchmarks") / i;
      if (!rows[i].is_object() || text_at(rows[i], "name").empty()) {
        return make_error(fmt::format("{} is {}: it must be an object with a name",
                                      document_.where(path), shown(rows[i])));
      }
      Expected<void> row = read_row(path, rows[i]);
      if (!row) return row;
    }
    return {};
  }

  Expected<void> finish(Measurement& measurement) {
    for (const std::string& name : order_) {
      if (!samples_.contains(name)) {
        Expected<void> summary = summarize(name);
        if (!summary) return summary;
      }
      for (Figure& figure : samples_[name]) measurement.figures.push_back(std::move(figure));
    }
    measurement.failed = std::move(failed_);
    return {};
  }

 private:
  Expected<void> read_row(const JsonPath& path, const Json& row) {
    const RowIdentity identity = identity_of(row);
    if (identity.is_fit) return {};
    for (const char* flag : {"error_occurred", "skipped"}) {
      if (!row.contains(flag) || row[flag].is_boolean()) continue;
      return make_error(fmt::format("{} is {}: it must be true or false",
                                    document_.where(path / flag), shown(row[flag])));
    }
    if (flag_at(row, "error_occurred") || flag_at(row, "skipped")) {
      const std::string said =
          text_at(row, flag_at(row, "skipped") ? "skip_message" : "error_message");
      failed_.push_back({identity.name, said.empty() ? "it ended with an error" : said});
      return {};
    }
    if (seen_.insert(identity.name).second) order_.push_back(identity.name);
    if (!identity.aggregate.empty()) {
      aggregates_[identity.name][identity.aggregate] = path;
      return {};
    }
    return read_repetition(path, row, identity.name);
  }

  Expected<void> read_repetition(const JsonPath& path, const Json& row, const std::string& name) {
    Expected<double> time = time_at(path, Range::kPositive);
    if (!time) return tl::unexpected(time.error());
    std::vector<Figure>& figures = samples_[name];
    sample(figures, {name, "ns"}, *time);
    for (const auto& [key, value] : row.items()) {
      if (!is_counter(key, value)) continue;
      Expected<double> number = number_at(document_, path / key, range_of(key));
      if (!number) return tl::unexpected(number.error());
      sample(figures, counter_figure(name, key), *number);
    }
    return {};
  }

  static Figure counter_figure(const std::string& name, const std::string& counter) {
    const CounterRule rule = rule_of(counter);
    Figure figure{name + " " + counter, rule.unit, rule.better, rule.kind};
    figure.direction_unknown = !rule.known;
    return figure;
  }

  static void sample(std::vector<Figure>& figures, Figure figure, double value) {
    for (Figure& known : figures) {
      if (known.name != figure.name) continue;
      known.samples.push_back(value);
      return;
    }
    figure.samples.push_back(value);
    figures.push_back(std::move(figure));
  }

  Expected<double> time_at(const JsonPath& row, Range range) {
    const JsonPath path = row / time_key_;
    Expected<double> unit = nanoseconds_in_unit(document_, row);
    if (!unit) return unit;
    Expected<double> value = number_at(document_, path, range);
    if (!value) return value;
    return *value * *unit;
  }

  // Figures of a benchmark of which there are only aggregates.
  Expected<void> summarize(const std::string& name) {
    const std::map<std::string, JsonPath>& rows = aggregates_[name];
    if (!rows.contains("mean") && !rows.contains("median")) {
      const JsonPath& some = rows.begin()->second;
      return make_error(fmt::format(
          "{} is an aggregate, and neither mean nor median nor repetitions of it are there: leave "
          "--benchmark_report_aggregates_only out",
          document_.where(some / "name")));
    }
    const JsonPath& main = rows.contains("median") ? rows.at("median") : rows.at("mean");
    Expected<Figure> time = summary_figure(rows, {name, "ns"}, time_key_, true);
    if (!time) return tl::unexpected(time.error());
    std::vector<Figure> figures{*time};
    for (const auto& [key, value] : document_.root().at(main).items()) {
      if (!is_counter(key, value)) continue;
      Expected<Figure> counter = summary_figure(rows, counter_figure(name, key), key, false);
      if (!counter) return tl::unexpected(counter.error());
      figures.push_back(*counter);
    }
    samples_[name] = std::move(figures);
    return {};
  }

  Expected<Figure> summary_figure(const std::map<std::string, JsonPath>& rows, Figure figure,
                                  const std::string& key, bool is_time) {
    std::map<std::string, double> values;
    for (const char* aggregate : {"mean", "median", "stddev"}) {
      if (!rows.contains(aggregate)) continue;
      const JsonPath& row = rows.at(aggregate);
      const bool is_deviation = std::string_view(aggregate) == "stddev";
      const Range range = is_deviation ? Range::kNotNegative
                          : is_time    ? Range::kPositive
                                       : range_of(key);
      Expected<double> value =
          is_time ? time_at(row, range) : number_at(document_, row / key, range);
      if (!value) return tl::unexpected(value.error());
      values[aggregate] = *value;
    }
    SampleSummary summary;
    summary.mean = values.contains("mean") ? values["mean"] : values["median"];
    summary.median = values.contains("median") ? values["median"] : values["mean"];
    if (values.contains("stddev")) summary.deviation = values["stddev"];
    const Json& row = document_.root().at(rows.begin()->second);
    for (const char* count : {"repetitions", "iterations"}) {
      if (!row.contains(count) || !row[count].is_number_unsigned()) continue;
      summary.count = row[count].get<std::size_t>();
      break;
    }
    figure.summary = summary;
    return figure;
  }

  const JsonDocument& document_;
  std::string time_key_;
  std::vector<std::string> order_;
  std::set<std::string> seen_;
  std::map<std::string, std::vector<Figure>> samples_;
  std::map<std::string, std::map<std::string, JsonPath>> aggregates_;
  std::vector<FailedBenchmark> failed_;
};

// What the library notes about where it ran. Keys that it does not know are the user's own.
void read_context(const Json& context, Measurement& measurement) {
  static const std::set<std::string> kChanging{"date", "executable", "load_avg",
                                               "json_schema_version"};
  static const std::set<std::string> kCommit{"commit", "git_commit", "git_sha", "revision",
                                             "version"};
  static const std::set<std::string> kBuild{"library_build_type", "library_version"};
  Json machine = Json::object(), build = Json::object();
  measurement.time = text_at(context, "date");
  for (const auto& [key, value] : context.items()) {
    if (kCommit.contains(key) && value.is_string()) {
      if (measurement.commit.empty()) measurement.commit = value.get<std::string>();
      continue;
    }
    if (kChanging.contains(key)) continue;
    const bool is_build = kBuild.contains(key);
    // The clock's speed when it was read: a machine has many.
    if (key != "mhz_per_cpu") (is_build ? build : machine)[key] = value;
    measurement.surroundings.emplace_back(
        (is_build ? "build." : "machine.") + key,
        value.is_string() ? value.get<std::string>() : shown(value));
  }
  measurement.machine_json = machine.dump();
  if (!measurement.commit.empty()) build["commit"] = measurement.commit;
  measurement.build_json = build.dump();
}

}  // namespace

bool is_google_benchmark(const Json& root) {
  return root.contains("benchmarks") && root["benchmarks"].is_array();
}

Expected<Measurement> read_google_benchmark(const JsonDocument& document, BenchmarkTime time) {
  Measurement measurement;
  measurement.source = document.source();
  measurement.schema = "google-benchmark/1";
  const Json& root = document.root();
  if (root.contains("context") && root["context"].is_object()) {
    const JsonPath version("/context/json_schema_version");
    if (root.contains(version) && root.at(version) != 1) {
      return make_error(fmt::format("{} is {}: only version 1 of Google Benchmark's JSON is known",
                                    document.where(version), shown(root.at(version))));
    }
    read_context(root["context"], measurement);
  }
  if (root["benchmarks"].empty()) {
    return make_error(
        fmt::format("{} is an empty list: no benchmark ran; does the filter match any?",
                    document.where(JsonPath("/benchmarks"))));
  }
  GoogleBenchmarkReader reader(document, time);
  Expected<void> read = reader.read_rows();
  if (read) read = reader.finish(measurement);
  if (!read) return tl::unexpected(read.error());
  return measurement;
}

}  // namespace tidemark
