// Partial states from source tasks in the place of rows: the same results, bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "property/naive_model.h"
#include "property/property_check.h"
#include "property/random_scenario.h"
#include "support/query_run.h"
#include "tidemark/operators/local_aggregation.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/operators/plan.h"

namespace tidemark::test_support {
namespace {

class LocalAggregationProperty : public PropertyTest {};

// Windows of every kind that has slices; one, since several are refused.
Scenario one_window(Random& random, DoubleInputs doubles) {
  ScenarioShape shape;
  shape.doubles = doubles;
  if (chance(random, 0.2)) shape.window = random_cumulate;
  Scenario scenario = random_scenario(random, shape);
  scenario.query.windows.resize(1);
  return scenario;
}

RunSettings random_settings(Random& random, LocalAggregation choice) {
  RunSettings settings = test_support::random_settings(random);
  settings.pipeline.local_aggregation = choice;
  return settings;
}

bool is_refused(const WindowQuery& query) {
  return refuses_local_aggregation(query, plan_query(query)).has_value();
}

TEST_F(LocalAggregationProperty, OnePartitionEqualsTheModelHoweverOftenItIsSwitched) {
  std::uint64_t preaggregated = 0;
  for_random_seeds(60, [&](Random& random) {
    const Scenario scenario = one_window(random, DoubleInputs::kWithNan);
    SCOPED_TRACE(scenario.to_text());
    const ModelOutcome model = run_naive_model(scenario.query, scenario.rows);
    for (const Strategy strategy : allowed_strategies(scenario.query)) {
      WindowQuery query = scenario.query;
      query.strategy = strategy;
      for (const auto choice : {LocalAggregation::kAlways, LocalAggregation::kAlternating}) {
        const RunSettings settings = random_settings(random, choice);
        SCOPED_TRACE(std::string(to_string(strategy)) + ": " + settings.to_text());
        const RunOutcome run = run_query(query, {scenario.rows}, settings);
        expect_equals_model(run, model, scenario.rows.size());
        EXPECT_TRUE(run.report.rows_preaggregated == 0 || !is_refused(query));
        EXPECT_LE(run.report.partials, run.report.rows_preaggregated);
        preaggregated += run.report.rows_preaggregated;
        if (HasFailure()) return;
      }
    }
  });
  EXPECT_GT(preaggregated, 0U);
}

// Sums of doubles are rounded at every addition, so another order would show.
TEST_F(LocalAggregationProperty, OnePartitionGivesTheSameBitsOfDoublesOnAndOff) {
  for_random_seeds(60, [](Random& random) {
    const Scenario scenario = one_window(random, DoubleInputs::kArbitrary);
    SCOPED_TRACE(scenario.to_text());
    for (const Strategy strategy : allowed_strategies(scenario.query)) {
      WindowQuery query = scenario.query;
      query.strategy = strategy;
      if (is_refused(query)) continue;
      SCOPED_TRACE(to_string(strategy));
      const RunSettings plain = random_settings(random, LocalAggregation::kNever);
      const std::vector<std::string> expected =
          to_lines(run_query(query, {scenario.rows}, plain).results);
      for (const auto choice : {LocalAggregation::kAlways, LocalAggregation::kAlternating}) {
        const RunSettings settings = random_settings(random, choice);
        SCOPED_TRACE(settings.to_text());
        EXPECT_EQ(first_difference(to_lines(run_query(query, {scenario.rows}, settings).results),
                                   expected),
                  "");
        if (HasFailure()) return;
      }
    }
  });
}

// How many rows became part of which partials follows from the rows alone.
TEST_F(LocalAggregationProperty, FiguresOfOnePartitionDoNotDependOnBatchesOrCores) {
  for_random_seeds(30, [](Random& random) {
    const Scenario scenario = one_window(random, DoubleInputs::kExact);
    SCOPED_TRACE(scenario.to_text());
    const auto choice = one_of(random, {LocalAggregation::kAlways, LocalAggregation::kAlternating});
    const RunReport a =
        run_query(scenario.query, {scenario.rows}, random_settings(random, choice)).report;
    const RunReport b =
        run_query(scenario.query, {scenario.rows}, random_settings(random, choice)).report;
    EXPECT_EQ(a.rows_preaggregated, b.rows_preaggregated);
    EXPECT_EQ(a.partials, b.partials);
    EXPECT_EQ(a.state.updates, b.state.updates);
  });
}

TEST_F(LocalAggregationProperty, SeveralPartitionsWithEnoughDelayEqualTheModel) {
  for_random_seeds(30, [](Random& random) {
    check_several_partitions(random, one_window(random, DoubleInputs::kExact));
  });
}

// A partial that came after its windows had fired would end the run with an error. No partition
// waits for another here, and they go idle and come back.
TEST_F(LocalAggregationProperty, NoPartialIsLateWhateverThePaceOfPartitions) {
  for_random_seeds(60, [](Random& random) {
    Scenario scenario = one_window(random, DoubleInputs::kExact);
    if (chance(random, 0.5)) scenario.query.idle_timeout = between(random, 1, 3);
    SCOPED_TRACE(scenario.to_text());
    const RunSettings settings = random_settings(
        random, one_of(random, {LocalAggregation::kAlways, LocalAggregation::kAlternating}));
    SCOPED_TRACE(settings.to_text());
    const RunOutcome run =
        run_query(scenario.query, deal(random, scenario.rows, 2 + random() % 4), settings);
    expect_sound(run);
    EXPECT_EQ(run.report.rows_read, scenario.rows.size());
  });
}

}  // namespace
}  // namespace tidemark::test_support
