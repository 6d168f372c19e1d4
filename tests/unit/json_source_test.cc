// JSON inputs as rows: one object a line, or the elements of one array.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/csv_reading.h"

namespace tidemark {
namespace {

using test_support::csv_refusal;
using test_support::CsvRead;
using test_support::read_csv;
using test_support::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Rows with a time `ts` in ms, a key `k` and a value `v`.
FileSourceOptions json_options(const TemporaryFile& file, FileFormat format) {
  FileSourceOptions options;
  options.path = file.path();
  options.format = format;
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  options.keys = {"k"};
  options.values = {{"v", std::nullopt, false}};
  return options;
}

CsvRead read_lines(std::string_view text) {
  return read_csv(json_options(TemporaryFile(text), FileFormat::kJsonLines));
}

TEST(JsonSource, CellsAreStringsTextsNumbersAsWrittenAndNullWhereThereIsNothing) {
  struct Example {
    const char* cells;
    const char* row;
  };
  const Example examples[] = {
      {R"("k":"a","v":2)", "1|a|2"},
      {R"("v":2,"k":"a")", "1|a|2"},
      {R"("k":"a")", "1|a|<null>"},
      {R"("k":null,"v":null)", "1|<null>|<null>"},
      {R"("k":"","v":2)", "1||2"},
      {R"("k":73314510714175488,"v":9007199254740993)", "1|73314510714175488|9007199254740993"},
      {R"("k":true,"v":2)", "1|true|2"},
      {R"("k":1.50,"v":2)", "1|1.50|2"},
      {R"("k":"a","v":"2")", "1|a|2"},
      {R"("k":"caf\u00e9 \"x\"\n","v":2)", "1|caf\u00e9 \"x\"\n|2"},
      {R"("\u006b":"a","v":2)", "1|a|2"},
      {R"("k":"a","v":1,"v":2)", "1|a|2"},
      {R"("k":"a","junk":327267367867168100000,"deep":{"k":[1,{"v":3}]},"v":2)", "1|a|2"},
  };
  for (const Example& example : examples) {
    SCOPED_TRACE(example.cells);
    // The first row makes v a column of integers.
    const CsvRead read = read_lines(fmt::format(
        "{{\"ts\":0,\"k\":\"x\",\"v\":0}}\n {{ \"ts\" : 1 , {} }} \r\n", example.cells));
    EXPECT_THAT(read.reasons, IsEmpty());
    EXPECT_THAT(read.rows, ElementsAre("0|x|0", example.row));
  }
}

TEST(JsonSource, ABrokenRowIsBadByItselfAndTheNextOnesAreRead) {
  struct Example {
    const char* row;
    const char* reason;
  };
  const Example examples[] = {
      {R"({"ts":123iiii,"v":2})", "123iiii"},
      {R"({"ts":2,"v":)", "not JSON"},
      {R"({"ts":2,"v":2} x)", "text follows the JSON object"},
      {R"({"ts":2,"k":"}","v":[{}]} , {"a":1)", "text follows the JSON object"},
      {R"({"ts":2,"v":2} {"ts":2})", "text follows"},
      {R"([1,2])", "not a JSON object"},
      {R"({"ts":2,"k":"a)", "not JSON"},
      {R"({"ts":2,"v":NaN})", "not JSON"},
      {R"({"ts":2,"v":01})", "01"},
      {R"({"ts":2,"v":tru})", "tru"},
      {R"({"ts":2,"v":"two"})", "not a number"},
      {R"({"ts":2,"v":18446744073709551615})", "does not fit a 64-bit integer"},
      {R"({"ts":2,"k":{"a":1},"v":1})", "an object, not one value"},
      {R"({"v":2})", "no event time"},
      {R"({"ts":null,"v":2})", "no event time"},
      {"{\"ts\":2,\"k\":\"\xff\"}", "not JSON"},
  };
  for (const Example& example : examples) {
    SCOPED_TRACE(example.row);
    const CsvRead read = read_lines(fmt::format(
        "{{\"ts\":1,\"k\":\"a\",\"v\":1}}\n\n{}\n{{\"ts\":3,\"k\":\"b\",\"v\":4}}", example.row));
    EXPECT_THAT(read.rows, ElementsAre("1|a|1", "3|b|4"));
    EXPECT_THAT(read.bad, ElementsAre(fmt::format("3: {}", example.row)));
    ASSERT_EQ(read.reasons.size(), 1U);
    EXPECT_THAT(read.reasons[0], HasSubstr(example.reason));
  }
}

TEST(JsonSource, AnArrayOfRowsIsTheDocumentOrWhereAPointerLeads) {
  struct Example {
    const char* pointer;
    const char* document;
  };
  const Example examples[] = {
      {"", "[{}]"},
      {"", " \n[\n{} ]\n"},
      {"/rows", R"({"rows":[{}]})"},
      {"/rows", R"({"count":1,"meta":{"rows":[1]},"s":"]}","rows":[{}],"more":[{"ts":9},"]"]})"},
      {"/a/0/b~1c", R"({"a":[{"b/c":[{}]},{"b/c":[]}]})"},
  };
  for (const Example& example : examples) {
    SCOPED_TRACE(example.document);
    const std::string rows =
        "{\"ts\":1,\"k\":\"[,]\\\\\\\"}\",\"v\":1},\n {\"ts\":2,\"k\":\"b\",\"v\":2}";
    std::string document = example.document;
    document.replace(document.find("{}"), 2, rows);
    const TemporaryFile file(document);
    for (std::size_t chunk_bytes = 1; chunk_bytes < document.size() + 2; ++chunk_bytes) {
      FileSourceOptions options = json_options(file, FileFormat::kJson);
      options.json_rows = example.pointer;
      options.chunk_bytes = chunk_bytes;
      const CsvRead read = read_csv(options);
      ASSERT_THAT(read.reasons, IsEmpty());
      ASSERT_THAT(read.rows, ElementsAre("1|[,]\\\"}|1", "2|b|2")) << chunk_bytes;
    }
  }
}

TEST(JsonSource, PointersReachIntoRows) {
  const TemporaryFile file(R"({"p":{"time":5,"a.b":"x"},"at":[7,8]})"
                           "\n"
                           R"({"p":null,"at":3})"
                           "\n"
                           R"({"p":{"time":6},"at":[9]})");
  FileSourceOptions options;
  options.path = file.path();
  options.format = FileFormat::kJsonLines;
  options.time_column = "/p/time";
  options.time.unit = TimeUnit::kMilliseconds;
  options.keys = {"/p/a.b"};
  options.values = {{"/at/1", std::nullopt, false}};
  const CsvRead read = read_csv(options);
  EXPECT_THAT(read.rows, ElementsAre("5|x|8", "6|<null>|<null>"));
  EXPECT_THAT(read.bad, ElementsAre(R"(2: {"p":null,"at":3})"));
}

TEST(JsonSource, LinesOfBadRowsAreCountedInADocument) {
  const TemporaryFile file("{\n\"rows\":\n[{\"ts\":1},\n\n{\"ts\":\n2}, 7,\n{\"ts\":x}]}\n");
  for (const std::size_t chunk_bytes : {1U, 4U, 7U, 1000U}) {
    FileSourceOptions options = json_options(file, FileFormat::kJson);
    options.keys = {};
    options.values = {};
    options.json_rows = "/rows";
    options.chunk_bytes = chunk_bytes;
    const CsvRead read = read_csv(options);
    EXPECT_THAT(read.rows, ElementsAre("1", "2"));
    EXPECT_THAT(read.bad, ElementsAre("6: 7", "7: {\"ts\":x}"));
  }
}

TEST(JsonSource, ADocumentThatIsCutOffIsReported) {
  for (const char* text : {"[{\"ts\":1},{\"ts\":2", "[{\"ts\":1},", "[{\"ts\":1}"}) {
    SCOPED_TRACE(text);
    const TemporaryFile file(text);
    FileSourceOptions options = json_options(file, FileFormat::kJson);
    options.keys = {};
    options.values = {};
    const CsvRead read = read_csv(options);
    EXPECT_THAT(read.rows, ElementsAre("1"));
    EXPECT_EQ(read.bad_count, 1U);
  }
}

// What is behind the array of rows must be the rest of one document.
TEST(JsonSource, WhatFollowsTheArrayIsLookedAt) {
  struct Example {
    const char* pointer;
    const char* text;
    const char* says;  // empty: nothing is wrong
  };
  const Example examples[] = {
      {"", "[{\"ts\":1}] \n\n", ""},
      {"", "[{\"ts\":1}][{\"ts\":2}]", "the document ends before this"},
      {"", "[{\"ts\":1}]\nx", "the document ends before this"},
      {"/rows", "{\"rows\":[{\"ts\":1}],\"n\":{\"a\":[\"}\\\"]\",2]}}\n", ""},
      {"/a/rows", "{\"a\":{\"rows\":[{\"ts\":1}]},\"b\":3}", ""},
      {"/rows", "{\"rows\":[{\"ts\":1}]", "before its document is closed"},
      {"/a/rows", "{\"a\":{\"rows\":[{\"ts\":1}]}", "before its document is closed"},
      {"/rows", "{\"rows\":[{\"ts\":1}],\"b\":\"}", "before its document is closed"},
      {"/rows", "{\"rows\":[{\"ts\":1}]}{\"rows\":[]}", "the document ends before this"},
      {"/rows", "{\"rows\":[{\"ts\":1}],\"rows\" :[{\"ts\":2}]}", "has \"rows\" twice"},
      {"/a/rows", "{\"a\":{\"rows\":[{\"ts\":1}],\"b\":1,\"rows\":2}}", "has \"rows\" twice"},
      {"/a/rows", "{\"a\":{\"rows\":[{\"ts\":1}]},\"rows\":1,\"a\":2}", "has \"a\" twice"},
      {"/rows", "{\"rows\":[{\"ts\":1}],\"b\":\"rows\",\"r\":[\"rows\"],\"c\":{\"rows\":1}}", ""},
      {"/rows", "{\"rows\":[{\"ts\":1}],\"rows2\":1,\"row\":2,\"\\\"rows\":3}", ""},
  };
  for (const Example& example : examples) {
    for (const std::size_t chunk_bytes : {1U, 5U, 1000U}) {
      SCOPED_TRACE(example.text);
      const TemporaryFile file(example.text);
      FileSourceOptions options = json_options(file, FileFormat::kJson);
      options.keys = {};
      options.values = {};
      options.json_rows = example.pointer;
      options.chunk_bytes = chunk_bytes;
      const CsvRead read = read_csv(options);
      EXPECT_THAT(read.rows, ElementsAre("1"));
      if (*example.says == '\0') {
        EXPECT_THAT(read.reasons, IsEmpty());
      } else {
        EXPECT_THAT(read.reasons, ElementsAre(HasSubstr(example.says)));
      }
    }
  }
}

TEST(JsonSource, ACommaWithoutARowIsABadRow) {
  struct Example {
    const char* text;
    std::vector<std::string> rows;
    std::vector<std::string> bad;
  };
  const Example examples[] = {
      {"[{\"ts\":1},,{\"ts\":2}]", {"1", "2"}, {"1: "}},
      {"[{\"ts\":1},\n , ,\n{\"ts\":2}]", {"1", "2"}, {"2: ", "2: "}},
      {"[{\"ts\":1},\n]", {"1"}, {"2: "}},
      {"[{\"ts\":1},\n7,,]", {"1"}, {"2: 7", "2: ", "2: "}},
  };
  for (const Example& example : examples) {
    for (const std::size_t chunk_bytes : {1U, 3U, 8U, 1000U}) {
      SCOPED_TRACE(example.text);
      const TemporaryFile file(example.text);
      FileSourceOptions options = json_options(file, FileFormat::kJson);
      options.keys = {};
      options.values = {};
      options.chunk_bytes = chunk_bytes;
      const CsvRead read = read_csv(options);
      EXPECT_EQ(read.rows, example.rows);
      EXPECT_EQ(read.bad, example.bad);
      EXPECT_THAT(read.reasons, testing::Contains("a row is missing behind a comma of the array"));
    }
  }
}

TEST(JsonSource, RefusesWhatIsNoSuchInput) {
  struct Example {
    FileFormat format;
    const char* pointer;
    const char* text;
    const char* says;
  };
  const Example examples[] = {
      {FileFormat::kJsonLines, "", "", "is empty"},
      {FileFormat::kJson, "", " \n", "is empty"},
      {FileFormat::kJson, "", "{\"ts\":1}\n{\"ts\":2}\n", "--format ndjson"},
      {FileFormat::kJson, "/rows", "{\"row\":[]}", "no array of rows at \"/rows\""},
      {FileFormat::kJson, "/rows", "{\"rows\":3}", "no array of rows at \"/rows\""},
      {FileFormat::kJson, "/a~2", "{}", "JSON pointer"},
      {FileFormat::kJsonLines, "", "{\"time\":1,\"k\":1,\"v\":1}", "no column \"ts\""},
      {FileFormat::kJsonLines, "", "{\"ts\":1,\"k\":1,\"value\":1}", "no column \"v\""},
  };
  for (const Example& example : examples) {
    SCOPED_TRACE(example.text);
    const TemporaryFile file(example.text);
    FileSourceOptions options = json_options(file, example.format);
    options.json_rows = example.pointer;
    EXPECT_THAT(csv_refusal(options), HasSubstr(example.says));
  }
}

TEST(JsonSource, AColumnWhoseTypeIsGivenMayBeMissingInTheFirstRows) {
  const TemporaryFile file("{\"ts\":1,\"k\":\"a\"}\n");
  FileSourceOptions options = json_options(file, FileFormat::kJsonLines);
  options.types = {{"v", ColumnType::kDouble}};
  EXPECT_THAT(read_csv(options).rows, ElementsAre("1|a|<null>"));
}

TEST(JsonSource, ChunksOfAnySizeGiveTheSameRows) {
  std::mt19937_64 random(7);
  std::string lines;
  std::string array = "[";
  for (int i = 0; i < 60; ++i) {
    std::string row;
    if (random() % 8 == 0) {
      row = "{\"ts\":bad}";
    } else {
      row = fmt::format(R"({{"ts":{},"k":"{}","x":[{{"}}":"]\"\\"}}],"v":{}}})", i,
                        std::string(random() % 70, 'k'), random() % 100);
    }
    lines += row + (random() % 3 == 0 ? "\r\n\n" : "\n");
    array += (i == 0 ? "" : random() % 2 == 0 ? "," : " ,\n ") + row;
  }
  array += "]";
  for (const FileFormat format : {FileFormat::kJsonLines, FileFormat::kJson}) {
    const TemporaryFile file(format == FileFormat::kJson ? array : lines);
    const CsvRead whole = read_csv(json_options(file, format));
    EXPECT_EQ(whole.rows.size() + whole.bad.size(), 60U);
    for (std::size_t chunk_bytes = 1; chunk_bytes < 300; chunk_bytes += 1 + chunk_bytes / 8) {
      for (const std::size_t threads : {1U, 2U}) {
        FileSourceOptions options = json_options(file, format);
        options.chunk_bytes = chunk_bytes;
        options.threads = threads;
        const CsvRead read = read_csv(options);
        ASSERT_EQ(read.rows, whole.rows) << chunk_bytes;
        ASSERT_EQ(read.bad, whole.bad) << chunk_bytes;
      }
    }
  }
}

}  // namespace
}  // namespace tidemark
