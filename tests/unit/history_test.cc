#include "tidemark/perf/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::lines_of;
using test_support::TemporaryFolder;
using testing::HasSubstr;

HistoryEntry entry(const std::string& commit, double value,
                   const std::string& machine = R"({"cpus":2})") {
  HistoryEntry made;
  made.time = "2026-01-01T00:00:00Z";
  made.commit = commit;
  made.machine_json = machine;
  made.figures.push_back({"throughput", "rows/s", Better::kHigher, value});
  return made;
}

TEST(HistoryTest, TheFirstEntryCreatesTheFileAndEveryEntryIsALine) {
  const TemporaryFolder folder;
  const std::string path = folder.file("history.jsonl");
  EXPECT_TRUE(read_history(path)->entries.empty());
  ASSERT_TRUE(append_history(path, entry("a", 10)));
  ASSERT_TRUE(append_history(path, entry("b", 11.5)));
  EXPECT_EQ(lines_of(folder.read("history.jsonl")).size(), 2U);
  const Expected<History> history = read_history(path);
  ASSERT_TRUE(history);
  ASSERT_EQ(history->entries.size(), 2U);
  EXPECT_EQ(history->entries[1].commit, "b");
  EXPECT_EQ(history->entries[1].figures[0].value, 11.5);
  EXPECT_EQ(history->entries[1].figures[0].better, Better::kHigher);
  EXPECT_FALSE(history->last_line_is_torn);
}

TEST(HistoryTest, ALastLineThatWasCutOffIsLeftOutAndTakenAwayByTheNextEntry) {
  const TemporaryFolder folder;
  const std::string path = folder.file("h");
  ASSERT_TRUE(append_history(path, entry("a", 10)));
  const std::string whole = folder.read("h");
  folder.write("h", whole + whole.substr(0, 40));
  const Expected<History> torn = read_history(path);
  ASSERT_TRUE(torn);
  EXPECT_TRUE(torn->last_line_is_torn);
  EXPECT_EQ(torn->entries.size(), 1U);
  ASSERT_TRUE(append_history(path, entry("b", 11)));
  const Expected<History> history = read_history(path);
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->entries.size(), 2U);
}

TEST(HistoryTest, AWholeLastLineWithoutLineFeedIsKept) {
  const TemporaryFolder folder;
  const std::string path = folder.file("h");
  ASSERT_TRUE(append_history(path, entry("a", 10)));
  std::string text = folder.read("h");
  text.pop_back();
  folder.write("h", text);
  EXPECT_EQ(read_history(path)->entries.size(), 1U);
  ASSERT_TRUE(append_history(path, entry("b", 11)));
  EXPECT_EQ(read_history(path)->entries.size(), 2U);
}

TEST(HistoryTest, AnotherBrokenLineIsRefusedWithItsNumber) {
  const TemporaryFolder folder;
  const std::string path = folder.file("h");
  ASSERT_TRUE(append_history(path, entry("a", 10)));
  const std::string line = folder.read("h");
  folder.write("h", line + "{\"schema\":\"other/1\"}\n" + line);
  EXPECT_THAT(read_history(path).error().message, HasSubstr("h:2: this line is no entry"));
  folder.write("h", line + line + "12,5\n");
  EXPECT_THAT(read_history(path).error().message, HasSubstr("h:3:"));
}

struct ForeignFile {
  const char* name;
  const char* text;
};
class ForeignHistoryTest : public testing::TestWithParam<ForeignFile> {};

TEST_P(ForeignHistoryTest, IsRefusedAndLeftAsItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.file("h");
  folder.write("h", GetParam().text);
  const Expected<History> history = read_history(path);
  ASSERT_FALSE(history);
  EXPECT_THAT(history.error().message, HasSubstr("this line is no entry of a history"));
  const Expected<void> appended = append_history(path, entry("a", 10));
  if (std::string(GetParam().text).back() != '\n') {
    ASSERT_FALSE(appended);
    EXPECT_THAT(appended.error().message, HasSubstr("no entry of a history"));
    EXPECT_EQ(folder.read("h"), GetParam().text);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ForeignHistoryTest,
    testing::Values(
        ForeignFile{"one_line_without_line_feed", "my notes"},
        ForeignFile{"one_line", "my notes\n"},
        ForeignFile{"json_of_something_else", R"({"schema":"other/1","a":1})"},
        ForeignFile{"cut_json_of_something_else", R"({"schema":"tidemark-bench/2","machi)"},
        ForeignFile{"a_later_schema_cut", R"({"schema":"tidemark-history/10","ti)"},
        ForeignFile{"notes_below_an_entry",
                    "{\"schema\":\"tidemark-history/1\",\"time\":\"t\",\"commit\":\"c\","
                    "\"figures\":[]}\nmy notes"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(HistoryTest, IsAFileThatCanBeWrittenWhichIsKnownBeforeAnythingIsMeasured) {
  const TemporaryFolder folder;
  EXPECT_TRUE(check_history_is_writable(folder.file("h")));
  EXPECT_FALSE(folder.has("h"));
  EXPECT_THAT(check_history_is_writable(folder.file("no/such/h")).error().message,
              HasSubstr("cannot write"));
  for (const std::string& path : {folder.path(), std::string("/dev/full")}) {
    EXPECT_THAT(check_history_is_writable(path).error().message, HasSubstr("a history is a file"));
    EXPECT_THAT(read_history(path).error().message, HasSubstr("a history is a file"));
    EXPECT_THAT(append_history(path, entry("a", 1)).error().message,
                HasSubstr("a history is a file"));
  }
}

TEST(HistoryTest, EntriesOfSeveralWritersDoNotMix) {
  const TemporaryFolder folder;
  const std::string path = folder.file("h");
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&path] {
      for (int i = 0; i < 25; ++i) EXPECT_TRUE(append_history(path, entry("c", i)));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const Expected<History> history = read_history(path);
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->entries.size(), 100U);
}

TEST(HistoryTest, AnotherMachineIsAnotherSeries) {
  History history;
  history.entries = {entry("a", 10), entry("b", 99, R"({"cpus":64})"), entry("c", 11)};
  const std::vector<HistorySeries> series = history_series(history, false);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].points.size(), 2U);
  EXPECT_EQ(history_series(history, true)[0].points.size(), 3U);
}

TEST(HistoryTest, AChangePointNamesTheFirstCommitOfTheNewLevel) {
  History history;
  for (int i = 0; i < 30; ++i) {
    const double jitter = (i * 7 % 5) * 0.1;
    history.entries.push_back(entry("c" + std::to_string(i), (i < 18 ? 100 : 90) + jitter));
  }
  const auto points = history_change_points(history_series(history, false), {});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].commit, "c18");
  EXPECT_EQ(points[0].figure, "throughput");
  EXPECT_TRUE(points[0].worse);
}

TEST(HistoryTest, TextsAreNoFiguresOfAHistory) {
  Measurement measurement;
  measurement.commit = "abc";
  Figure checksum{"checksum", "", Better::kEqual, FigureKind::kCounter};
  checksum.text = "0x1";
  Figure time{"BM_X", "ns", Better::kLower, FigureKind::kTiming};
  time.samples = {3, 1, 2};
  measurement.figures = {checksum, time};
  const HistoryEntry made = history_entry(measurement, "2026-01-02T00:00:00Z");
  ASSERT_EQ(made.figures.size(), 1U);
  EXPECT_EQ(made.figures[0].value, 2);
  EXPECT_EQ(made.time, "2026-01-02T00:00:00Z");
  EXPECT_EQ(made.commit, "abc");
}

}  // namespace
}  // namespace tidemark
