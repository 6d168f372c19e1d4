#include "tidemark/connectors/result_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/test_rows.h"

namespace tidemark {
namespace {

using test_support::append_row;
using test_support::Cell;
using test_support::kNull;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

WindowQuery query_with(Schema keys, std::size_t windows = 1) {
  WindowQuery query;
  query.keys = std::move(keys);
  query.values = {{"v", ColumnType::kDouble}};
  for (std::size_t i = 0; i < windows; ++i) {
    query.windows.push_back(tumbling(std::chrono::milliseconds(1000)));
  }
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kAvg, 0, "avg(v)"}};
  return query;
}

class ResultWriterTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  // Writes rows of [start, end, keys..., aggregates...] and returns the text.
  std::string write(ResultFormat format, const WindowQuery& query,
                    const std::vector<std::vector<Cell>>& rows,
                    TimeFormatter times = TimeFormatter(TimeStyle::kMs), std::uint32_t window = 0) {
    Batch batch(query.result_schema());
    batch.header.window = window;
    for (const std::vector<Cell>& cells : rows) {
      append_row(batch, {std::get<std::int64_t>(cells[1]) - 1, cells});
    }
    auto output = OutputFile::open(path_.string());
    EXPECT_TRUE(output.has_value());
    const auto writer = make_result_writer(format, result_layout(query), times, **output);
    if (!batch.empty()) writer->accept(batch);
    writer->finish();
    (*output)->close();
    return read_file(path_);
  }

  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("result_writer_test_" + std::to_string(::getpid()));
};

Cell integer(std::int64_t value) { return value; }
Cell text(std::string value) { return value; }

TEST_F(ResultWriterTest, CsvHasAHeaderLineWithoutAnyResult) {
  EXPECT_EQ(write(ResultFormat::kCsv, query_with({{"user", ColumnType::kString}}), {}),
            "window_start,window_end,user,count,avg(v)\n");
}

TEST_F(ResultWriterTest, CsvNumbersWindowsWhenThereAreSeveral) {
  const std::string out =
      write(ResultFormat::kCsv, query_with({}, 2), {{integer(0), integer(1000), integer(3), 1.5}},
            TimeFormatter(TimeStyle::kMs), 1);
  EXPECT_EQ(out, "window,window_start,window_end,count,avg(v)\n2,0,1000,3,1.5\n");
}

TEST_F(ResultWriterTest, PanesAreNoBoundsOfWindows) {
  WindowQuery query = query_with({{"k", ColumnType::kString}});
  query.reports_panes = true;
  const std::vector<std::vector<Cell>> rows{
      {Cell(0L), Cell(1000L), Cell("a"), Cell(3L), Cell(0.5), Cell("early"), Cell(1L), Cell("+I")}};
  EXPECT_EQ(write(ResultFormat::kCsv, query, rows, TimeFormatter(TimeStyle::kIso)),
            "window_start,window_end,k,count,avg(v),pane,pane_index,change\n"
            "1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z,a,3,0.5,early,1,+I\n");
}

TEST_F(ResultWriterTest, CsvQuotesWhatNeedsItAndTellsNullFromTheEmptyString) {
  struct Example {
    Cell key;
    std::string field;
  };
  const std::vector<Example> examples{
      {text("plain"), "plain"},
      {kNull, ""},
      {text(""), "\"\""},
      {text("a,b"), "\"a,b\""},
      {text("say \"hi\""), "\"say \"\"hi\"\"\""},
      {text("two\nlines"), "\"two\nlines\""},
      {text(" padded"), "\" padded\""},
      {text("007"), "007"},
      {text("caf\xe9"), "caf\xe9"},
  };
  for (const Example& example : examples) {
    const std::string out = write(ResultFormat::kCsv, query_with({{"k", ColumnType::kString}}),
                                  {{integer(0), integer(1000), example.key, integer(1), kNull}});
    EXPECT_EQ(out, "window_start,window_end,k,count,avg(v)\n0,1000," + example.field + ",1,\n");
  }
}

TEST_F(ResultWriterTest, DoublesAreTheShortestTextThatReadsBackTheSame) {
  struct Example {
    double value;
    std::string text;
  };
  const std::vector<Example> examples{
      {11.1, "11.1"},
      {45.0, "45"},
      {0.1 + 0.2, "0.30000000000000004"},
      {-0.0, "-0"},
      {1e300, "1e+300"},
      {std::nan(""), "NaN"},
      {HUGE_VAL, "Infinity"},
      {-HUGE_VAL, "-Infinity"},
      {5e-324, "5e-324"},
  };
  for (const Example& example : examples) {
    const std::string out = write(ResultFormat::kCsv, query_with({}),
                                  {{integer(0), integer(1000), integer(1), example.value}});
    EXPECT_EQ(lines_of(out).at(1), "0,1000,1," + example.text);
  }
}

TEST_F(ResultWriterTest, JsonHasOneObjectALine) {
  const std::string out = write(ResultFormat::kJson, query_with({{"user", ColumnType::kString}}),
                                {{integer(0), integer(1000), text("ann"), integer(2), 0.5},
                                 {integer(0), integer(1000), text("bob"), integer(1), kNull}});
  EXPECT_EQ(out,
            "{\"window_start\":0,\"window_end\":1000,\"user\":\"ann\",\"count\":2,\"avg(v)\":0.5}\n"
            "{\"window_start\":0,\"window_end\":1000,\"user\":\"bob\",\"count\":1,"
            "\"avg(v)\":null}\n");
}

TEST_F(ResultWriterTest, JsonWritesNanAndInfinityAsNull) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const std::string out = write(ResultFormat::kJson, query_with({}),
                                  {{integer(0), integer(1000), integer(1), value}});
    EXPECT_TRUE(nlohmann::json::parse(out).at("avg(v)").is_null()) << out;
  }
}

TEST_F(ResultWriterTest, JsonKeysThatAreCanonicalIntegersAreNumbers) {
  struct Example {
    std::string key;
    std::string json;
  };
  const std::vector<Example> examples{
      {"42", "42"},
      {"-7", "-7"},
      {"0", "0"},
      {"007", "\"007\""},
      {"-0", "\"-0\""},
      {"+1", "\"+1\""},
      {"1.5", "\"1.5\""},
      {"", "\"\""},
      {"73314510714175488", "73314510714175488"},
      {"999999999999999999", "999999999999999999"},
      {"1000000000000000000", "\"1000000000000000000\""},
  };
  for (const Example& example : examples) {
    const std::string out =
        write(ResultFormat::kJson, query_with({{"k", ColumnType::kString}}),
              {{integer(0), integer(1000), text(example.key), integer(1), kNull}});
    EXPECT_THAT(out, testing::HasSubstr("\"k\":" + example.json + ",")) << example.key;
  }
}

TEST_F(ResultWriterTest, JsonStaysValidForAnyBytes) {
  for (const std::string key :
       {"caf\xe9", "\xff\xfe", "\xed\xa0\x80", "a\"b\\c\n\x01", "\xc3\xa9"}) {
    const std::string out = write(ResultFormat::kJson, query_with({{"k\xff", ColumnType::kString}}),
                                  {{integer(0), integer(1000), text(key), integer(1), kNull}});
    EXPECT_TRUE(nlohmann::json::accept(out)) << out;
    EXPECT_EQ(lines_of(out).size(), 1U);
  }
}

TEST_F(ResultWriterTest, TableAlignsNumbersRightAndTextLeft) {
  const std::string out =
      write(ResultFormat::kTable, query_with({{"user", ColumnType::kString}}),
            {{integer(0), integer(1000), text("ann"), integer(12), 0.5},
             {integer(0), integer(1000), text("zo\xc3\xab the 2nd"), integer(1), kNull},
             {integer(0), integer(1000), text("tab\there"), integer(1), 1.0}});
  EXPECT_EQ(out,
            "window_start  window_end  user         count  avg(v)\n"
            "------------  ----------  -----------  -----  ------\n"
            "0             1000        ann             12     0.5\n"
            "0             1000        zo\xc3\xab the 2nd      1    NULL\n"
            "0             1000        tab\\x09here      1       1\n");
}

TEST_F(ResultWriterTest, TableTakesItsWidthsFromTheFirstRowsOnly) {
  const WindowQuery query = query_with({{"user", ColumnType::kString}});
  std::vector<std::vector<Cell>> rows(1000,
                                      {integer(0), integer(1000), text("ann"), integer(1), kNull});
  rows.push_back({integer(0), integer(1000), text("a longer name"), integer(1), kNull});
  const std::vector<std::string> lines = lines_of(write(ResultFormat::kTable, query, rows));
  ASSERT_EQ(lines.size(), 1003U);
  EXPECT_EQ(lines[1001], "0             1000        ann       1    NULL");
  EXPECT_EQ(lines[1002], "0             1000        a longer name      1    NULL");
}

TEST_F(ResultWriterTest, TimesAreWrittenAsAsked) {
  const auto shanghai = TimeFormatter::in_zone(TimeStyle::kIso, "Asia/Shanghai");
  ASSERT_TRUE(shanghai.has_value());
  const std::vector<std::vector<Cell>> rows{
      {integer(1790784000000), integer(1790870400000), integer(5), kNull}};
  EXPECT_EQ(lines_of(write(ResultFormat::kCsv, query_with({}), rows, *shanghai)).at(1),
            "2026-10-01T00:00:00.000+08:00,2026-10-02T00:00:00.000+08:00,5,");
  EXPECT_EQ(
      lines_of(write(ResultFormat::kJson, query_with({}), rows, TimeFormatter(TimeStyle::kIso)))
          .at(0),
      "{\"window_start\":\"2026-09-30T16:00:00.000Z\",\"window_end\":"
      "\"2026-10-01T16:00:00.000Z\",\"count\":5,\"avg(v)\":null}");
}

TEST_F(ResultWriterTest, AWindowForAllTimeHasNoBounds) {
  for (const TimeStyle style : {TimeStyle::kMs, TimeStyle::kIso}) {
    const std::vector<std::vector<Cell>> rows{
        {integer(kNoWatermark), integer(kEndOfTime), integer(5), kNull}};
    const auto line = [&](ResultFormat format) {
      return lines_of(write(format, query_with({}), rows, TimeFormatter(style))).back();
    };
    EXPECT_EQ(line(ResultFormat::kCsv), ",,5,");
    EXPECT_EQ(line(ResultFormat::kJson),
              "{\"window_start\":null,\"window_end\":null,\"count\":5,\"avg(v)\":null}");
    EXPECT_EQ(line(ResultFormat::kTable), "                              5    NULL");
  }
}

TEST(TimeFormatterTest, WritesTimesOfEveryAge) {
  struct Example {
    EventTime time;
    std::string zone;
    std::string text;
  };
  const std::vector<Example> examples{
      {0, "UTC", "1970-01-01T00:00:00.000Z"},
      {-1, "UTC", "1969-12-31T23:59:59.999Z"},
      {kMinEventTime, "UTC", "0001-01-01T00:00:00.000Z"},
      {kMaxEventTime, "UTC", "9999-12-31T23:59:59.999Z"},
      {kMinEventTime - 1, "UTC", "0000-12-31T23:59:59.999Z"},
      {-62'198'755'200'000, "UTC", "-0001-01-01T00:00:00.000Z"},
      {kMaxEventTime + 1, "UTC", "+10000-01-01T00:00:00.000Z"},
      {1790784000000, "Asia/Shanghai", "2026-10-01T00:00:00.000+08:00"},
      {1711846799999, "Europe/Berlin", "2024-03-31T01:59:59.999+01:00"},
      {1711846800000, "Europe/Berlin", "2024-03-31T03:00:00.000+02:00"},
      {1790784000000, "America/St_Johns", "2026-09-30T13:30:00.000-02:30"},
      {-2'208'988'800'000, "Asia/Shanghai", "1900-01-01T08:05:43.000+08:05:43"},
  };
  for (const Example& example : examples) {
    auto formatter = TimeFormatter::in_zone(TimeStyle::kIso, example.zone);
    ASSERT_TRUE(formatter.has_value()) << formatter.error().message;
    fmt::memory_buffer out;
    formatter->append(example.time, out);
    EXPECT_EQ(fmt::to_string(out), example.text);
  }
}

TEST(TimeFormatterTest, RefusesAnUnknownZoneByName) {
  const auto formatter = TimeFormatter::in_zone(TimeStyle::kIso, "Mars/Olympus");
  ASSERT_FALSE(formatter.has_value());
  EXPECT_THAT(formatter.error().message, testing::HasSubstr("Mars/Olympus"));
}

}  // namespace
}  // namespace tidemark
