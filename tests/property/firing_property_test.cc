// Early, on time and late firings over random streams, in every mode of accumulation, against the
// naive model.
#include "property/property_check.h"

namespace tidemark::test_support {
namespace {

class FiringProperty : public PropertyTest {};

ScenarioShape firing_shape() {
  ScenarioShape shape;
  shape.large_integers = false;
  shape.window = [](Random& random, std::int64_t unit) {
    return chance(random, 0.3) ? random_cumulate(random, unit) : random_sliding(random, unit);
  };
  shape.settings = add_firing;
  return shape;
}

TEST_F(FiringProperty, OnePartitionEqualsTheModelForEverySetting) {
  for_random_seeds(150, [](Random& random) {
    check_every_strategy(random, random_scenario(random, firing_shape()));
  });
}

TEST_F(FiringProperty, NanAndInfinityFollowTheModel) {
  for_random_seeds(30, [](Random& random) {
    ScenarioShape shape = firing_shape();
    shape.doubles = DoubleInputs::kWithNan;
    check_every_strategy(random, random_scenario(random, shape));
  });
}

TEST_F(FiringProperty, GlobalWindowsEqualTheModel) {
  for_random_seeds(60, [](Random& random) {
    ScenarioShape shape = firing_shape();
    shape.window = [](Random&, std::int64_t) { return global_window(); };
    shape.settings = [](Random& inner, WindowQuery& query, std::int64_t unit) {
      if (chance(inner, 0.7)) add_firing(inner, query, unit);
      query.repeat_unchanged = false;
    };
    check_every_strategy(random, random_scenario(random, shape));
  });
}

}  // namespace
}  // namespace tidemark::test_support
