#include "tidemark/runtime/duration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tidemark/runtime/time.h"

namespace tidemark {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

TEST(ParseDuration, AcceptsUnitsFromLargeToSmall) {
  struct Accepted {
    std::string text;
    std::int64_t milliseconds;
  };
  const std::vector<Accepted> cases{
      {"250ms", 250},
      {"5s", 5 * kSecond},
      {"10m", 10 * kMinute},
      {"1h30m", 90 * kMinute},
      {"1d", kDay},
      {"1w", 7 * kDay},
      {"-8h", -8 * kHour},
      {"-1h30m", -90 * kMinute},
      {"+2s", 2 * kSecond},
      {"0s", 0},
      {"-0ms", 0},
      {"90m", 90 * kMinute},
      {"007s", 7 * kSecond},
      {"1m500ms", kMinute + 500},
      {"1w2d3h4m5s6ms", 9 * kDay + 3 * kHour + 4 * kMinute + 5 * kSecond + 6},
      {std::to_string(kMaxDurationMs) + "ms", kMaxDurationMs},
      {"-" + std::to_string(kMaxDurationMs) + "ms", -kMaxDurationMs},
  };
  for (const Accepted& c : cases) {
    const Expected<std::int64_t> parsed = parse_duration(c.text);
    ASSERT_TRUE(parsed) << c.text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, c.milliseconds) << c.text;
  }
}

TEST(ParseDuration, RefusesTheRestAndSaysWhy) {
  struct Refused {
    std::string text;
    std::string reason;
  };
  const std::string too_long = "longer than the 9999 years";
  const std::vector<Refused> cases{
      {"", "there is no number"},
      {"-", "there is no number"},
      {"5", "no unit follows the number 5"},
      {"1h5", "no unit follows the number 5"},
      {"1.5h", "no unit follows the number 1"},
      {"5 s", "no unit follows the number 5"},
      {" 5s", "expected a digit before ' 5s'"},
      {"5s ", "expected a digit before ' '"},
      {"h", "expected a digit before 'h'"},
      {"--5s", "expected a digit before '-5s'"},
      {"1h-5m", "expected a digit before '-5m'"},
      {"1m1h", "'h' must stand once and before smaller units"},
      {"1h1h", "'h' must stand once and before smaller units"},
      {"1ms1s", "'s' must stand once and before smaller units"},
      {"5y", "'y' is not a unit"},
      {"5S", "'S' is not a unit"},
      {"5min", "'min' is not a unit"},
      {std::to_string(kMaxDurationMs + 1) + "ms", too_long},
      {std::to_string(kMaxDurationMs) + "s", too_long},
      {"315537897599s1000ms", too_long},
      {"9223372036854775807w", too_long},
      {"99999999999999999999999ms", too_long},
  };
  for (const Refused& c : cases) {
    const Expected<std::int64_t> parsed = parse_duration(c.text);
    ASSERT_FALSE(parsed) << c.text;
    EXPECT_THAT(parsed.error().message, testing::StartsWith("'" + c.text + "' is not a duration"));
    EXPECT_THAT(parsed.error().message, testing::HasSubstr(c.reason));
    EXPECT_THAT(parsed.error().message, testing::HasSubstr("such as 250ms, 5s, 1h30m, 1d or -8h"));
  }
}

TEST(FormatDuration, UsesTheLargestUnits) {
  struct Formatted {
    std::int64_t milliseconds;
    std::string text;
  };
  const std::vector<Formatted> cases{
      {0, "0ms"},
      {1, "1ms"},
      {1500, "1s500ms"},
      {90 * kMinute, "1h30m"},
      {-8 * kHour, "-8h"},
      {kDay, "1d"},
      {7 * kDay, "1w"},
      {14 * kDay, "2w"},
      {30 * kDay, "30d"},
      {7 * kDay + 1, "7d1ms"},
      {std::numeric_limits<std::int64_t>::min(), "-106751991167d7h12m55s808ms"},
  };
  for (const Formatted& c : cases) EXPECT_EQ(format_duration(c.milliseconds), c.text);
}

TEST(FormatDuration, IsReadBackByParse) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    std::uniform_int_distribution<std::int64_t> any(-kMaxDurationMs, kMaxDurationMs);
    const std::int64_t duration = any(random) >> (random() % 48);
    const Expected<std::int64_t> parsed = parse_duration(format_duration(duration));
    ASSERT_TRUE(parsed) << parsed.error().message;
    ASSERT_EQ(*parsed, duration);
  }
}

}  // namespace
}  // namespace tidemark
