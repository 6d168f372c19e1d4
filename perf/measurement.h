// What one program measured, read from its JSON: figures with direction, and what they depend on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/runtime/error.h"

namespace tidemark {

enum class Better { kLower, kHigher, kEqual };

enum class FigureKind {
  kTiming,        // noisy: decided by rank test and threshold
  kCounter,       // deterministic: compared exactly
  kInstructions,  // nearly deterministic: compared within a tolerance
  kUserCounter,   // a counter if it stays the same on both sides, else a timing
};

// All that an aggregates-only file tells of a figure.
struct SampleSummary {
  double mean = 0;
  double median = 0;
  std::optional<double> deviation;  // standard deviation
  std::size_t count = 0;
};

struct Figure {
  std::string name;
  std::string unit;  // ns, rows/s, B; empty for plain counts
  Better better = Better::kLower;
  FigureKind kind = FigureKind::kTiming;
  std::vector<double> samples = {};           // finite; in the order they were measured
  std::optional<SampleSummary> summary = {};  // where there are no samples
  std::string text = {};                      // a counter that is a text, such as a checksum
  // A single run cannot say how it varies: it has one value (a percentile, for one), or values that
  // move together from run to run.
  bool needs_runs = false;
  // Whether nothing but its name says which way is better; then it is only gated as a counter.
  bool direction_unknown = false;
};

// A benchmark that was to run and gave no figures.
struct FailedBenchmark {
  std::string name;
  std::string reason;
};

struct Measurement {
  std::string source;  // path, or the command line
  std::string schema;  // tidemark-bench/2, ... or google-benchmark/1
  std::string time;    // ISO 8601, empty if not told
  std::string commit;  // empty if not told
  // Machine, build and options by name, which must be the same on both sides.
  std::vector<std::pair<std::string, std::string>> surroundings;
  // Of a suite, whose jobs each have options of their own among the surroundings: a job that the
  // other side lacks has none to be the same.
  std::vector<std::string> jobs;
  std::string machine_json = "null";  // as read
  std::string build_json = "null";
  std::vector<Figure> figures;
  std::vector<FailedBenchmark> failed;
  std::string
      wrong;  // why results were wrong, as the run's own checks say; empty if they were right
  std::size_t runs = 1;
};

// Which time of a Google Benchmark row is its figure.
enum class BenchmarkTime { kReal, kCpu };

// Reads `text`, one JSON document of `tidemark bench`, `tidemark profile` or a Google Benchmark
// program; `source` is how errors name it. Refuses what is not whole, has another schema, or holds
// a time that is not a positive number, with the position of it.
Expected<Measurement> read_measurement(std::string_view text, const std::string& source,
                                       BenchmarkTime time);

// The same from a file, or from a folder that holds one file (*.json) per run; with several files
// each is one sample.
Expected<Measurement> read_measurement_file(const std::string& path, BenchmarkTime time);

struct SurroundingDifference {
  std::string name;
  std::string text;  // `machine.cpus (2 and 4)`
};

// What differs between the surroundings of two measurements; a clock speed that was read a little
// differently does not.
std::vector<SurroundingDifference> surrounding_differences(const Measurement& a,
                                                           const Measurement& b);

// Their texts, in a row.
std::string differences_text(const std::vector<SurroundingDifference>& differences);

// The name of an option of one job of a suite among the surroundings.
std::string job_surrounding(const std::string& job, const std::string& option);

// Leaves one sample of each figure, the median: repetitions in one run share what happened in it,
// so that among several runs they are no more than one sample.
void reduce_to_one_sample(Measurement& run);

// Adds the samples of a further run of the same program. Refuses one with other surroundings.
Expected<void> add_run(Measurement& measurement, const Measurement& run);

const Figure* find_figure(const Measurement& measurement, const std::string& name);

std::string to_string(Better better);
std::string to_string(FigureKind kind);

}  // namespace tidemark
