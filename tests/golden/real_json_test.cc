// Public JSON files through the `tidemark window` command; see support/real_data.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/real_data.h"

namespace tidemark::test_support {
namespace {

class RealJson : public RealData {
 protected:
  std::vector<nlohmann::json> golden(const std::string& name) const {
    std::ifstream stream(data("arroyo/golden/" + name));
    EXPECT_TRUE(stream) << name;
    std::vector<nlohmann::json> rows;
    std::string line;
    while (std::getline(stream, line)) rows.push_back(nlohmann::json::parse(line));
    return rows;
  }
};

EventTime time_in(const nlohmann::json& row, const char* name) {
  std::string text = row.at(name);
  if (text.find_first_of("Z+") == std::string::npos) text += "Z";
  return time_of(text);
}

TEST_F(RealJson, EarthquakesInDescendingOrderAreLateUnlessTheWatermarkWaits) {
  const std::string options =
      "--json-rows /features --time /properties/time --window 'tumbling size=1h' --agg 'count, "
      "max(/properties/mag)'";
  const Table hours = window(data("vega/earthquakes.json"), options);
  ASSERT_EQ(hours.size(), 1U);
  EXPECT_EQ(number(hours[0][2]), 3);
  EXPECT_EQ(summary("rows_late"), 1704);

  const Table all = window(data("vega/earthquakes.json"), options + " --watermark none");
  expect_table(all, "earthquakes_per_hour.csv", {0, 2, 3});
  EXPECT_EQ(summary("rows_on_time"), 1707);
}

TEST_F(RealJson, FlightsPerDay) {
  const Table days = window(data("vega/flights-5k.json"),
                            "--time date --window 'tumbling size=1d' --agg 'count, sum(delay)'");
  expect_table(days, "flights_tumble_1d.csv", {0, 2, 3});
  EXPECT_EQ(days.size(), 90U);
}

TEST_F(RealJson, CarsPerHour) {
  const Table hours = window(data("arroyo/inputs/cars.json"),
                             "--format ndjson --time timestamp --delay 1m --window 'tumbling "
                             "size=1h' --agg count");
  const std::vector<nlohmann::json> expected = golden("tight_watermark.json");
  ASSERT_EQ(hours.size(), expected.size());
  for (std::size_t i = 0; i < hours.size(); ++i) {
    EXPECT_EQ(number(hours[i][1]), static_cast<double>(time_in(expected[i], "timestamp")));
    EXPECT_EQ(number(hours[i][2]), expected[i].at("count").get<double>());
  }
}

TEST_F(RealJson, CarsPerHourAndKindOfEvent) {
  const Table rows = window(data("arroyo/inputs/cars.json"),
                            "--format ndjson --time timestamp --delay 1m --key event_type "
                            "--window 'tumbling size=1h' --agg count");
  std::map<std::pair<EventTime, std::string>, double> expected;
  for (const nlohmann::json& row : golden("hourly_by_event_type.json")) {
    expected[{time_in(row, "hour"), row.at("event_type")}] = row.at("count");
  }
  ASSERT_EQ(rows.size(), expected.size());
  for (const auto& row : rows) {
    const auto hour = static_cast<EventTime>(number(row[0]));
    EXPECT_EQ(number(row[3]), (expected[{hour, row[2]}])) << row[0] << " " << row[2];
  }
}

TEST_F(RealJson, CarsThatComeLate) {
  struct Example {
    const char* window;
    const char* delay;
    std::int64_t late;
  };
  for (const Example& example :
       {Example{"tumbling size=1m", "0s", 17}, Example{"tumbling size=1m", "10s", 0},
        Example{"tumbling size=10s", "0s", 137}}) {
    SCOPED_TRACE(fmt::format("{} delay {}", example.window, example.delay));
    window(data("arroyo/inputs/cars.json"),
           fmt::format("--format ndjson --time timestamp --window '{}' --delay {} --agg count",
                       example.window, example.delay));
    EXPECT_EQ(summary("rows_late"), example.late);
    EXPECT_EQ(summary("rows_read"), 7932);
  }
}

TEST_F(RealJson, ImpulsesInSlidingWindows) {
  const Table rows = window(data("arroyo/inputs/impulse.json"),
                            "--format ndjson --time timestamp --window 'sliding size=10s slide=2s' "
                            "--agg 'count, min(counter), max(counter)'");
  const std::vector<nlohmann::json> expected = golden("sliding_window_end.json");
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(number(rows[i][0]), static_cast<double>(time_in(expected[i], "start")));
    EXPECT_EQ(number(rows[i][1]), static_cast<double>(time_in(expected[i], "end")));
    EXPECT_EQ(number(rows[i][2]), expected[i].at("count").get<double>());
    EXPECT_EQ(number(rows[i][3]), expected[i].at("min").get<double>());
    EXPECT_EQ(number(rows[i][4]), expected[i].at("max").get<double>());
  }
}

TEST_F(RealJson, DeeplyNestedLogsOfAWebServer) {
  const Table rows = window(data("weblogs/nginxplus_json_logs.ndjson"),
                            "--time timestamp --window global --agg 'count, "
                            "min(/requests/total), max(/requests/total)'");
  ASSERT_EQ(rows.size(), 1U);
  const std::vector<std::string>& row = rows[0];
  EXPECT_EQ(number(row[row.size() - 3]), 500);
  EXPECT_EQ(number(row[row.size() - 1]) - number(row[row.size() - 2]), 28384);
}

}  // namespace
}  // namespace tidemark::test_support
