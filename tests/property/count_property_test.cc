// Count windows over random streams, against the naive model.
#include "property/property_check.h"

namespace tidemark::test_support {
namespace {

class CountProperty : public PropertyTest {};

ScenarioShape count_shape(DoubleInputs doubles) {
  ScenarioShape shape;
  shape.doubles = doubles;
  shape.window = [](Random& random, std::int64_t) { return random_count(random); };
  return shape;
}

TEST_F(CountProperty, OnePartitionEqualsTheModelForEverySetting) {
  for_random_seeds(80, [](Random& random) {
    check_every_strategy(random, random_scenario(random, count_shape(DoubleInputs::kExact)));
  });
}

TEST_F(CountProperty, NanAndInfinityLeaveWithTheirRows) {
  for_random_seeds(30, [](Random& random) {
    check_every_strategy(random, random_scenario(random, count_shape(DoubleInputs::kWithNan)));
  });
}

TEST_F(CountProperty, CountWindowsBesideOthersEqualTheModel) {
  for_random_seeds(50, [](Random& random) {
    ScenarioShape shape = count_shape(DoubleInputs::kExact);
    shape.window = [](Random& inner, std::int64_t unit) {
      return chance(inner, 0.5) ? random_count(inner) : random_timed(inner, unit);
    };
    check_every_strategy(random, random_scenario(random, shape));
  });
}

// Each firing of a count window is a window of its own, on time and new, in every mode.
TEST_F(CountProperty, PanesOfCountWindowsEqualTheModel) {
  for_random_seeds(40, [](Random& random) {
    ScenarioShape shape = count_shape(DoubleInputs::kExact);
    shape.large_integers = false;
    shape.window = [](Random& inner, std::int64_t unit) {
      return chance(inner, 0.7) ? random_count(inner) : random_timed(inner, unit);
    };
    shape.settings = add_lateness;
    check_every_strategy(random, random_scenario(random, shape));
  });
}

// Which rows meet in a window depends on the pace of the partitions, how many do not.
TEST_F(CountProperty, SeveralPartitionsFillAsManyWindows) {
  for_random_seeds(30, [](Random& random) {
    Scenario scenario = random_scenario(random, count_shape(DoubleInputs::kExact));
    WindowQuery& query = scenario.query;
    query.windows.resize(1);
    query.windows[0].slide = query.windows[0].size;
    query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
    SCOPED_TRACE(scenario.to_text());
    const auto counts_by_key = [](const std::vector<ResultRow>& results) {
      std::vector<std::string> lines;
      for (const ResultRow& result : results) {
        lines.push_back(to_text(result.keys) + ": " + to_text(result.aggregates));
      }
      std::sort(lines.begin(), lines.end());
      return lines;
    };
    const auto partitions = deal(random, scenario.rows, 2 + random() % 4);
    const RunOutcome run = run_query(query, partitions, random_settings(random));
    expect_sound(run);
    EXPECT_EQ(run.report.rows_late, 0U);
    const ModelOutcome model = run_naive_model(query, scenario.rows);
    EXPECT_EQ(first_difference(counts_by_key(run.results), counts_by_key(model.results)), "");
  });
}

}  // namespace
}  // namespace tidemark::test_support
