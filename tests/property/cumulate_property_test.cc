// Cumulate windows over random streams, alone and beside others, against the naive model.
#include "property/property_check.h"

namespace tidemark::test_support {
namespace {

class CumulateProperty : public PropertyTest {};

ScenarioShape cumulate_shape(DoubleInputs doubles) {
  ScenarioShape shape;
  shape.doubles = doubles;
  shape.window = [](Random& random, std::int64_t unit) {
    return chance(random, 0.8) ? random_cumulate(random, unit) : random_sliding(random, unit);
  };
  return shape;
}

TEST_F(CumulateProperty, OnePartitionEqualsTheModelForEveryStrategyAndSetting) {
  for_random_seeds(60, [](Random& random) {
    check_every_strategy(random, random_scenario(random, cumulate_shape(DoubleInputs::kExact)));
  });
}

TEST_F(CumulateProperty, NanAndInfinityStayUntilTheLongestWindowIsOver) {
  for_random_seeds(30, [](Random& random) {
    check_every_strategy(random, random_scenario(random, cumulate_shape(DoubleInputs::kWithNan)));
  });
}

TEST_F(CumulateProperty, SeveralPartitionsWithEnoughDelayEqualTheModel) {
  for_random_seeds(30, [](Random& random) {
    check_several_partitions(random, random_scenario(random, cumulate_shape(DoubleInputs::kExact)));
  });
}

}  // namespace
}  // namespace tidemark::test_support
