// Which windows hold a time: one row through the pipeline for each line of window_starts.txt.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/case_table.h"
#include "support/query_run.h"
#include "support/test_paths.h"

namespace tidemark::test_support {
namespace {

struct StartsCase {
  std::string text;
  WindowSpec spec;
  EventTime time;
  std::vector<EventTime> starts;
};

EventTime time_of(const std::string& text) {
  const auto time = parse_case_time(text);
  EXPECT_TRUE(time) << time.error().message;
  return time.value_or(0);
}

// `window | time | starts of the windows that hold it`.
StartsCase parse_line(const std::string& line) {
  std::istringstream parts(line);
  std::string window;
  std::string time;
  std::string starts;
  std::getline(parts, window, '|');
  std::getline(parts, time, '|');
  std::getline(parts, starts);
  const auto spec = parse_window_spec(window);
  EXPECT_TRUE(spec) << spec.error().message;
  StartsCase result{line, spec.value_or(WindowSpec{}), 0, {}};
  std::istringstream(time) >> time;
  result.time = time_of(time);
  std::istringstream words(starts);
  for (std::string word; words >> word;) result.starts.push_back(time_of(word));
  std::sort(result.starts.begin(), result.starts.end());
  return result;
}

std::vector<StartsCase> load_cases() {
  std::ifstream stream(test_support::source_directory() + "/tests/golden/tables/window_starts.txt");
  std::vector<StartsCase> cases;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line[0] != '#') cases.push_back(parse_line(line));
  }
  return cases;
}

TEST(WindowStarts, AreThoseOfTheTable) {
  const std::vector<StartsCase> cases = load_cases();
  ASSERT_GT(cases.size(), 50U);
  for (const StartsCase& example : cases) {
    SCOPED_TRACE(example.text);
    WindowQuery query;
    query.windows = {example.spec};
    query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
    const RunOutcome run = run_query(query, {{Row{example.time, {}}}}, RunSettings{});
    std::vector<EventTime> starts;
    for (const ResultRow& result : run.results) {
      EXPECT_EQ(result.end - result.start, example.spec.size);
      EXPECT_EQ(to_text(result.aggregates), "1");
      starts.push_back(result.start);
    }
    EXPECT_EQ(starts, example.starts);
    EXPECT_EQ(run.report.rows_late, 0U);
    EXPECT_EQ(run.report.rows_in_no_window, example.starts.empty() ? 1U : 0U);
  }
}

}  // namespace
}  // namespace tidemark::test_support
