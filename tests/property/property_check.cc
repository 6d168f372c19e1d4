#include "property/property_check.h"

#include "tidemark/operators/pipeline.h"

namespace tidemark::test_support {
namespace {

void expect_rows_add_up(const RunReport& report) {
  EXPECT_EQ(report.rows_read,
            report.rows_on_time + report.rows_late + report.rows_bad + report.rows_in_no_window);
}

// The engine may judge a row by a watermark between the end of the row's last window and the one
// that the rows so far allow.
void expect_same_late_rows(const RunOutcome& run, const ModelOutcome& model) {
  ASSERT_EQ(to_sorted_lines(run.late_rows()), to_sorted_lines(model.late_rows()));
  std::multimap<std::string, const ModelLateRow*> expected;
  for (const ModelLateRow& late : model.late) expected.emplace(to_text(late.row), &late);
  for (const auto& late : run.late) {
    const auto [begin, end] = expected.equal_range(to_text(late.row));
    EXPECT_TRUE(std::any_of(begin, end,
                            [&](const auto& entry) {
                              return late.watermark <= entry.second->watermark &&
                                     late.watermark >= entry.second->closed_at;
                            }))
        << "row " << to_text(late.row) << " judged late at watermark " << late.watermark;
  }
}

void expect_same_counters(const RunReport& report, const ModelOutcome& model, std::size_t rows) {
  EXPECT_EQ(report.rows_read, rows);
  EXPECT_EQ(report.rows_on_time, model.rows_on_time);
  EXPECT_EQ(report.rows_late, model.late.size());
  EXPECT_EQ(report.rows_bad, model.rows_bad);
  EXPECT_EQ(report.rows_in_no_window, model.rows_in_no_window);
  EXPECT_EQ(report.overflows.count, model.overflow_count);
}

}  // namespace

void expect_sound(const RunOutcome& run) {
  EXPECT_EQ(run.faults, std::vector<std::string>{});
  EXPECT_EQ(run.report.results, run.results.size());
  EXPECT_EQ(run.report.rows_late, run.late.size());
  EXPECT_EQ(run.report.state.live_entries, 0U);
  EXPECT_FALSE(run.report.cancelled);
  expect_rows_add_up(run.report);
}

std::map<std::string, int> table_of(const std::vector<ResultRow>& changes) {
  std::map<std::string, int> table;
  for (ResultRow change : changes) {
    const std::string kind = std::get<std::string>(change.aggregates.back());
    change.aggregates.resize(change.aggregates.size() - 3);
    const std::string text = to_text(change);
    if (kind == "+I" || kind == "+U") {
      ++table[text];
    } else if (--table[text] == 0) {
      table.erase(text);
    }
  }
  return table;
}

std::int64_t disorder_of(const std::vector<Row>& rows) {
  std::int64_t disorder = 0;
  EventTime highest = kNoWatermark;
  for (const Row& row : rows) {
    if (highest != kNoWatermark) disorder = std::max(disorder, highest - row.time);
    highest = std::max(highest, row.time);
  }
  return disorder;
}

std::string first_difference(const std::vector<std::string>& actual,
                             const std::vector<std::string>& expected) {
  const std::size_t shared = std::min(actual.size(), expected.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (actual[i] != expected[i]) {
      return "line " + std::to_string(i) + ": " + actual[i] + " instead of " + expected[i];
    }
  }
  if (actual.size() == expected.size()) return "";
  return std::to_string(actual.size()) + " lines instead of " + std::to_string(expected.size());
}

void expect_equals_model(const RunOutcome& run, const ModelOutcome& model, std::size_t rows) {
  expect_sound(run);
  EXPECT_EQ(first_difference(to_lines(run.results), to_lines(model.results)), "");
  expect_same_counters(run.report, model, rows);
  expect_same_late_rows(run, model);
}

void check_every_strategy(Random& random, const Scenario& scenario) {
  SCOPED_TRACE(scenario.to_text());
  const ModelOutcome model = run_naive_model(scenario.query, scenario.rows);
  const std::vector<Strategy> strategies = allowed_strategies(scenario.query);
  ASSERT_FALSE(strategies.empty()) << validate(scenario.query).error().message;
  for (const Strategy strategy : strategies) {
    WindowQuery query = scenario.query;
    query.strategy = strategy;
    const RunSettings settings = random_settings(random);
    SCOPED_TRACE(std::string(to_string(strategy)) + ": " + settings.to_text());
    const RunOutcome run = run_query(query, {scenario.rows}, settings);
    expect_equals_model(run, model, scenario.rows.size());
    if (::testing::Test::HasFailure()) return;
  }
}

void check_several_partitions(Random& random, Scenario scenario) {
  scenario.query.delay = kMaxDurationMs;
  SCOPED_TRACE(scenario.to_text());
  const ModelOutcome model =
      run_naive_model(scenario.query, scenario.rows, ModelWatermark::kOnlyAtEnd);
  const auto partitions = deal(random, scenario.rows, 2 + random() % 4);
  const std::vector<Strategy> strategies = allowed_strategies(scenario.query);
  ASSERT_FALSE(strategies.empty()) << validate(scenario.query).error().message;
  for (const Strategy strategy : strategies) {
    WindowQuery query = scenario.query;
    query.strategy = strategy;
    const RunSettings settings = random_settings(random);
    SCOPED_TRACE(fmt::format("{} partitions, {}: {}", partitions.size(), to_string(strategy),
                             settings.to_text()));
    expect_equals_model(run_query(query, partitions, settings), model, scenario.rows.size());
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace tidemark::test_support
