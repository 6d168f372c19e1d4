// The naive model gives the answers of the worked examples, so that it may judge random streams.
#include "property/naive_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "property/property_check.h"
#include "support/case_table.h"
#include "support/test_paths.h"

namespace tidemark::test_support {
namespace {

std::vector<Row> rows_of(const GoldenCase& golden) {
  std::vector<Row> rows;
  for (const CaseStep& step : golden.steps) {
    if (const auto* row = std::get_if<Row>(&step)) rows.push_back(*row);
    if (const auto* filler = std::get_if<FillerStep>(&step)) rows.push_back(filler->row);
  }
  return rows;
}

void expect_model_agrees(const GoldenCase& golden) {
  ModelOutcome model = run_naive_model(golden.query, rows_of(golden));
  if (golden.has_filler) {
    std::erase_if(model.results,
                  [](const ResultRow& row) { return row.keys.at(0) == Cell("filler"); });
  }
  EXPECT_EQ(to_lines(model.results), to_lines(golden.results));
  EXPECT_EQ(to_sorted_lines(model.late_rows()), to_sorted_lines(golden.late));
  EXPECT_EQ(model.rows_in_no_window, golden.rows_in_no_window);
  EXPECT_EQ(model.rows_bad, golden.rows_bad);
}

TEST(NaiveModel, GivesTheAnswersOfTheWorkedExamples) {
  int checked = 0;
  const std::filesystem::path folder = test_support::source_directory() + "/tests/golden/tables";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cases") continue;
    const auto table = load_case_table(entry.path().string());
    ASSERT_TRUE(table) << table.error().message;
    for (const GoldenCase& golden : *table) {
      SCOPED_TRACE(golden.file + ": " + golden.name);
      expect_model_agrees(golden);
      ++checked;
    }
  }
  EXPECT_GT(checked, 40);
}

class NaiveModelProperty : public PropertyTest {};

Scenario random_firing_scenario(Random& random) {
  ScenarioShape shape;
  shape.large_integers = false;
  shape.window = random_timed;
  shape.settings = add_firing;
  Scenario scenario = random_scenario(random, shape);
  scenario.query.reports_panes = true;
  return scenario;
}

TEST_F(NaiveModelProperty, RetractionsMakeTheTableOfOnePassOverAllRows) {
  for_random_seeds(40, [](Random& random) {
    Scenario scenario = random_firing_scenario(random);
    scenario.query.accumulation = Accumulation::kRetracting;
    scenario.query.lateness = kMaxDurationMs;
    SCOPED_TRACE(scenario.to_text());
    WindowQuery plain = scenario.query;
    plain.early = {};
    EXPECT_EQ(table_of(run_naive_model(scenario.query, scenario.rows).results),
              table_of(run_naive_model(plain, scenario.rows, ModelWatermark::kOnlyAtEnd).results));
  });
}

TEST_F(NaiveModelProperty, DiscardedPartsAddUpToTheLastAccumulatedResults) {
  for_random_seeds(40, [](Random& random) {
    Scenario scenario = random_firing_scenario(random);
    WindowQuery& query = scenario.query;
    query.windows = {tumbling(std::chrono::milliseconds(between(random, 1, 5000)))};
    query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
    SCOPED_TRACE(scenario.to_text());
    std::map<std::string, std::int64_t> sums;
    std::map<std::string, std::int64_t> last;
    const auto place = [](ResultRow result) {
      result.aggregates.clear();
      return to_text(result);
    };
    query.accumulation = Accumulation::kDiscarding;
    const ModelOutcome parts = run_naive_model(query, scenario.rows);
    for (const ResultRow& result : parts.results) {
      sums[place(result)] += std::get<std::int64_t>(result.aggregates[0]);
    }
    query.accumulation = Accumulation::kAccumulating;
    const ModelOutcome whole = run_naive_model(query, scenario.rows);
    for (const ResultRow& result : whole.results) {
      last[place(result)] = std::get<std::int64_t>(result.aggregates[0]);
    }
    EXPECT_EQ(sums, last);
    EXPECT_EQ(parts.rows_on_time, whole.rows_on_time);
  });
}

}  // namespace
}  // namespace tidemark::test_support
