// Random streams through the whole pipeline, against the naive model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "property/naive_model.h"
#include "property/property_check.h"
#include "property/random_scenario.h"
#include "support/query_run.h"
#include "tidemark/operators/pipeline.h"

namespace tidemark::test_support {
namespace {

class WindowsProperty : public PropertyTest {};

TEST_F(WindowsProperty, OnePartitionEqualsTheModelForEveryStrategyAndSetting) {
  for_random_seeds(60, [](Random& random) {
    check_every_strategy(random, random_scenario(random, DoubleInputs::kExact));
  });
}

TEST_F(WindowsProperty, NanAndInfinityFollowTheModelAndLeaveWithTheirRows) {
  for_random_seeds(30, [](Random& random) {
    check_every_strategy(random, random_scenario(random, DoubleInputs::kWithNan));
  });
}

// The same stream, query and strategy: the deterministic figures are equal, not only the results.
void expect_same_figures(const RunReport& a, const RunReport& b) {
  EXPECT_EQ(a.highest_event_time, b.highest_event_time);
  EXPECT_EQ(a.watermark, b.watermark);
  EXPECT_EQ(a.state.updates, b.state.updates);
  EXPECT_EQ(a.state.merges, b.state.merges);
  EXPECT_EQ(a.state.windows_fired, b.state.windows_fired);
  EXPECT_EQ(a.state.peak_live_entries, b.state.peak_live_entries);
}

TEST_F(WindowsProperty, FiguresOfOnePartitionDoNotDependOnBatchesCreditOrYields) {
  for_random_seeds(15, [](Random& random) {
    const Scenario scenario = random_scenario(random, DoubleInputs::kExact);
    SCOPED_TRACE(scenario.to_text());
    const RunSettings first = random_settings(random);
    for (const Strategy strategy : allowed_strategies(scenario.query)) {
      WindowQuery query = scenario.query;
      query.strategy = strategy;
      RunSettings second = random_settings(random);
      second.pipeline.cores = first.pipeline.cores;
      // What sources hold is in no window stage.
      second.pipeline.local_aggregation = first.pipeline.local_aggregation;
      SCOPED_TRACE(std::string(to_string(strategy)) + ":\n" + first.to_text() + "\n" +
                   second.to_text());
      expect_same_figures(run_query(query, {scenario.rows}, first).report,
                          run_query(query, {scenario.rows}, second).report);
      if (testing::Test::HasFailure()) return;
    }
  });
}

void expect_close(const Cell& actual, const Cell& expected) {
  ASSERT_EQ(actual.index(), expected.index());
  if (std::holds_alternative<double>(expected)) {
    const double value = std::get<double>(expected);
    EXPECT_NEAR(std::get<double>(actual), value, 1e-12 * std::fabs(value));
  } else {
    EXPECT_EQ(to_text(actual), to_text(expected));
  }
}

TEST_F(WindowsProperty, SumsOfArbitraryDoublesStayWithinTheirRelativeError) {
  for_random_seeds(20, [](Random& random) {
    const Scenario scenario = random_scenario(random, DoubleInputs::kArbitrary);
    SCOPED_TRACE(scenario.to_text());
    const ModelOutcome model = run_naive_model(scenario.query, scenario.rows);
    for (const Strategy strategy : allowed_strategies(scenario.query)) {
      WindowQuery query = scenario.query;
      query.strategy = strategy;
      SCOPED_TRACE(to_string(strategy));
      const RunOutcome run = run_query(query, {scenario.rows}, random_settings(random));
      ASSERT_EQ(run.results.size(), model.results.size());
      for (std::size_t i = 0; i < run.results.size(); ++i) {
        SCOPED_TRACE(to_text(model.results[i]));
        for (std::size_t j = 0; j < model.results[i].aggregates.size(); ++j) {
          expect_close(run.results[i].aggregates[j], model.results[i].aggregates[j]);
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  });
}

TEST_F(WindowsProperty, SeveralPartitionsWithEnoughDelayEqualTheModel) {
  for_random_seeds(30, [](Random& random) {
    check_several_partitions(random, random_scenario(random, DoubleInputs::kExact));
  });
}

// Rows that were not late by the pace of their partition.
std::vector<Row> without_late(const std::vector<Row>& rows, const RunOutcome& run) {
  std::multimap<std::string, int> late;
  for (const Row& row : run.late_rows()) late.emplace(to_text(row), 0);
  std::vector<Row> accepted;
  for (const Row& row : rows) {
    const auto found = late.find(to_text(row));
    if (found == late.end()) {
      accepted.push_back(row);
    } else {
      late.erase(found);
    }
  }
  EXPECT_TRUE(late.empty()) << "a late row was never read: " << late.begin()->first;
  return accepted;
}

// Which rows of several partitions are late depends on their pace; the rows that are not make up
// the results of tumbling windows exactly.
TEST_F(WindowsProperty, SeveralPartitionsLoseOnlyTheRowsTheyReportAsLate) {
  for_random_seeds(40, [](Random& random) {
    Scenario scenario = random_scenario(random, DoubleInputs::kExact);
    WindowSpec& spec = scenario.query.windows.front();
    spec.kind = WindowKind::kTumbling;
    spec.slide = spec.size;
    spec.offset %= spec.size;
    scenario.query.windows.resize(1);
    SCOPED_TRACE(scenario.to_text());
    const RunSettings settings = random_settings(random);
    SCOPED_TRACE(settings.to_text());
    const auto partitions = deal(random, scenario.rows, 2 + random() % 4);
    const RunOutcome run = run_query(scenario.query, partitions, settings);
    expect_sound(run);
    EXPECT_EQ(run.report.rows_read, scenario.rows.size());
    const ModelOutcome model = run_naive_model(scenario.query, without_late(scenario.rows, run),
                                               ModelWatermark::kOnlyAtEnd);
    EXPECT_EQ(first_difference(to_lines(run.results), to_lines(model.results)), "");
    EXPECT_EQ(run.report.rows_on_time, model.rows_on_time);
  });
}

std::map<std::string, std::int64_t> count_by_place(const std::vector<ResultRow>& results) {
  std::map<std::string, std::int64_t> counts;
  for (ResultRow result : results) {
    const std::int64_t count = std::get<std::int64_t>(result.aggregates.front());
    result.aggregates.clear();
    counts[to_text(result)] += count;
  }
  return counts;
}

// A row that is late for some sliding windows still enters those that are open, the last of them at
// least; no window holds more than all rows that were not late.
TEST_F(WindowsProperty, SeveralPartitionsPutEveryAcceptedRowInItsLastWindow) {
  for_random_seeds(40, [](Random& random) {
    Scenario scenario = random_scenario(random, DoubleInputs::kExact);
    WindowQuery& query = scenario.query;
    query.windows.resize(1);
    query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "n"}};
    SCOPED_TRACE(scenario.to_text());
    const auto partitions = deal(random, scenario.rows, 2 + random() % 4);
    const RunOutcome run = run_query(query, partitions, random_settings(random));
    expect_sound(run);
    const std::vector<Row> accepted = without_late(scenario.rows, run);
    const auto most =
        count_by_place(run_naive_model(query, accepted, ModelWatermark::kOnlyAtEnd).results);
    std::map<std::string, std::int64_t> least;
    for (const Row& row : accepted) {
      const auto single = run_naive_model(query, {row}, ModelWatermark::kOnlyAtEnd).results;
      if (!single.empty()) least[count_by_place({single.back()}).begin()->first] += 1;
    }
    auto actual = count_by_place(run.results);
    for (const auto& [place, count] : actual) {
      const auto limit = most.find(place);
      ASSERT_NE(limit, most.end()) << "nothing belongs to " << place;
      EXPECT_LE(count, limit->second) << place;
    }
    for (const auto& [place, count] : least) EXPECT_GE(actual[place], count) << place;
  });
}

TEST_F(WindowsProperty, SubtractIsRefusedForExactlyTheAggregatesThatCannotBeUndone) {
  for_random_seeds(100, [](Random& random) {
    WindowQuery query = random_scenario(random, DoubleInputs::kExact).query;
    query.strategy = Strategy::kSubtract;
    const bool undoable = std::none_of(query.aggregates.begin(), query.aggregates.end(),
                                       [](const AggregateSpec& spec) {
                                         return spec.function == AggregateFunction::kMin ||
                                                spec.function == AggregateFunction::kMax;
                                       });
    EXPECT_EQ(validate(query).has_value(), undoable);
  });
}

}  // namespace
}  // namespace tidemark::test_support
