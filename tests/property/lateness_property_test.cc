// Allowed lateness over random streams, in every mode of accumulation, against the naive model.
#include "property/property_check.h"

namespace tidemark::test_support {
namespace {

class LatenessProperty : public PropertyTest {};

ScenarioShape late_shape() {
  ScenarioShape shape;
  shape.large_integers = false;
  shape.window = [](Random& random, std::int64_t unit) {
    return chance(random, 0.3) ? random_cumulate(random, unit) : random_sliding(random, unit);
  };
  shape.settings = add_lateness;
  return shape;
}

TEST_F(LatenessProperty, OnePartitionEqualsTheModelForEverySetting) {
  for_random_seeds(150, [](Random& random) {
    check_every_strategy(random, random_scenario(random, late_shape()));
  });
}

TEST_F(LatenessProperty, NanAndInfinityFollowTheModel) {
  for_random_seeds(30, [](Random& random) {
    ScenarioShape shape = late_shape();
    shape.doubles = DoubleInputs::kWithNan;
    check_every_strategy(random, random_scenario(random, shape));
  });
}

TEST_F(LatenessProperty, SeveralPartitionsWithEnoughDelayEqualTheModel) {
  for_random_seeds(40, [](Random& random) {
    check_several_partitions(random, random_scenario(random, late_shape()));
  });
}

TEST_F(LatenessProperty, NoRowIsLateWhereTheDelayCoversTheDisorder) {
  for_random_seeds(40, [](Random& random) {
    ScenarioShape shape = late_shape();
    shape.window = random_timed;
    Scenario scenario = random_scenario(random, shape);
    scenario.query.delay = disorder_of(scenario.rows);
    SCOPED_TRACE(scenario.to_text());
    const RunOutcome run = run_query(scenario.query, {scenario.rows}, random_settings(random));
    expect_sound(run);
    EXPECT_EQ(run.report.rows_late, 0U);
  });
}

TEST_F(LatenessProperty, NoRowIsLateWhereTheLatenessCoversTheDisorder) {
  for_random_seeds(40, [](Random& random) {
    ScenarioShape shape = late_shape();
    shape.window = random_timed;
    Scenario scenario = random_scenario(random, shape);
    scenario.query.lateness = disorder_of(scenario.rows);
    SCOPED_TRACE(scenario.to_text());
    const RunOutcome run = run_query(scenario.query, {scenario.rows}, random_settings(random));
    expect_sound(run);
    EXPECT_EQ(run.report.rows_late, 0U);
  });
}

// Whatever the pace of several partitions: where lateness is long enough for every row, the changes
// of a retracting query make the table that one pass over all rows would have made.
void expect_changes_make_the_final_table(Random& random, Scenario scenario) {
  WindowQuery& query = scenario.query;
  query.accumulation = Accumulation::kRetracting;
  query.reports_panes = true;
  query.lateness = kMaxDurationMs;
  SCOPED_TRACE(scenario.to_text());
  const auto partitions = deal(random, scenario.rows, 1 + random() % 4);
  const RunOutcome run = run_query(query, partitions, random_settings(random));
  expect_sound(run);
  EXPECT_EQ(run.report.rows_late, 0U);
  const ModelOutcome model = run_naive_model(query, scenario.rows, ModelWatermark::kOnlyAtEnd);
  EXPECT_EQ(table_of(run.results), table_of(model.results));
}

TEST_F(LatenessProperty, RetractionsOfSeveralPartitionsMakeTheFinalTable) {
  for_random_seeds(60, [](Random& random) {
    ScenarioShape shape = late_shape();
    shape.window = random_timed;
    expect_changes_make_the_final_table(random, random_scenario(random, shape));
  });
}

TEST_F(LatenessProperty, RetractionsWithEarlyFiringsMakeTheFinalTable) {
  for_random_seeds(60, [](Random& random) {
    ScenarioShape shape = late_shape();
    shape.window = random_timed;
    shape.settings = add_firing;
    expect_changes_make_the_final_table(random, random_scenario(random, shape));
  });
}

// The parts that a discarding query reports add up to the rows that were accepted.
TEST_F(LatenessProperty, DiscardedPartsAddUpToTheRows) {
  for_random_seeds(40, [](Random& random) {
    ScenarioShape shape = late_shape();
    shape.window = [](Random& inner, std::int64_t unit) {
      return chance(inner, 0.5) ? random_session(inner, unit)
                                : tumbling(std::chrono::milliseconds(between(inner, 1, 50 * unit)));
    };
    shape.settings = add_firing;
    Scenario scenario = random_scenario(random, shape);
    WindowQuery& query = scenario.query;
    query.windows.resize(1);
    query.accumulation = Accumulation::kDiscarding;
    query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
    SCOPED_TRACE(scenario.to_text());
    const auto partitions = deal(random, scenario.rows, 1 + random() % 4);
    const RunOutcome run = run_query(query, partitions, random_settings(random));
    expect_sound(run);
    std::int64_t sum = 0;
    for (const ResultRow& result : run.results) {
      sum += std::get<std::int64_t>(result.aggregates[0]);
    }
    EXPECT_EQ(static_cast<std::uint64_t>(sum), run.report.rows_on_time);
  });
}

}  // namespace
}  // namespace tidemark::test_support
