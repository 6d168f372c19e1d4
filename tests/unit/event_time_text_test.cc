#include "tidemark/connectors/event_time_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/time_unit_detection.h"

namespace tidemark {
namespace {

EventTimeParser parser(TimeUnit unit, const std::string& zone = "UTC",
                       const std::string& format = "") {
  EventTimeOptions options;
  options.unit = unit;
  options.zone = zone;
  options.format = format;
  return EventTimeParser::create(options).value();
}

struct TimeCase {
  std::string_view text;
  std::optional<EventTime> time;
};

void expect_times(EventTimeParser times, const std::vector<TimeCase>& cases) {
  for (const TimeCase& expected : cases) {
    EXPECT_EQ(times.parse(expected.text), expected.time) << '"' << expected.text << '"';
    EXPECT_EQ(times.explain(expected.text).empty(), expected.time.has_value()) << expected.text;
  }
}

TEST(EventTimeText, ReadsIso8601AndItsRelatives) {
  expect_times(parser(TimeUnit::kText),
               {{"2021-08-06T13:18Z", 1628255880000},
                {"2021-08-06T13:18:21Z", 1628255901000},
                {"2021-08-06 13:18:21.5", 1628255901500},
                {"2021-08-06T13:18:21.123456789+02:00", 1628248701123},
                {"2021-08-06t13:18:21z", 1628255901000},
                {"2021/08/06 13:18", 1628255880000},
                {"2021-08-06", 1628208000000},
                {"2021/08/06", 1628208000000},
                {"2021-08-06 13:18:21,084", 1628255901084},
                {"2021-08-06T13:18:21+0200", 1628248701000},
                {"2021-08-06T13:18:21+02", 1628248701000},
                {"2021-08-06T13:18:21-09:30", 1628290101000},
                {"2021-08-06T13:18:21.000000000000000000000000000001Z", 1628255901000}});
}

TEST(EventTimeText, RefusesWhatIsLeftOverOrMissing) {
  for (const std::string_view text : {"2022/01/27 11:04:57 PM",
                                      "2022/01/27 11:04:57PM",
                                      "2021-08-06T13",
                                      "2021-08-06T13:18:",
                                      "2021-08-06T13:18:21.",
                                      "2021-08-06T13:18:21.Z",
                                      "2021-08-06T",
                                      "2021-8-6",
                                      "21-08-06",
                                      "2021-08/06",
                                      "2021-08-06  13:18",
                                      " 2021-08-06",
                                      "2021-08-06 ",
                                      "2021-08-06Z",
                                      "2021-08-06T13:18+2",
                                      "2021-08-06T13:18+02:",
                                      "2021-08-06T13:18+02:0",
                                      "2021-08-06T13:18+02:000",
                                      "2021-08-06T13:18+24:00",
                                      "2021-08-06T24:00",
                                      "2021-08-06T13:60",
                                      "2021-08-06T13:18:61",
                                      "2021-13-01",
                                      "2021-00-01",
                                      "2021-01-00",
                                      "2021-04-31",
                                      "+2021-01-01",
                                      "20210806",
                                      "2021-08-06T13:18:21 UTC",
                                      "2021-08-06T13:18 Z",
                                      "now",
                                      "",
                                      "-"}) {
    EXPECT_EQ(parser(TimeUnit::kText).parse(text), std::nullopt) << text;
  }
}

TEST(EventTimeText, CountsBeforeTheEpochAndTruncatesTowardsThePast) {
  expect_times(parser(TimeUnit::kText), {{"1969-12-31T23:59:59.9999Z", -1},
                                         {"1969-12-31T23:59:59.0009Z", -1000},
                                         {"1900-01-01", -2208988800000},
                                         {"0001-01-01T00:00:00Z", kMinEventTime},
                                         {"9999-12-31T23:59:59.999Z", kMaxEventTime},
                                         {"0001-01-01T00:00:00+00:01", std::nullopt},
                                         {"9999-12-31T23:59:59-00:01", std::nullopt},
                                         {"0000-12-31", std::nullopt}});
}

TEST(EventTimeText, KnowsLeapDays) {
  expect_times(parser(TimeUnit::kText), {{"2024-02-29T12:00Z", 1709208000000},
                                         {"2000-02-29T12:00Z", 951825600000},
                                         {"2023-02-29T12:00Z", std::nullopt},
                                         {"1900-02-29T12:00Z", std::nullopt}});
}

TEST(EventTimeText, AcceptsALeapSecondOnlyWhereOneCanBe) {
  expect_times(parser(TimeUnit::kText), {{"2016-12-31T23:59:59Z", 1483228799000},
                                         {"2016-12-31T23:59:60Z", 1483228799999},
                                         {"2016-12-31T23:59:60.5Z", 1483228799999},
                                         {"2017-01-01T00:00:00Z", 1483228800000},
                                         {"2017-01-01T08:59:60+09:00", 1483228799999},
                                         {"2015-06-30T23:59:60Z", 1435708799999},
                                         {"2016-12-31T12:30:60Z", std::nullopt},
                                         {"2016-12-30T23:59:60Z", std::nullopt},
                                         {"2016-09-30T23:59:60Z", std::nullopt},
                                         {"2016-12-31T23:59:60+01:00", std::nullopt}});
}

TEST(EventTimeText, ReadsZonelessTextInTheInputZone) {
  expect_times(parser(TimeUnit::kText, "Asia/Shanghai"), {{"2026-10-01 00:30", 1790785800000},
                                                          {"2026-10-01T00:30Z", 1790814600000},
                                                          {"2026-10-01", 1790784000000}});
}

TEST(EventTimeText, MovesTimesInAGapForwardAndTakesTheEarlierInAFold) {
  // New York: 2024-03-10 02:00 becomes 03:00; 2024-11-03 02:00 becomes 01:00.
  const std::vector<TimeCase> cases = {
      {"2024-03-10 01:59:59", 1710053999000},     {"2024-03-10 02:00:00", 1710054000000},
      {"2024-03-10 02:30:00", 1710055800000},     {"2024-03-10 03:00:00", 1710054000000},
      {"2024-03-10 03:30:00", 1710055800000},     {"2024-11-03 00:59:59", 1730609999000},
      {"2024-11-03 01:00:00", 1730610000000},     {"2024-11-03 01:30:00", 1730611800000},
      {"2024-11-03 01:59:59.999", 1730613599999}, {"2024-11-03 02:00:00", 1730617200000}};
  expect_times(parser(TimeUnit::kText, "America/New_York"), cases);
}

TEST(EventTimeText, RemembersAZonePeriodWithoutChangingAnyAnswer) {
  EventTimeParser remembering = parser(TimeUnit::kText, "Europe/Berlin");
  for (int day = 25; day <= 31; ++day) {
    for (const std::string month : {"03", "10"}) {
      for (int hour = 0; hour < 24; ++hour) {
        const std::string text = "2024-" + month + "-" + std::to_string(day) + " " +
                                 (hour < 10 ? "0" : "") + std::to_string(hour) + ":30";
        EXPECT_EQ(remembering.parse(text), parser(TimeUnit::kText, "Europe/Berlin").parse(text))
            << text;
      }
    }
  }
}

TEST(EventTimeText, RefusesAnUnknownZone) {
  EventTimeOptions options;
  options.unit = TimeUnit::kText;
  options.zone = "Europe/Atlantis";
  const Expected<EventTimeParser> refused = EventTimeParser::create(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("\"Europe/Atlantis\""), std::string::npos);
}

TEST(EventTimeText, FollowsAFormat) {
  expect_times(parser(TimeUnit::kAuto, "UTC", "%Y/%m/%d %I:%M:%S %p"),
               {{"2022/01/27 11:04:57 PM", 1643324697000},
                {"2022/01/27 11:04:57 AM", 1643281497000},
                {"2022/01/27 11:04:57", std::nullopt},
                {"2022/01/27 11:04:57 PM x", std::nullopt}});
  expect_times(
      parser(TimeUnit::kText, "UTC", "%d/%b/%Y:%H:%M:%S %z"),
      {{"10/Oct/2000:13:55:36 -0700", 971211336000}, {"31/Feb/2000:13:55:36 -0700", std::nullopt}});
  expect_times(parser(TimeUnit::kText, "Asia/Shanghai", "%Y%m%d"), {{"20261001", 1790784000000}});
  expect_times(parser(TimeUnit::kText, "UTC", "%Y-%m-%dT%H:%M:%S"),
               {{"1969-12-31T23:59:59.9999", -1},
                {"2021-08-06T13:18:21.084338", 1628255901084},
                {"0001-01-01T00:00:00", kMinEventTime},
                {"9999-12-31T23:59:59", 253402300799000},
                {"2016-12-31T12:30:60", std::nullopt}});
}

TEST(EventTimeText, RefusesAFormatBesideANumericUnitAndZoneAbbreviations) {
  EventTimeOptions options;
  options.unit = TimeUnit::kSeconds;
  options.format = "%Y";
  EXPECT_FALSE(EventTimeParser::create(options));
  options.unit = TimeUnit::kText;
  options.format = "%Y %Z";
  EXPECT_FALSE(EventTimeParser::create(options));
  EXPECT_FALSE(EventTimeParser::create(EventTimeOptions{}));
}

TEST(EventTimeText, ReadsNumbersInEveryUnit) {
  EXPECT_EQ(parser(TimeUnit::kSeconds).parse("1772452800"), 1772452800000);
  EXPECT_EQ(parser(TimeUnit::kMilliseconds).parse("1772452800000"), 1772452800000);
  EXPECT_EQ(parser(TimeUnit::kMicroseconds).parse("1772452800000000"), 1772452800000);
  EXPECT_EQ(parser(TimeUnit::kNanoseconds).parse("1772452800000000000"), 1772452800000);
}

TEST(EventTimeText, KeepsThePlaceOfFractionDigits) {
  expect_times(parser(TimeUnit::kSeconds), {{"1289764162.084338", 1289764162084},
                                            {"1289764162.84338", 1289764162843},
                                            {"1289764162.8", 1289764162800},
                                            {"1.0009", 1000},
                                            {"0.000", 0}});
}

TEST(EventTimeText, RoundsNumbersBeforeTheEpochDown) {
  expect_times(parser(TimeUnit::kSeconds),
               {{"-1.5", -1500}, {"-0.0001", -1}, {"-1.5001", -1501}, {"-1.500000", -1500}});
  expect_times(parser(TimeUnit::kMilliseconds), {{"-1", -1}, {"-1.5", -2}, {"1.5", 1}});
  expect_times(parser(TimeUnit::kMicroseconds), {{"-1", -1}, {"-1000", -1}, {"-1001", -2}});
  expect_times(parser(TimeUnit::kNanoseconds), {{"-1", -1}, {"999999", 0}});
}

TEST(EventTimeText, TakesNumbersInPlainDigitsOnly) {
  for (const std::string_view text : {"", "-", "+5", " 5", "5 ", "1e12", "0x10", "1,000", "5.",
                                      ".5", "-.5", "1.2.3", "--5", "nan", "1_000"}) {
    EXPECT_EQ(parser(TimeUnit::kMilliseconds).parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(parser(TimeUnit::kMilliseconds).parse("007"), 7);
}

TEST(EventTimeText, ReadsNumbersOfEveryLengthAndSeesAnOddByteAnywhere) {
  EventTimeParser times = parser(TimeUnit::kMilliseconds);
  std::string digits;
  std::int64_t value = 0;
  for (int length = 1; length <= 15; ++length) {
    const int digit = length == 15 ? 1 : (length * 7) % 10;
    digits += static_cast<char>('0' + digit);
    value = value * 10 + digit;
    EXPECT_EQ(times.parse(digits),
              is_valid_event_time(value) ? std::optional(value) : std::nullopt);
    EXPECT_EQ(parser(TimeUnit::kNanoseconds).parse(digits), value / 1'000'000);
    for (std::size_t at = 0; at < digits.size(); ++at) {
      for (const char odd : {'/', ':', ' ', '@', '\x00', '\xb1'}) {
        std::string broken = digits;
        broken[at] = odd;
        EXPECT_EQ(times.parse(broken), std::nullopt) << broken;
      }
    }
  }
  EXPECT_EQ(parser(TimeUnit::kMicroseconds).parse("1234567890123456"), 1234567890123);
  EXPECT_EQ(parser(TimeUnit::kMicroseconds).parse("12345678901234567"), 12345678901234);
}

TEST(EventTimeText, RefusesTimesOutsideTheCalendarAtTheLimitsOfIntegersToo) {
  expect_times(parser(TimeUnit::kMilliseconds), {{"9223372036854775807", std::nullopt},
                                                 {"-9223372036854775808", std::nullopt},
                                                 {"99999999999999999999999", std::nullopt},
                                                 {"637560576000000000", std::nullopt},
                                                 {"253402300799999", kMaxEventTime},
                                                 {"253402300800000", std::nullopt},
                                                 {"-62135596800000", kMinEventTime},
                                                 {"-62135596800001", std::nullopt}});
  expect_times(parser(TimeUnit::kSeconds), {{"253402300799.999", kMaxEventTime},
                                            {"253402300800", std::nullopt},
                                            {"9223372036854775807", std::nullopt},
                                            {"-62135596800", kMinEventTime},
                                            {"-62135596800.0001", std::nullopt}});
  EXPECT_NE(parser(TimeUnit::kMilliseconds).explain("637560576000000000").find("outside the years"),
            std::string::npos);
}

TEST(TimeUnitNames, ReadBackAndRefuseOthers) {
  for (const std::string_view name : {"auto", "s", "ms", "us", "ns", "text"}) {
    EXPECT_EQ(to_string(parse_time_unit(name).value()), name);
  }
  EXPECT_FALSE(parse_time_unit("seconds"));
}

// The parser remembers the minute of the last text and the period of the last offset.
TEST(EventTimeText, IsReadTheSameWhateverWasReadBefore) {
  std::mt19937_64 random(11);
  const auto pick = [&random](std::vector<std::string> texts) {
    return texts[random() % texts.size()];
  };
  const std::string bytes = "0159:.-ZT ";
  for (const std::string zone : {"UTC", "Europe/Berlin"}) {
    EventTimeParser times = parser(TimeUnit::kText, zone);
    std::size_t read = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text =
          pick({"2026-03-29", "2026-03-29", "2026/03/29", "1970-01-01", "2025-12-31"}) +
          pick({"T", " ", "t"}) + pick({"00:00", "02:30", "02:31", "23:59"}) +
          pick({"", ":00", ":07", ":59", ":60", ":61", ":6", ":5x"}) +
          pick({"", "", ".5", ".123", ".999", ",123", ".1234", ".12x", "."}) +
          pick({"", "Z", "z", "+01:00", "ZZ"});
      if (random() % 4 == 0) text[random() % text.size()] = bytes[random() % bytes.size()];
      const std::optional<EventTime> expected = parser(TimeUnit::kText, zone).parse(text);
      ASSERT_EQ(times.parse(text), expected) << text;
      read += expected ? 1U : 0U;
    }
    EXPECT_GT(read, 3'000U);
  }
  EventTimeParser first = parser(TimeUnit::kText);
  EXPECT_EQ(first.parse("1970-01-01T00:00:07Z"), 7000);
  EXPECT_EQ(parser(TimeUnit::kText).parse(std::string(16, '\0') + ":07Z"), std::nullopt);
}

TEST(EventTimeText, NumbersAreReadAsTheirTextIs) {
  for (const TimeUnit unit : {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds,
                              TimeUnit::kNanoseconds}) {
    for (const std::int64_t number :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{999'999},
          std::int64_t{-1'000'001}, std::int64_t{1'767'225'600'000}, std::int64_t{-86'400'000},
          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min() + 1}) {
      EXPECT_EQ(parser(unit).from_number(number), parser(unit).parse(std::to_string(number)))
          << number << ' ' << to_string(unit);
    }
  }
}

TEST(TimeUnitDetection, TellsUnitsByMagnitude) {
  const auto unit_of = [](std::vector<std::string_view> times) {
    return detect_time_unit(times).value().unit;
  };
  EXPECT_EQ(unit_of({"1772452800", "1772452801.25"}), TimeUnit::kSeconds);
  EXPECT_EQ(unit_of({"1772452800000"}), TimeUnit::kMilliseconds);
  EXPECT_EQ(unit_of({"1772452800000000"}), TimeUnit::kMicroseconds);
  EXPECT_EQ(unit_of({"1772452800000000000"}), TimeUnit::kNanoseconds);
  EXPECT_EQ(unit_of({"-1772452800"}), TimeUnit::kSeconds);
  EXPECT_EQ(unit_of({"2026-03-02T12:00:00Z", "2026/03/02"}), TimeUnit::kText);
  EXPECT_EQ(unit_of({"", "n/a", "1772452800"}), TimeUnit::kSeconds);
  EXPECT_EQ(detect_time_unit(std::vector<std::string_view>{}).value().samples, 0U);
}

TEST(TimeUnitDetection, RefusesWhatCouldBeTwoThings) {
  const std::vector<std::vector<std::string_view>> doubtful = {{"0"},
                                                               {"1000", "2000"},
                                                               {"99999999"},
                                                               {"10000000000"},
                                                               {"20210806131821"},
                                                               {"1772452800", "1772452800000"},
                                                               {"1772452800", "2026-03-02"},
                                                               {"1772452800", "5"},
                                                               {"2026030212", "2026030213"},
                                                               {"202603021200"},
                                                               {"n/a", "11:04 PM"}};
  for (const std::vector<std::string_view>& times : doubtful) {
    const Expected<DetectedTimeUnit> refused = detect_time_unit(times);
    ASSERT_FALSE(refused) << times.front();
    EXPECT_NE(refused.error().message.find("pass --time-"), std::string::npos);
  }
}

TEST(TimeUnitDetection, LooksAtTheFirstHundredTimes) {
  std::vector<std::string_view> times(100, "1772452800");
  times.emplace_back("1772452800000");
  EXPECT_EQ(detect_time_unit(times).value().samples, 100U);
  times.erase(times.begin());
  EXPECT_FALSE(detect_time_unit(times));
}

TEST(DoubtfulTimes, AreAllInJanuary1970OrFarAhead) {
  constexpr EventTime kNow = 1772452800000;
  constexpr std::int64_t kYear = 366LL * 86'400'000;
  const auto warning = [](EventTime lowest, EventTime highest) {
    return doubtful_times_warning(lowest, highest, kNow, TimeUnit::kMilliseconds).value_or("");
  };
  EXPECT_NE(warning(1772452800, 1772452900).find("January 1970"), std::string::npos);
  EXPECT_NE(warning(1772452800, 1772452900).find("1970-01-21T12:20:52.800Z"), std::string::npos);
  EXPECT_NE(warning(kNow + kYear + 1, kNow + kYear + 2).find("all times"), std::string::npos);
  EXPECT_NE(warning(0, kNow + kYear + 1).find("some times"), std::string::npos);
  EXPECT_EQ(warning(0, kNow), "");
  EXPECT_EQ(warning(-1, 5), "");
  EXPECT_EQ(warning(kNow, kNow + kYear), "");
  EXPECT_EQ(warning(1, 0), "");
}

}  // namespace
}  // namespace tidemark
