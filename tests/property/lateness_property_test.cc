// Allowed lateness over random streams, in every mode of accumulation, against the naive model.
#include "property/property_check.h"
#include "tidemark/operators/trigger.h"

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

// Only what is exact is taken back from shared slices.
TEST_F(LatenessProperty, RetractionsFromSharedSlicesFollowTheModel) {
  for_random_seeds(60, [](Random& random) {
    Scenario scenario = random_scenario(random, late_shape());
    WindowQuery& query = scenario.query;
    std::erase_if(query.aggregates, [&](const AggregateSpec& aggregate) {
      return aggregate.input != AggregateSpec::kRows &&
             query.values[static_cast<std::size_t>(aggregate.input)].type == ColumnType::kDouble &&
             aggregate.function != AggregateFunction::kMin &&
             aggregate.function != AggregateFunction::kMax;
    });
    if (query.aggregates.empty()) {
      query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
    }
    query.accumulation = Accumulation::kRetracting;
    query.reports_panes = true;
    EXPECT_FALSE(query.carries_watermarks());
    check_every_strategy(random, scenario);
  });
}

// A trigger of one's own that does what is done without one takes the query off the shared path.
void expect_what_the_general_path_says(Random& random, const Scenario& scenario) {
  SCOPED_TRACE(scenario.to_text());
  WindowQuery general = scenario.query;
  general.trigger = after_watermark();
  const RunOutcome expected = run_query(general, {scenario.rows}, random_settings(random));
  for (const Strategy strategy : allowed_strategies(scenario.query)) {
    WindowQuery query = scenario.query;
    query.strategy = strategy;
    const RunOutcome run = run_query(query, {scenario.rows}, random_settings(random));
    SCOPED_TRACE(to_string(strategy));
    EXPECT_EQ(first_difference(to_lines(run.results), to_lines(expected.results)), "");
    EXPECT_EQ(to_sorted_lines(run.late_rows()), to_sorted_lines(expected.late_rows()));
  }
}

TEST_F(LatenessProperty, SharedSlicesSayWhatOneStatePerKeyAndWindowSays) {
  for_random_seeds(30, [](Random& random) {
    expect_what_the_general_path_says(random, random_scenario(random, late_shape()));
  });
}

// Windows of a hundred slices and more, and keys with many late rows in each: so that blocks of
// slices are summed up, and late rows come for them.
Scenario many_slices(Random& random) {
  Scenario scenario;
  WindowQuery& query = scenario.query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kInt64}};
  const std::int64_t slide = between(random, 1, 3);
  const std::int64_t size = between(random, 70, 130) * slide + between(random, 0, slide - 1);
  query.windows = {sliding(std::chrono::milliseconds(size), std::chrono::milliseconds(slide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
                      {AggregateFunction::kSum, 0, "sum"}};
  if (chance(random, 0.5)) query.aggregates[1].function = AggregateFunction::kMax;
  add_lateness(random, query, slide);
  query.lateness = size / one_of(random, {1, 2, 4});
  EventTime now = between(random, -500, 500);
  for (int row = 0; row < 250; ++row) {
    now += between(random, 0, 2 * slide);
    const EventTime behind = chance(random, 0.3) ? between(random, 1, size) : 0;
    scenario.rows.push_back(
        {now - behind, {Cell(between(random, 1, 2)), Cell(between(random, -99, 99))}});
  }
  return scenario;
}

TEST_F(LatenessProperty, WindowsOfManySlicesSayWhatOneStatePerKeyAndWindowSays) {
  for_random_seeds(
      10, [](Random& random) { expect_what_the_general_path_says(random, many_slices(random)); });
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
