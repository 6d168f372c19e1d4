// Runs equal the model wherever watermarks come from: rows that bring them, none at all, and rows
// too far ahead to move them.
#include <gtest/gtest.h>

#include "property/property_check.h"
#include "property/random_scenario.h"
#include "property/random_windows.h"

namespace tidemark::test_support {
namespace {

class WatermarksProperty : public PropertyTest {};

Scenario random_timed_scenario(Random& random) {
  ScenarioShape shape;
  shape.window = random_timed;
  shape.settings = [](Random& from, WindowQuery& query, std::int64_t unit) {
    if (between(from, 0, 1) == 1) query.lateness = between(from, 0, 30) * unit;
  };
  return random_scenario(random, shape);
}

// Some behind the row's time, some ahead of it, many none.
void bring_watermarks(Random& random, Scenario& scenario) {
  scenario.query.watermarks = WatermarkKind::kPunctuated;
  for (Row& row : scenario.rows) {
    const EventTime watermark = row.time - between(random, -500, 20'000);
    const std::int64_t choice = between(random, 0, 5);
    row.cells.push_back(choice == 0   ? Cell(std::int64_t{watermark})
                        : choice == 1 ? kNull
                                      : Cell(std::int64_t{kNoWatermark}));
  }
}

TEST_F(WatermarksProperty, RowsMayBringThem) {
  for_random_seeds(60, [](Random& random) {
    Scenario scenario = random_timed_scenario(random);
    bring_watermarks(random, scenario);
    SCOPED_TRACE(scenario.to_text());
    check_every_strategy(random, scenario);
  });
}

TEST_F(WatermarksProperty, ThereMayBeNone) {
  for_random_seeds(40, [](Random& random) {
    Scenario scenario = random_timed_scenario(random);
    scenario.query.watermarks = WatermarkKind::kNone;
    SCOPED_TRACE(scenario.to_text());
    check_every_strategy(random, scenario);
  });
}

TEST_F(WatermarksProperty, RowsTooFarAheadMoveNothing) {
  for_random_seeds(60, [](Random& random) {
    Scenario scenario = random_timed_scenario(random);
    scenario.query.max_ahead = between(random, 1, 30'000);
    SCOPED_TRACE(scenario.to_text());
    check_every_strategy(random, scenario);
  });
}

}  // namespace
}  // namespace tidemark::test_support
