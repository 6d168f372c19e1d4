// Windows on the wall clock of random zones, near the days when their clocks change, and windows of
// the calendar, against the naive model.
#include "property/property_check.h"

namespace tidemark::test_support {
namespace {

class ClockChangesProperty : public PropertyTest {};

constexpr std::int64_t kMinute = 60'000;

// Near changes of clocks: Los Angeles and Rome in 2021, São Paulo at midnight in 2018, Lord Howe by
// half an hour in 2024, Samoa by a day in 2011, Shanghai's only ones in 1991, and local mean time.
const std::vector<EventTime> kStarts = {1'615'716'000'000, 1'636'275'600'000, 1'616'893'200'000,
                                        1'635'642'000'000, 1'541'300'400'000, 1'712'415'600'000,
                                        1'325'239'200'000, 684'867'600'000,   -2'717'640'000'000};

std::string random_zone(Random& random) {
  return one_of<const char*>(
      random, {"UTC", "Etc/UTC", "America/Los_Angeles", "America/New_York", "Europe/Rome",
               "Europe/London", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia",
               "Asia/Shanghai", "Asia/Kathmandu", "Asia/Tehran", "America/St_Johns",
               "Antarctica/Troll", "Africa/Casablanca"});
}

ScenarioShape zone_shape() {
  ScenarioShape shape;
  shape.units = {kMinute, 15 * kMinute, 60 * kMinute, 24 * 60 * kMinute};
  shape.starts = kStarts;
  shape.window = [](Random& random, std::int64_t unit) {
    if (chance(random, 0.2)) return random_calendar(random);
    return chance(random, 0.3) ? random_cumulate(random, unit) : random_sliding(random, unit);
  };
  shape.settings = [](Random& random, WindowQuery& query, std::int64_t) {
    query.zone = random_zone(random);
  };
  return shape;
}

TEST_F(ClockChangesProperty, OnePartitionEqualsTheModelForEveryStrategyAndSetting) {
  for_random_seeds(60, [](Random& random) {
    check_every_strategy(random, random_scenario(random, zone_shape()));
  });
}

TEST_F(ClockChangesProperty, SeveralPartitionsWithEnoughDelayEqualTheModel) {
  for_random_seeds(30, [](Random& random) {
    check_several_partitions(random, random_scenario(random, zone_shape()));
  });
}

TEST_F(ClockChangesProperty, WindowsOfTheCalendarEqualTheModel) {
  for_random_seeds(60, [](Random& random) {
    ScenarioShape shape;
    shape.units = {60 * kMinute, 24 * 60 * kMinute};
    shape.window = [](Random& inner, std::int64_t) { return random_calendar(inner); };
    check_every_strategy(random, random_scenario(random, shape));
  });
}

TEST_F(ClockChangesProperty, LateAndEarlyFiringsEqualTheModel) {
  for_random_seeds(60, [](Random& random) {
    ScenarioShape shape = zone_shape();
    shape.large_integers = false;
    shape.settings = [](Random& inner, WindowQuery& query, std::int64_t unit) {
      query.zone = random_zone(inner);
      add_firing(inner, query, unit);
    };
    check_every_strategy(random, random_scenario(random, shape));
  });
}

}  // namespace
}  // namespace tidemark::test_support
