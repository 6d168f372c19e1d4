#include "tidemark/perf/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "tidemark/perf/google_benchmark_json.h"
#include "tidemark/perf/json_document.h"
#include "tidemark/perf/rank_test.h"
#include "tidemark/perf/tidemark_json.h"

namespace tidemark {

namespace {

Expected<std::string> text_of_file(const std::string& path) {
  std::error_code ignored;
  // Such as /dev/zero, which has no end.
  if (std::filesystem::is_character_file(path, ignored)) {
    return make_error(fmt::format("{} is a device: give a file of measurements", path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return make_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  return text;
}

Expected<Measurement> read_one_file(const std::string& path, BenchmarkTime time) {
  Expected<std::string> text = text_of_file(path);
  if (!text) return tl::unexpected(text.error());
  return read_measurement(*text, path, time);
}

Expected<Measurement> read_folder(const std::string& path, BenchmarkTime time) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  if (error) return make_error(fmt::format("cannot read {}: {}", path, error.message()));
  if (files.empty()) {
    return make_error(fmt::format("{} holds no file *.json: there is no measurement in it", path));
  }
  std::sort(files.begin(), files.end());
  Expected<Measurement> all = read_one_file(files.front(), time);
  for (std::size_t i = 1; all && i < files.size(); ++i) {
    Expected<Measurement> run = read_one_file(files[i], time);
    if (!run) return run;
    if (i == 1) reduce_to_one_sample(*all);
    reduce_to_one_sample(*run);
    Expected<void> added = add_run(*all, *run);
    if (!added) return tl::unexpected(added.error());
  }
  if (all) all->source = path;
  return all;
}

// Clock readings move a little from one start to the next.
bool is_same_surrounding(const std::string& name, const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (!name.ends_with("mhz_per_cpu")) return false;
  const double first = std::strtod(a.c_str(), nullptr);
  const double second = std::strtod(b.c_str(), nullptr);
  return first > 0 && std::abs(second / first - 1) <= 0.05;
}

bool is_of_job_without_counterpart(const std::string& surrounding, const Measurement& side,
                                   const Measurement& other) {
  return std::any_of(side.jobs.begin(), side.jobs.end(), [&](const std::string& job) {
    return surrounding.starts_with(job_surrounding(job, "")) &&
           std::find(other.jobs.begin(), other.jobs.end(), job) == other.jobs.end();
  });
}

}  // namespace

std::string job_surrounding(const std::string& job, const std::string& option) {
  return fmt::format("suite.{}.{}", job, option);
}

std::vector<SurroundingDifference> surrounding_differences(const Measurement& base,
                                                           const Measurement& next) {
  const auto lookup = [](const Measurement& measurement, const std::string& name) {
    for (const auto& [key, value] : measurement.surroundings) {
      if (key == name) return value;
    }
    return std::string("not told");
  };
  std::vector<std::string> names;
  for (const Measurement* side : {&base, &next}) {
    const Measurement& other = side == &base ? next : base;
    for (const auto& [name, value] : side->surroundings) {
      if (is_of_job_without_counterpart(name, *side, other)) continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<SurroundingDifference> differences;
  for (const std::string& name : names) {
    const std::string a = lookup(base, name), b = lookup(next, name);
    if (!is_same_surrounding(name, a, b)) {
      differences.push_back({name, fmt::format("{} ({} and {})", name, a, b)});
    }
  }
  return differences;
}

std::string differences_text(const std::vector<SurroundingDifference>& differences) {
  std::string text;
  for (const SurroundingDifference& difference : differences) {
    text += (text.empty() ? "" : ", ") + difference.text;
  }
  return text;
}

void reduce_to_one_sample(Measurement& run) {
  for (Figure& figure : run.figures) {
    if (figure.summary) {
      figure.samples = {figure.summary->median};
      figure.summary.reset();
    } else if (figure.samples.size() > 1) {
      figure.samples = {median_of(figure.samples)};
    }
  }
}

Expected<Measurement> read_measurement(std::string_view text, const std::string& source,
                                       BenchmarkTime time) {
  Expected<JsonDocument> document = JsonDocument::parse(text, source);
  if (!document) return tl::unexpected(document.error());
  if (is_tidemark(document->root())) return read_tidemark(*document);
  if (is_google_benchmark(document->root())) return read_google_benchmark(*document, time);
  return make_error(
      fmt::format("{}:1: this JSON has neither a \"schema\" of Tidemark nor a list \"benchmarks\": "
                  "give JSON of "
                  "tidemark bench, tidemark profile or a Google Benchmark program",
                  source));
}

Expected<Measurement> read_measurement_file(const std::string& path, BenchmarkTime time) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? read_folder(path, time)
                                                      : read_one_file(path, time);
}

Expected<void> add_run(Measurement& measurement, const Measurement& run) {
  if (run.schema != measurement.schema) {
    return make_error(fmt::format("{} is {} and {} is {}: runs of one side must be of one program",
                                  measurement.source, measurement.schema, run.source, run.schema));
  }
  const auto differences = surrounding_differences(measurement, run);
  if (!differences.empty() || measurement.jobs != run.jobs) {
    return make_error(fmt::format(
        "{} and {} are runs of one side and differ in {}", measurement.source, run.source,
        differences.empty() ? "the jobs of their suite" : differences_text(differences)));
  }
  for (const Figure& figure : run.figures) {
    const auto known = std::find_if(measurement.figures.begin(), measurement.figures.end(),
                                    [&](const Figure& other) { return other.name == figure.name; });
    if (known == measurement.figures.end()) {
      measurement.figures.push_back(figure);
      continue;
    }
    if (known->text != figure.text) {
      measurement.wrong = fmt::format("{} differs from run to run of {}: {} and {}", figure.name,
                                      run.source, known->text, figure.text);
    }
    known->samples.insert(known->samples.end(), figure.samples.begin(), figure.samples.end());
  }
  measurement.failed.insert(measurement.failed.end(), run.failed.begin(), run.failed.end());
  if (!run.wrong.empty()) measurement.wrong = run.wrong;
  ++measurement.runs;
  return {};
}

const Figure* find_figure(const Measurement& measurement, const std::string& name) {
  for (const Figure& figure : measurement.figures) {
    if (figure.name == name) return &figure;
  }
  return nullptr;
}

std::string to_string(Better better) {
  if (better == Better::kEqual) return "equal";
  return better == Better::kHigher ? "higher" : "lower";
}

std::string to_string(FigureKind kind) {
  if (kind == FigureKind::kInstructions) return "instructions";
  return kind == FigureKind::kTiming ? "timing" : "counter";
}

}  // namespace tidemark
