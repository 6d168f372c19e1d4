// Whether the gate can be trusted, on runs recorded on a noisy machine: two cores that several
// builds and tests shared. recordings/alternating_runs.jsonl has 100 lines; each holds 80 short
// runs of one program in a row, as rows per second of CPU time in units of 10,000. Every other one
// is taken for the one side, so that nothing but noise tells the sides apart: ten runs a side, of
// four turns each.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/test_paths.h"
#include "tidemark/perf/comparison.h"

namespace tidemark {
namespace {

constexpr std::size_t kRuns = 10;
constexpr std::size_t kTurns = 4;

std::vector<std::vector<double>> recordings() {
  std::ifstream file(test_support::source_directory() +
                     "/tests/golden/recordings/alternating_runs.jsonl");
  std::vector<std::vector<double>> all;
  for (std::string line; std::getline(file, line);) {
    all.push_back(nlohmann::json::parse(line).at("runs").get<std::vector<double>>());
  }
  return all;
}

// Every other one from `first` on, as the runner of two commands in turn has them.
Measurement side_of(const std::vector<double>& runs, std::size_t first, double factor) {
  Figure figure{"throughput per CPU second", "rows/s", Better::kHigher, FigureKind::kTiming};
  for (std::size_t i = first; i < runs.size(); i += 2) figure.samples.push_back(runs[i] * factor);
  Measurement side;
  side.figures.push_back(std::move(figure));
  return side;
}

std::size_t regressions(double factor) {
  CompareOptions options;
  options.threshold = 0.025;
  options.paired = true;
  std::size_t found = 0;
  for (const std::vector<double>& runs : recordings()) {
    const Comparison comparison = compare(side_of(runs, 0, 1), side_of(runs, 1, factor), options);
    if (comparison.verdict() == OverallVerdict::kRegressed) ++found;
  }
  return found;
}

TEST(RecordedRunsTest, AreAHundredPairsOfTenRunsOfFourTurns) {
  const auto all = recordings();
  ASSERT_EQ(all.size(), 100U);
  for (const auto& runs : all) EXPECT_EQ(runs.size(), 2 * kRuns * kTurns);
}

TEST(RecordedRunsTest, UnchangedProgramsRaiseAtMostOneAlarmInAHundred) {
  EXPECT_LE(regressions(1), 1U);
}

TEST(RecordedRunsTest, ASlowDownOfFivePercentIsFoundInNinetyFiveOfAHundred) {
  EXPECT_GE(regressions(1 / 1.05), 95U);
}

}  // namespace
}  // namespace tidemark
