// Queries of many windows over one set of slices: against the naive model, and against a state of
// its own for each window.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "property/naive_model.h"
#include "property/property_check.h"
#include "property/random_scenario.h"
#include "support/query_run.h"
#include "support/zones.h"

namespace tidemark::test_support {
namespace {

class ManyWindowsProperty : public PropertyTest {};

// Tumbling, sliding and cumulate windows, some of which always end together.
WindowSpec random_shareable(Random& random, std::int64_t unit) {
  switch (between(random, 0, 3)) {
    case 0:
      return random_cumulate(random, unit);
    case 1: {
      const std::int64_t slide = one_of(random, {unit, 2 * unit, 4 * unit});
      const std::int64_t size = slide * between(random, 1, 8);
      return {size == slide ? WindowKind::kTumbling : WindowKind::kSliding, size, slide};
    }
    default:
      return random_sliding(random, unit);
  }
}

ScenarioShape shape_of(std::int64_t most_windows) {
  ScenarioShape shape;
  shape.window = random_shareable;
  shape.settings = [most_windows](Random& random, WindowQuery& query, std::int64_t unit) {
    query.strategy = Strategy::kBaseIntervals;
    for (std::int64_t more = between(random, 0, most_windows - 1); more > 0; --more) {
      query.windows.push_back(random_shareable(random, unit));
    }
  };
  return shape;
}

void check_model(Random& random, const Scenario& scenario) {
  SCOPED_TRACE(scenario.to_text());
  const ModelOutcome model = run_naive_model(scenario.query, scenario.rows);
  const RunSettings settings = random_settings(random);
  SCOPED_TRACE(settings.to_text());
  expect_equals_model(run_query(scenario.query, {scenario.rows}, settings), model,
                      scenario.rows.size());
}

TEST_F(ManyWindowsProperty, EqualTheModel) {
  for_random_seeds(
      60, [](Random& random) { check_model(random, random_scenario(random, shape_of(4))); });
}

TEST_F(ManyWindowsProperty, WithGapsOnlyEqualTheModel) {
  for_random_seeds(30, [](Random& random) {
    ScenarioShape shape;
    shape.window = [](Random& r, std::int64_t unit) {
      const std::int64_t size = between(r, 1, 5 * unit);
      return WindowSpec{WindowKind::kSliding, size, size + between(r, 1, 10 * unit)};
    };
    Scenario scenario = random_scenario(random, shape);
    scenario.query.strategy = Strategy::kBaseIntervals;
    check_model(random, scenario);
  });
}

TEST_F(ManyWindowsProperty, WithNanAndInfinityEqualTheModel) {
  for_random_seeds(15, [](Random& random) {
    ScenarioShape shape = shape_of(3);
    shape.doubles = DoubleInputs::kWithNan;
    check_model(random, random_scenario(random, shape));
  });
}

TEST_F(ManyWindowsProperty, OnTheWallClockOfAZoneEqualTheModel) {
  for_random_seeds(40, [](Random& random) {
    ScenarioShape shape = shape_of(3);
    shape.window = [](Random& r, std::int64_t unit) {
      return chance(r, 0.3) ? random_calendar(r) : random_shareable(r, unit);
    };
    shape.units = {60'000, 900'000, 3'600'000};
    const std::string zone = kZones[random() % kZones.size()];
    shape.starts = transitions_of(zone);
    if (shape.starts.empty()) shape.starts = {0};
    Scenario scenario = random_scenario(random, shape);
    scenario.query.zone = zone;
    check_model(random, scenario);
  });
}

TEST_F(ManyWindowsProperty, BesideWindowsThatShareNothingEqualTheModel) {
  for_random_seeds(20, [](Random& random) {
    ScenarioShape shape = shape_of(1);
    const auto settings = shape.settings;
    shape.settings = [settings](Random& r, WindowQuery& query, std::int64_t unit) {
      settings(r, query, unit);
      query.strategy = Strategy::kAuto;
      for (int i = 0; i < 7; ++i) query.windows.push_back(random_shareable(r, unit));
      query.windows.push_back(random_session(r, unit));
      if (query.windows.back().size == 0) query.windows.pop_back();
    };
    check_model(random, random_scenario(random, shape));
  });
}

// Every window has the results, and every row the fate, that it has where each window has slices of
// its own.
TEST_F(ManyWindowsProperty, SayWhatSeparateStatesSay) {
  for_random_seeds(15, [](Random& random) {
    const Scenario scenario = random_scenario(random, shape_of(20));
    SCOPED_TRACE(scenario.to_text());
    WindowQuery separate = scenario.query;
    separate.strategy = one_of(random, {Strategy::kTwoStacks, Strategy::kRecompute});
    // With a sink for each worker a window counts once for each.
    RunSettings settings = random_settings(random);
    settings.sink_per_worker = false;
    const RunOutcome shared = run_query(scenario.query, {scenario.rows}, settings);
    settings = random_settings(random);
    settings.sink_per_worker = false;
    const RunOutcome own = run_query(separate, {scenario.rows}, settings);
    expect_sound(shared);
    EXPECT_EQ(first_difference(to_lines(shared.results), to_lines(own.results)), "");
    EXPECT_EQ(to_sorted_lines(shared.late_rows()), to_sorted_lines(own.late_rows()));
    EXPECT_EQ(shared.report.rows_on_time, own.report.rows_on_time);
    EXPECT_EQ(shared.report.rows_in_no_window, own.report.rows_in_no_window);
    EXPECT_EQ(shared.report.windows_fired, own.report.windows_fired);
  });
}

// Sums of doubles to the last bit.
TEST_F(ManyWindowsProperty, AddDoublesInOneOrderOnAnyNumberOfCores) {
  for_random_seeds(20, [](Random& random) {
    ScenarioShape shape = shape_of(4);
    shape.doubles = DoubleInputs::kArbitrary;
    const Scenario scenario = random_scenario(random, shape);
    SCOPED_TRACE(scenario.to_text());
    RunSettings one = random_settings(random);
    one.pipeline.cores = 1;
    RunSettings several = random_settings(random);
    several.pipeline.cores = 4;
    const RunOutcome a = run_query(scenario.query, {scenario.rows}, one);
    const RunOutcome b = run_query(scenario.query, {scenario.rows}, several);
    ASSERT_EQ(a.results.size(), b.results.size());
    for (std::size_t i = 0; i < a.results.size(); ++i) {
      ASSERT_EQ(a.results[i].aggregates, b.results[i].aggregates) << to_text(a.results[i]);
    }
  });
}

}  // namespace
}  // namespace tidemark::test_support
