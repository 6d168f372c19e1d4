// Public data files through the `tidemark window` command. The files are no part of the project:
// they are looked for in $TIDEMARK_CASES or ../shared/cases, and the tests are skipped without
// them.
#include "support/real_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::test_support {
namespace {

double column_sum(const Table& table, std::size_t column) {
  double sum = 0;
  for (const auto& row : table) sum += number(row.at(column));
  return sum;
}

const std::vector<std::string>& highest(const Table& table, std::size_t column) {
  return *std::max_element(table.begin(), table.end(), [&](const auto& a, const auto& b) {
    return number(a.at(column)) < number(b.at(column));
  });
}

TEST_F(RealData, TaxiRidesPerDay) {
  const Table days = window(data("nab/nyc_taxi.csv"),
                            "--time timestamp --window 'tumbling size=1d' "
                            "--agg 'count, sum(value)'");
  expect_table(days, "nyc_taxi_tumble_1d.csv", {0, 1, 2, 3});
  ASSERT_EQ(days.size(), 215U);
  EXPECT_EQ(column_sum(days, 3), 156219716);
  EXPECT_EQ(number(highest(days, 3)[0]), static_cast<double>(time_of("2014-11-01T00:00:00Z")));
  EXPECT_EQ(number(highest(days, 3)[3]), 986568);
}

TEST_F(RealData, TaxiRidesPerDayEverySixHours) {
  const Table days = window(data("nab/nyc_taxi.csv"),
                            "--time timestamp --window 'sliding size=1d slide=6h' "
                            "--agg 'count, sum(value)'");
  expect_table(days, "nyc_taxi_hop_1d_6h.csv", {0, 1, 2, 3});
  EXPECT_EQ(days.size(), 863U);
  EXPECT_EQ(column_sum(days, 2), 41280);
}

TEST_F(RealData, TaxiRidesOfTheDaySoFar) {
  const Table days = window(data("nab/nyc_taxi.csv"),
                            "--time timestamp --window 'cumulate size=1d step=6h' "
                            "--agg 'count, sum(value)'");
  expect_table(days, "nyc_taxi_cumulate_6h_1d.csv", {0, 1, 2, 3});
  ASSERT_EQ(days.size(), 860U);
  EXPECT_EQ(number(days[3][3]), 745967);
}

TEST_F(RealData, AnHourThatComesTwiceIsLateUnlessTheDelayCoversIt) {
  struct Example {
    const char* window;
    const char* delay;
    std::int64_t late;
    std::size_t windows;
  };
  const Example examples[] = {{"tumbling size=5m", "0s", 11, 0},
                              {"tumbling size=5m", "30m", 5, 0},
                              {"tumbling size=5m", "55m", 0, 22683},
                              {"tumbling size=1h", "0s", 0, 1891}};
  for (const Example& example : examples) {
    SCOPED_TRACE(fmt::format("{} delay {}", example.window, example.delay));
    const Table results =
        window(data("nab/machine_temperature_system_failure.csv"),
               fmt::format("--time timestamp --window '{}' --agg count --delay {}", example.window,
                           example.delay));
    EXPECT_EQ(summary("rows_late"), example.late);
    EXPECT_EQ(column_sum(results, 2), static_cast<double>(22695 - example.late));
    if (example.windows != 0) {
      EXPECT_EQ(results.size(), example.windows);
    }
    if (example.windows == 22683) {
      EXPECT_EQ(std::count_if(results.begin(), results.end(),
                              [](const auto& row) { return row.at(2) == "2"; }),
                12);
    }
  }
}

TEST_F(RealData, TweetsPerHour) {
  const Table hours = window(data("nab/Twitter_volume_GOOG.csv"),
                             "--time timestamp --window 'tumbling size=1h' "
                             "--agg 'count, sum(value)'");
  expect_table(hours, "goog_tumble_1h.csv", {0, 1, 2, 3});
  ASSERT_EQ(hours.size(), 1321U);
  EXPECT_EQ(column_sum(hours, 3), 328506);
  EXPECT_EQ(number(highest(hours, 3)[0]), static_cast<double>(time_of("2015-03-13T20:00:00Z")));
  EXPECT_EQ(number(highest(hours, 3)[3]), 2430);
}

TEST_F(RealData, TweetsPerHourEveryTenMinutes) {
  const Table hours = window(data("nab/Twitter_volume_GOOG.csv"),
                             "--time timestamp --window 'sliding size=1h slide=10m' "
                             "--agg 'count, sum(value)'");
  ASSERT_EQ(hours.size(), 7926U);
  EXPECT_EQ(number(highest(hours, 3)[0]), static_cast<double>(time_of("2015-03-13T20:10:00Z")));
  EXPECT_EQ(number(highest(hours, 3)[3]), 2845);
}

TEST_F(RealData, TweetsOfTheFirstTenMinutesOfEachHour) {
  const Table hours = window(data("nab/Twitter_volume_GOOG.csv"),
                             "--time timestamp --window 'sliding size=10m slide=1h' --agg count");
  EXPECT_EQ(hours.size(), 1320U);
  EXPECT_EQ(column_sum(hours, 2), 2640);
  EXPECT_EQ(summary("rows_in_no_window"), 13202);
  EXPECT_EQ(summary("rows_late"), 0);
}

TEST_F(RealData, WebRequestsPerHourWithBytesThatMayBeMissing) {
  const Table hours = window(data("weblogs/apache_events.csv"),
                             "--time ts --window 'tumbling size=1h' --delay 59s "
                             "--agg 'count, sum(bytes), count(bytes)'");
  expect_table(hours, "apache_per_hour.csv", {0, 2, 3});
  EXPECT_EQ(hours.size(), 84U);
  EXPECT_EQ(column_sum(hours, 2) - column_sum(hours, 4), 669);
}

TEST_F(RealData, WebRequestsPerSecondAreLateWithinTheMinute) {
  const std::map<std::string, std::int64_t> late_by_delay = {
      {"0s", 9448}, {"30s", 4500}, {"59s", 0}};
  for (const auto& [delay, late] : late_by_delay) {
    SCOPED_TRACE(delay);
    const Table seconds =
        window(data("weblogs/apache_events.csv"),
               "--time ts --window 'tumbling size=1s' --agg count --delay " + delay);
    EXPECT_EQ(summary("rows_late"), late);
    EXPECT_EQ(column_sum(seconds, 2), static_cast<double>(10000 - late));
    if (late == 0) {
      EXPECT_EQ(seconds.size(), 4362U);
    }
  }
}

// The three addresses with most requests of each six hours, from all counts.
TEST_F(RealData, BusiestAddressesPerSixHours) {
  const Table counts = window(data("weblogs/apache_events.csv"),
                              "--time ts --key ip --window 'tumbling size=6h' --agg count "
                              "--delay 59s");
  std::map<double, std::map<std::string, double>> by_window;
  for (const auto& row : counts) by_window[number(row[0])][row[2]] = number(row[3]);
  const Table top = read_table(data("expected/apache_top3_ip_per_6h.csv"));
  ASSERT_FALSE(top.empty());
  for (const auto& row : top) {
    const auto& addresses = by_window[static_cast<double>(time_of(row[0]))];
    const auto address = addresses.find(row[2]);
    ASSERT_NE(address, addresses.end()) << row[0] << " " << row[2];
    EXPECT_EQ(address->second, number(row[3])) << row[0] << " " << row[2];
    const auto busier = std::count_if(addresses.begin(), addresses.end(), [&](const auto& entry) {
      return entry.second > address->second;
    });
    EXPECT_LT(busier, static_cast<std::ptrdiff_t>(number(row[1]))) << row[0] << " " << row[2];
  }
}

TEST_F(RealData, AConstantHasItselfAsAverageInEveryWindow) {
  const Table windows = window(data("nab/art_flatline.csv"),
                               "--time timestamp --window 'sliding size=1h slide=5m' "
                               "--agg 'avg(value), min(value), max(value), median(value), "
                               "stddev_pop(value)'");
  ASSERT_FALSE(windows.empty());
  for (const auto& row : windows) {
    for (std::size_t i = 2; i < 6; ++i) ASSERT_EQ(number(row.at(i)), 45) << row[0];
    ASSERT_EQ(number(row.at(6)), 0) << row[0];
  }
}

TEST_F(RealData, HighestBids) {
  const Table bids = window(data("nexmark/bid.csv"),
                            "--time date_time --window 'tumbling size=10s' --agg 'max(price)'");
  std::vector<double> prices;
  for (const auto& row : bids) prices.push_back(number(row.at(2)));
  EXPECT_EQ(prices, (std::vector<double>{96533552, 28676694, 10465998}));
}

TEST_F(RealData, HottestAuctions) {
  const Table counts = window(data("nexmark/bid.csv"),
                              "--time date_time --key auction "
                              "--window 'sliding size=10s slide=2s' --agg count");
  std::map<std::string, double> most;
  for (const auto& row : counts) most[row[0]] = std::max(most[row[0]], number(row.at(3)));
  std::multiset<double> hottest;
  for (const auto& row : counts) {
    if (number(row[3]) == most[row[0]]) {
      EXPECT_EQ(row[2], "1000");
      hottest.insert(number(row[3]));
    }
  }
  EXPECT_EQ(hottest,
            (std::multiset<double>{2, 2, 4, 4, 4, 4, 4, 5, 5, 8, 8, 10, 10, 12, 12, 13, 13}));
}

class RideEvents : public RealData {
 protected:
  void SetUp() override {
    RealData::SetUp();
    if (IsSkipped()) return;
    std::ifstream input(data("arroyo/inputs/cars.json"));
    std::ofstream output(scratch("cars.csv"));
    output << "timestamp,driver_id,event_type\n";
    for (std::string line; std::getline(input, line);) {
      const auto event = nlohmann::json::parse(line);
      output << event.at("timestamp").get<std::string>() << ","
             << event.at("driver_id").get<std::int64_t>() << ","
             << event.at("event_type").get<std::string>() << "\n";
    }
  }
};

TEST_F(RideEvents, SomeAreLateWithoutADelay) {
  struct Example {
    const char* options;
    std::int64_t late;
  };
  const Example examples[] = {{"'tumbling size=1m' --delay 0s", 17},
                              {"'tumbling size=1m' --delay 10s", 0},
                              {"'tumbling size=10s' --delay 0s", 137}};
  for (const Example& example : examples) {
    SCOPED_TRACE(example.options);
    const Table results =
        window(scratch("cars.csv"),
               fmt::format("--time timestamp --agg count --window {}", example.options));
    EXPECT_EQ(summary("rows_late"), example.late);
    EXPECT_EQ(column_sum(results, 2), static_cast<double>(7932 - example.late));
  }
}

TEST_F(RideEvents, PerHourAndPerHourAndType) {
  const Table hours = window(scratch("cars.csv"),
                             "--time timestamp --agg count --window 'tumbling size=1h' "
                             "--delay 23s");
  EXPECT_EQ(hours.size(), 26U);
  EXPECT_EQ(column_sum(hours, 2), 7932);
  const Table types = window(scratch("cars.csv"),
                             "--time timestamp --key event_type --agg count "
                             "--window 'tumbling size=1h' --delay 23s");
  EXPECT_EQ(types.size(), 51U);
  EXPECT_EQ(column_sum(types, 3), 7932);
}

std::vector<nlohmann::json> read_json_lines(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::vector<nlohmann::json> values;
  for (std::string line; std::getline(stream, line);) {
    values.push_back(nlohmann::json::parse(line));
  }
  return values;
}

TEST_F(RideEvents, AMonthIsOneWindow) {
  const Table months =
      window(scratch("cars.csv"), "--time timestamp --window 'tumbling size=30d' --delay 23s");
  ASSERT_EQ(months.size(), 1U);
  EXPECT_EQ(number(months[0][0]), static_cast<double>(time_of("2023-08-21T00:00:00Z")));
  EXPECT_EQ(number(months[0][2]), 7932);
}

// The slide of 40 minutes does not divide the hour.
TEST_F(RideEvents, BusiestDriverOfTheLastHour) {
  const Table counts = window(scratch("cars.csv"),
                              "--time timestamp --key driver_id --agg count --delay 23s "
                              "--window 'sliding size=1h slide=40m'");
  std::map<double, std::pair<double, double>> busiest;  // count and driver, by window start
  for (const auto& row : counts) {
    auto& best = busiest[number(row[0])];
    best = std::max(best, {number(row[3]), number(row[2])});
  }
  const auto expected =
      read_json_lines(data("arroyo/golden/most_active_driver_last_hour_unaligned.json"));
  ASSERT_EQ(busiest.size(), expected.size());
  for (const auto& top : expected) {
    const auto start = static_cast<double>(time_of(top.at("start").get<std::string>()));
    EXPECT_EQ(busiest[start], (std::pair<double, double>(top.at("count"), top.at("driver_id"))))
        << top;
  }
}

TEST_F(RealData, CountersOfTheLastTenSeconds) {
  std::ofstream csv(scratch("impulse.csv"));
  csv << "time,counter\n";
  for (const auto& event : read_json_lines(data("arroyo/inputs/impulse.json"))) {
    csv << event.at("timestamp").get<std::string>() << "," << event.at("counter") << "\n";
  }
  csv.close();
  const Table windows = window(scratch("impulse.csv"),
                               "--time time --agg 'count, min(counter), max(counter)' "
                               "--window 'sliding size=10s slide=2s'");
  const auto expected = read_json_lines(data("arroyo/golden/sliding_window_end.json"));
  ASSERT_EQ(windows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto time = [&](const char* name) {
      return static_cast<double>(time_of(expected[i].at(name).get<std::string>() + "Z"));
    };
    EXPECT_EQ(number(windows[i][0]), time("start"));
    EXPECT_EQ(number(windows[i][1]), time("end"));
    EXPECT_EQ(number(windows[i][2]), expected[i].at("count"));
    EXPECT_EQ(number(windows[i][3]), expected[i].at("min"));
    EXPECT_EQ(number(windows[i][4]), expected[i].at("max"));
  }
}

TEST_F(RealData, EarthquakesInDescendingTimeAreLateUnlessTheDelayCoversTheWeek) {
  std::ifstream json(data("vega/earthquakes.json"));
  std::ofstream csv(scratch("earthquakes.csv"));
  csv << "time,mag\n";
  const nlohmann::json earthquakes = nlohmann::json::parse(json);
  for (const auto& feature : earthquakes.at("features")) {
    const auto& properties = feature.at("properties");
    csv << properties.at("time") << ",";
    if (!properties.at("mag").is_null()) csv << properties.at("mag");
    csv << "\n";
  }
  csv.close();
  const std::string options = "--time time --time-unit ms --agg 'count, max(mag)' ";
  EXPECT_EQ(window(scratch("earthquakes.csv"), options + "--window 'tumbling size=1h'").size(), 1U);
  EXPECT_EQ(summary("rows_on_time"), 3);
  EXPECT_EQ(summary("rows_late"), 1704);
  expect_table(
      window(scratch("earthquakes.csv"), options + "--window 'tumbling size=1h' --delay 8d"),
      "earthquakes_per_hour.csv", {0, 2, 3});
  const Table days =
      window(scratch("earthquakes.csv"), options + "--window 'tumbling size=1d' --delay 8d");
  std::vector<double> counts;
  for (const auto& row : days) counts.push_back(number(row[2]));
  EXPECT_EQ(counts, (std::vector<double>{198, 231, 242, 259, 301, 249, 213, 14}));
}

TEST_F(RealData, FlightsWithNegativeDelays) {
  std::ifstream json(data("vega/flights-5k.json"));
  std::ofstream csv(scratch("flights.csv"));
  csv << "date,delay\n";
  for (const auto& flight : nlohmann::json::parse(json)) {
    csv << flight.at("date").get<std::string>() << "," << flight.at("delay") << "\n";
  }
  csv.close();
  const std::string options = "--time date --agg 'count, sum(delay)' ";
  expect_table(window(scratch("flights.csv"), options + "--window 'tumbling size=1d'"),
               "flights_tumble_1d.csv", {0, 2, 3});
  const Table weeks = window(scratch("flights.csv"), options + "--window 'tumbling size=7d'");
  ASSERT_EQ(weeks.size(), 14U);
  EXPECT_EQ(number(weeks[0][0]), static_cast<double>(time_of("2000-12-28T00:00:00Z")));
  EXPECT_EQ(number(weeks[0][2]), 177);
  EXPECT_EQ(number(weeks[0][3]), 2332);
}

}  // namespace
}  // namespace tidemark::test_support
