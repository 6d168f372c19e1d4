#include "tidemark/operators/window_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tidemark {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

struct Spelling {
  std::string text;
  WindowSpec spec;
  std::string normal;  // empty: `text`
};

WindowSpec session_by_column(std::string column) {
  WindowSpec spec{WindowKind::kSession};
  spec.gap_column = std::move(column);
  return spec;
}

std::vector<Spelling> spellings() {
  return {
      {"tumbling size=1d", tumbling(days(1)), ""},
      {"tumbling offset=-8h size=24h", tumbling(days(1), -hours(8)), "tumbling size=1d offset=-8h"},
      {"tumbling size=7d", tumbling(days(7)), "tumbling size=1w"},
      {"tumbling size=1week", calendar_weeks(1), ""},
      {"tumbling size=2weeks first_day=monday", calendar_weeks(2), "tumbling size=2week"},
      {"tumbling size=1week first_day=sunday", calendar_weeks(1, 7), ""},
      {"tumbling size=1month", calendar_months(1), ""},
      {"tumbling size=3months", calendar_months(3), "tumbling size=3month"},
      {"tumbling size=10year", calendar_years(10), ""},
      {"tumbling size=10000year", calendar_years(10000), ""},
      {"sliding size=1h slide=5m", sliding(hours(1), minutes(5)), ""},
      {"sliding size=5m slide=1h", sliding(minutes(5), hours(1)), ""},
      {"sliding slide=5m size=1h offset=-4m", sliding(hours(1), minutes(5), -minutes(4)),
       "sliding size=1h slide=5m offset=-4m"},
      {"cumulate size=1d step=6h", cumulate(days(1), hours(6)), ""},
      {"cumulate size=1d step=1d", cumulate(days(1), days(1)), ""},
      {"cumulate size=1d step=6h offset=-23h", cumulate(days(1), hours(6), -hours(23)), ""},
      {"session gap=30m", session(minutes(30)), ""},
      {"session gap_column=pause", session_by_column("pause"), ""},
      {"  global ", global_window(), "global"},
      {"count size=100", count_window(100), ""},
      {"count size=100 slide=100", count_window(100), "count size=100"},
      {"count size=100 slide=10", count_window(100, 10), ""},
      {"count size=10 slide=100", count_window(10, 100), ""},
  };
}

TEST(WindowSpec, ReadsEveryKindAndWritesItBack) {
  for (const Spelling& spelling : spellings()) {
    SCOPED_TRACE(spelling.text);
    const auto spec = parse_window_spec(spelling.text);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(*spec, spelling.spec);
    const std::string written = to_string(*spec);
    EXPECT_EQ(written, spelling.normal.empty() ? spelling.text : spelling.normal);
    EXPECT_EQ(parse_window_spec(written).value(), *spec);
  }
}

struct Refusal {
  std::string text;
  std::string message;
};

std::vector<Refusal> refusals() {
  return {
      {"", "unknown window kind ''"},
      {"hopping size=1s", "unknown window kind 'hopping'"},
      {"tumbling", "size is missing: use 'tumbling size=1d"},
      {"tumbling 1d", "expected parameter=value, got '1d'"},
      {"tumbling =1d", "expected parameter=value, got '=1d'"},
      {"tumbling size=1d size=2d", "size is given twice"},
      {"tumbling size=1d slide=1h", "unknown parameter 'slide': use 'tumbling size=1d"},
      {"tumbling size=0s", "size must be positive, got 0 ms"},
      {"tumbling size=-1s", "size must be positive, got -1000 ms"},
      {"tumbling size=10", "no unit follows the number 10"},
      {"tumbling size=1d offset=1d",
       "offset must be smaller than the size in magnitude, got "
       "offset 1d and size 1d"},
      {"tumbling size=1d offset=-1d", "got offset -1d and size 1d"},
      {"tumbling size=0week", "size must be positive, got 0week"},
      {"tumbling size=-1month", "size must be positive, got -1month"},
      {"tumbling size=10001year", "at most 10000year (10,000 years), got 10001year"},
      {"tumbling size=120001month", "at most 120000month"},
      {"tumbling size=9999999week", "at most 521775week"},
      {"tumbling size=week", "'week' is not a number of weeks"},
      {"tumbling size=1.5month", "'1.5month' is not a number of months"},
      {"tumbling size=1month2d", "'month' is not a unit"},
      {"tumbling size=1week first_day=so", "'so' is not a day of the week"},
      {"tumbling size=1month first_day=sunday", "unknown parameter 'first_day'"},
      {"tumbling size=1d first_day=sunday", "unknown parameter 'first_day'"},
      {"tumbling size=1month offset=1d", "unknown parameter 'offset'"},
      {"sliding size=1h", "slide is missing: use 'sliding size=1h slide=5m"},
      {"sliding slide=1h", "size is missing"},
      {"sliding size=1h slide=0ms", "slide must be positive, got 0 ms"},
      {"sliding size=1h slide=5m offset=5m", "offset must be smaller than the slide in magnitude"},
      {"sliding size=1month slide=1week", "'month' is not a unit"},
      {"cumulate size=1d", "step is missing: use 'cumulate size=1d step=6h"},
      {"cumulate step=1d", "size is missing"},
      {"cumulate size=1d step=5h", "step must divide the size, got step 5h and size 1d"},
      {"cumulate size=6h step=1d", "step must divide the size, got step 1d and size 6h"},
      {"cumulate size=10s step=0s", "step must be positive, got 0 ms"},
      {"cumulate size=10s step=-5s", "step must be positive, got -5000 ms"},
      {"cumulate size=0s step=5s", "size must be positive, got 0 ms"},
      {"cumulate size=1d step=6h offset=-24h", "got offset -1d and size 1d"},
      {"cumulate size=1d slide=6h", "unknown parameter 'slide'"},
      {"session", "gap is missing: use 'session gap=30m'"},
      {"session gap=0s", "gap must be positive, got 0 ms"},
      {"session gap=-5s", "gap must be positive, got -5000 ms"},
      {"session gap=5s gap_column=x", "gap and gap_column exclude each other"},
      {"session gap_column=", "a column name is missing"},
      {"session size=5s", "unknown parameter 'size'"},
      {"global size=1d", "unknown parameter 'size': use 'global'"},
      {"count", "size is missing: use 'count size=100"},
      {"count size=0", "size must be from 1 to"},
      {"count size=-1", "got -1"},
      {"count size=10 slide=0", "slide must be from 1 to"},
      {"count size=1d", "'1d' is not a number of rows"},
      {"count size=10 offset=1", "unknown parameter 'offset'"},
  };
}

TEST(WindowSpec, RefusesABadParameterInOneSentenceThatNamesValueAndRule) {
  for (const Refusal& refusal : refusals()) {
    SCOPED_TRACE(refusal.text);
    const auto spec = parse_window_spec(refusal.text);
    ASSERT_FALSE(spec);
    EXPECT_THAT(spec.error().message, HasSubstr(refusal.message));
    EXPECT_THAT(spec.error().message, HasSubstr("'" + refusal.text + "'"));
    EXPECT_THAT(spec.error().message, testing::Not(HasSubstr("\n")));
  }
}

// What no text can say, but a program can.
TEST(WindowSpec, RefusesWhatBuildersAllow) {
  constexpr auto kLowest = std::chrono::milliseconds(std::numeric_limits<std::int64_t>::min());
  constexpr auto kHighest = std::chrono::milliseconds(std::numeric_limits<std::int64_t>::max());
  WindowSpec shifted = calendar_months(1);
  shifted.offset = 1;
  WindowSpec of_both = session(minutes(1));
  of_both.gap_input = 0;
  WindowSpec sliding_month = sliding(days(1), hours(1));
  sliding_month.unit = CalendarUnit::kMonth;
  for (const WindowSpec& spec :
       {tumbling(kLowest), tumbling(kHighest), tumbling(days(1), kLowest),
        sliding(hours(1), kHighest), sliding(days(1), hours(1), kLowest),
        cumulate(kHighest, kHighest), cumulate(kHighest, minutes(1)), cumulate(days(1), kLowest),
        session(kLowest), session(kHighest), count_window(0), count_window(1, -1),
        calendar_weeks(1, 0), calendar_weeks(1, 8), calendar_months(0), shifted, of_both,
        sliding_month}) {
    EXPECT_FALSE(validate(spec)) << to_string(spec);
  }
}

TEST(WindowSpec, AGapOfEachRowIsAnInputOrAColumn) {
  WindowSpec by_input{WindowKind::kSession};
  EXPECT_FALSE(validate(by_input));
  by_input.gap_input = 0;
  EXPECT_TRUE(validate(by_input));
  EXPECT_TRUE(validate(session_by_column("pause")));
}

}  // namespace
}  // namespace tidemark
