// Random streams near shifts of a zone's clock, through the whole pipeline, against the naive
// model.
#include <gtest/gtest.h>

#include <string>

#include "property/property_check.h"
#include "property/random_scenario.h"
#include "property/random_windows.h"
#include "support/zones.h"

namespace tidemark::test_support {
namespace {

class ZonesProperty : public PropertyTest {};

WindowSpec random_aligned(Random& random, std::int64_t unit) {
  switch (between(random, 0, 2)) {
    case 0:
      return random_sliding(random, unit);
    case 1:
      return random_cumulate(random, unit);
    default:
      return random_calendar(random);
  }
}

ScenarioShape shape_in(const std::string& zone) {
  ScenarioShape shape;
  shape.window = random_aligned;
  shape.units = {1000, 900'000, 1'800'000, 3'600'000, 86'400'000};
  shape.starts = transitions_of(zone);
  if (shape.starts.empty()) shape.starts = {0};
  shape.settings = [zone](Random&, WindowQuery& query, std::int64_t) { query.zone = zone; };
  return shape;
}

std::string random_zone(Random& random) {
  return kZones[static_cast<std::size_t>(between(random, 0, kZones.size() - 1))];
}

TEST_F(ZonesProperty, OnePartitionEqualsTheModelForEveryStrategyAndSetting) {
  for_random_seeds(40, [](Random& random) {
    check_every_strategy(random, random_scenario(random, shape_in(random_zone(random))));
  });
}

TEST_F(ZonesProperty, WindowsKeptForLateRowsEqualTheModel) {
  for_random_seeds(20, [](Random& random) {
    ScenarioShape shape = shape_in(random_zone(random));
    shape.settings = [in_zone = shape.settings](Random& r, WindowQuery& query, std::int64_t unit) {
      in_zone(r, query, unit);
      add_lateness(r, query, unit);
    };
    check_every_strategy(random, random_scenario(random, shape));
  });
}

TEST_F(ZonesProperty, SeveralPartitionsWithEnoughDelayEqualTheModel) {
  for_random_seeds(20, [](Random& random) {
    check_several_partitions(random, random_scenario(random, shape_in(random_zone(random))));
  });
}

}  // namespace
}  // namespace tidemark::test_support
