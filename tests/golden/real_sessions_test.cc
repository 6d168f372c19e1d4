// Sessions and cumulate windows of public data files; see support/real_data.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/real_data.h"

namespace tidemark::test_support {
namespace {

using RealSessions = RealData;

TEST_F(RealSessions, TaxiRidesSinceMidnightEverySixHours) {
  const Table days = window(data("nab/nyc_taxi.csv"),
                            "--time timestamp --window 'cumulate size=1d step=6h' "
                            "--agg 'count, sum(value)'");
  expect_table(days, "nyc_taxi_cumulate_6h_1d.csv", {0, 1, 2, 3});
  EXPECT_EQ(days.size(), 860U);
}

TEST_F(RealSessions, KeysHeldWithPausesOfHalfAnHour) {
  const Table sessions =
      window(data("nab/rogue_agent_key_hold.csv"),
             "--time timestamp --window 'session gap=30m' --agg 'count' --delay 1d");
  expect_table(sessions, "rogue_key_hold_sessions_30min.csv", {0, 1, 2});
  ASSERT_EQ(sessions.size(), 31U);
  std::vector<double> counts;
  for (const auto& row : sessions) counts.push_back(number(row.at(2)));
  EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 595);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 1.0), 3);
}

class ImpulseSessions : public RealData {
 protected:
  void SetUp() override {
    RealData::SetUp();
    if (IsSkipped()) return;
    std::ifstream input(data("arroyo/inputs/impulse.json"));
    std::ofstream output(scratch("impulse.csv"));
    output << "time,user\n";
    for (std::string line; std::getline(input, line);) {
      const auto event = nlohmann::json::parse(line);
      const auto counter = event.at("counter").get<std::int64_t>();
      output << event.at("timestamp").get<std::string>() << "," << (counter % 10 == 0 ? 0 : counter)
             << "\n";
    }
  }

  std::vector<nlohmann::json> golden(const std::string& name) const {
    std::ifstream stream(data("arroyo/golden/" + name));
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(nlohmann::json::parse(line));
    }
    return lines;
  }

  static double instant(const nlohmann::json& line, const char* name) {
    return static_cast<double>(time_of(line.at(name).get<std::string>() + "Z"));
  }
};

TEST_F(ImpulseSessions, AllImpulsesAreOneSession) {
  const Table sessions =
      window(scratch("impulse.csv"), "--time time --window 'session gap=20s' --agg count");
  const auto expected = golden("global_session_window.json");
  ASSERT_EQ(sessions.size(), 1U);
  ASSERT_EQ(expected.size(), 1U);
  EXPECT_EQ(number(sessions[0][0]), instant(expected[0], "start"));
  EXPECT_EQ(number(sessions[0][1]), instant(expected[0], "end"));
  EXPECT_EQ(number(sessions[0][2]), expected[0].at("rows"));
}

TEST_F(ImpulseSessions, EveryUserHasASession) {
  const Table sessions = window(scratch("impulse.csv"),
                                "--time time --key user --window 'session gap=20s' --agg count");
  std::vector<std::vector<double>> actual;
  for (const auto& row : sessions) {
    actual.push_back({number(row[2]), number(row[0]), number(row[1]), number(row[3])});
  }
  std::vector<std::vector<double>> expected;
  for (const auto& line : golden("session_window.json")) {
    expected.push_back({line.at("user_id").get<double>(), instant(line, "start"),
                        instant(line, "end"), line.at("rows").get<double>()});
  }
  std::sort(actual.begin(), actual.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(actual.size(), 91U);
}

}  // namespace
}  // namespace tidemark::test_support
