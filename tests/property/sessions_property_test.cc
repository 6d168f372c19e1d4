// Sessions over random streams, with a fixed gap and with one of each row, against the naive model.
#include <algorithm>

#include "property/property_check.h"

namespace tidemark::test_support {
namespace {

class SessionsProperty : public PropertyTest {};

ScenarioShape session_shape(DoubleInputs doubles) {
  ScenarioShape shape;
  shape.doubles = doubles;
  shape.window = [](Random& random, std::int64_t unit) {
    return chance(random, 0.8) ? random_session(random, unit) : random_timed(random, unit);
  };
  return shape;
}

TEST_F(SessionsProperty, OnePartitionEqualsTheModelForEverySetting) {
  for_random_seeds(100, [](Random& random) {
    check_every_strategy(random, random_scenario(random, session_shape(DoubleInputs::kExact)));
  });
}

TEST_F(SessionsProperty, NanAndInfinityFollowTheModel) {
  for_random_seeds(30, [](Random& random) {
    check_every_strategy(random, random_scenario(random, session_shape(DoubleInputs::kWithNan)));
  });
}

TEST_F(SessionsProperty, SeveralPartitionsWithEnoughDelayEqualTheModel) {
  for_random_seeds(40, [](Random& random) {
    check_several_partitions(random, random_scenario(random, session_shape(DoubleInputs::kExact)));
  });
}

TEST_F(SessionsProperty, LateFiringsEqualTheModel) {
  for_random_seeds(100, [](Random& random) {
    ScenarioShape shape = session_shape(DoubleInputs::kExact);
    shape.large_integers = false;
    shape.settings = add_lateness;
    check_every_strategy(random, random_scenario(random, shape));
  });
}

TEST_F(SessionsProperty, EarlyFiringsEqualTheModel) {
  for_random_seeds(100, [](Random& random) {
    ScenarioShape shape = session_shape(DoubleInputs::kExact);
    shape.large_integers = false;
    shape.settings = add_firing;
    check_every_strategy(random, random_scenario(random, shape));
  });
}

TEST_F(SessionsProperty, TheOrderOfRowsDoesNotMatterWhereNothingIsLate) {
  WindowQuery query;
  query.windows = {session(std::chrono::milliseconds(10))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
  query.delay = kMaxDurationMs;
  std::vector<EventTime> times = {0, 4, 9, 21, 30, 31};
  do {
    std::vector<Row> rows;
    for (const EventTime time : times) rows.push_back({time, {}});
    const RunOutcome run = run_query(query, {rows}, RunSettings{});
    ASSERT_EQ(to_lines(run.results),
              (std::vector<std::string>{"#0 [0, 19)  | 3", "#0 [21, 41)  | 3"}));
  } while (std::next_permutation(times.begin(), times.end()));
}

}  // namespace
}  // namespace tidemark::test_support
