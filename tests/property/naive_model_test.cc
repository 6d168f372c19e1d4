// The naive model gives the answers of the worked examples, so that it may judge random streams.
#include "property/naive_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/case_table.h"

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
  const std::filesystem::path folder = TIDEMARK_SOURCE_DIR "/tests/golden/tables";
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

}  // namespace
}  // namespace tidemark::test_support
