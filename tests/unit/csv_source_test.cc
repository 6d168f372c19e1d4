#include "tidemark/connectors/csv_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tidemark {
namespace {

using namespace std::chrono_literals;

// A file of its own for each test, gone afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    path_ = (std::filesystem::temp_directory_path() / "tidemark_csv_XXXXXX").string();
    const int descriptor = ::mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    ::close(descriptor);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  void write(std::string_view text) const {
    ASSERT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

struct Read {
  std::vector<std::string> rows;  // "time|cell|cell", NULL as <null>
  std::vector<std::string> bad;   // "line: raw"
  std::vector<std::string> reasons;
  std::uint64_t bad_count = 0;
};

std::string cell_text(const Column& column, std::size_t row) {
  if (column.is_null(row)) return "<null>";
  if (column.type() == ColumnType::kInt64) return std::to_string(column.int64s()[row]);
  if (column.type() == ColumnType::kDouble) return fmt::format("{}", column.doubles()[row]);
  return std::string(column.string(row));
}

void add_rows(const Batch& batch, Read& read) {
  for (std::size_t row = 0; row < batch.size(); ++row) {
    std::string text = std::to_string(batch.times()[row]);
    for (std::size_t i = 0; i < batch.column_count(); ++i) {
      text += "|" + cell_text(batch.column(i), row);
    }
    read.rows.push_back(text);
  }
}

Read read_all(CsvSourceOptions options, std::size_t batch_rows = 16) {
  Read read;
  options.bad_rows = [&read](const BadRow& row) {
    read.bad.push_back(fmt::format("{}: {}", row.line, row.raw));
    read.reasons.push_back(row.reason);
  };
  const Expected<std::unique_ptr<CsvSource>> source = CsvSource::open(std::move(options));
  if (!source) throw std::runtime_error("refused: " + source.error().message);
  Parker parker;
  (*source)->start(parker);
  Batch batch((*source)->plan().schema, batch_rows);
  while (true) {
    const PollStatus status = (*source)->poll(batch);
    if (status == PollStatus::kEnd) break;
    if (status == PollStatus::kPending) parker.park();
    // Some rows stay, so that rows are appended behind others too.
    if (batch.size() < batch_rows / 2) continue;
    add_rows(batch, read);
    batch.clear();
  }
  add_rows(batch, read);
  (*source)->stop();
  read.bad_count = (*source)->bad_rows();
  return read;
}

CsvSourceOptions options_for(const TemporaryFile& file) {
  CsvSourceOptions options;
  options.path = file.path();
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  return options;
}

Read read_text(std::string_view text, std::vector<std::string> keys,
               std::vector<CsvValueInput> values = {}) {
  const TemporaryFile file(text);
  CsvSourceOptions options = options_for(file);
  options.keys = std::move(keys);
  options.values = std::move(values);
  return read_all(std::move(options));
}

std::string refusal(CsvSourceOptions options) {
  const Expected<std::unique_ptr<CsvSource>> source = CsvSource::open(std::move(options));
  return source ? "" : source.error().message;
}

using Texts = std::vector<std::string>;

TEST(CsvSource, SkipsAByteOrderMarkAtTheStartOnly) {
  EXPECT_EQ(read_text("\xEF\xBB\xBFts,k,v\r\n1,a,5\r\n", {"k"}, {{"v", {}}}).rows, Texts{"1|a|5"});
  EXPECT_EQ(read_text("\xEF\xBB\xBF\"ts\",k\n1,a\n", {"k"}).rows, Texts{"1|a"});
  EXPECT_EQ(read_text("ts,k\n1,\xEF\xBB\xBF"
                      "a\n",
                      {"k"})
                .rows,
            Texts{"1|\xEF\xBB\xBF"
                  "a"});
}

TEST(CsvSource, ReadsQuotedLineBreaksAsData) {
  EXPECT_EQ(read_text("ts,b,c\n1,\"x\ny\",2\n3,\"z\n\",4\n", {"b"}, {{"c", {}}}).rows,
            (Texts{"1|x\ny|2", "3|z\n|4"}));
}

TEST(CsvSource, TellsNullFromTheEmptyString) {
  EXPECT_EQ(read_text("ts,k\n1,\n2,\"\"\n3,a\n4,\n", {"k"}).rows,
            (Texts{"1|<null>", "2|", "3|a", "4|<null>"}));
  EXPECT_EQ(read_text("ts,v\n1,\n2,\"\"\n3,7\n", {}, {{"v", {}}}).rows,
            (Texts{"1|<null>", "2|<null>", "3|7"}));
}

TEST(CsvSource, PassesBytesThatAreNotUtf8) {
  EXPECT_EQ(read_text("ts,k\n1,caf\xe9\n2,ok\n3,\xff\xfe\n4,\xed\xa0\x80\n", {"k"}).rows,
            (Texts{"1|caf\xe9", "2|ok", "3|\xff\xfe", "4|\xed\xa0\x80"}));
}

TEST(CsvSource, NeverCountsARowWithoutATimeAtAnotherOnesTime) {
  const Read read = read_text("ts,k\n1000,a\n,b\n2000,c\n", {"k"});
  EXPECT_EQ(read.rows, (Texts{"1000|a", "2000|c"}));
  EXPECT_EQ(read.bad, Texts{"3: ,b"});
  EXPECT_EQ(read.reasons, Texts{"column \"ts\": no event time"});
}

TEST(CsvSource, PutsTimesOutsideTheCalendarAside) {
  const Read read = read_text(
      "ts\n1620460800000\n637560576000000000\n1620460801000\n9223372036854775807\n"
      "-9223372036854775808\n0\n",
      {});
  EXPECT_EQ(read.rows, (Texts{"1620460800000", "1620460801000", "0"}));
  EXPECT_EQ(read.bad,
            (Texts{"3: 637560576000000000", "5: 9223372036854775807", "6: -9223372036854775808"}));
  EXPECT_NE(read.reasons[0].find("outside the years 0001 to 9999"), std::string::npos);
}

TEST(CsvSource, KeepsBigIntegersExactAndIgnoresColumnsThatAreNotSelected) {
  const Read read = read_text(
      "id,x,u,junk,ts\n"
      "73314510714175488,9007199254740993,18446744073709551615,327267367867168100000,1\n"
      "1,9223372036854775807,2,x,2\n",
      {"id"}, {{"x", {}}});
  EXPECT_EQ(read.rows, (Texts{"1|73314510714175488|9007199254740993", "2|1|9223372036854775807"}));
}

TEST(CsvSource, MakesAnIntegerThatDoesNotFitABadRow) {
  const Read read = read_text("ts,u\n1,18446744073709551615\n2,5\n", {}, {{"u", {}}});
  EXPECT_EQ(read.rows, Texts{"2|5"});
  ASSERT_EQ(read.bad, Texts{"2: 1,18446744073709551615"});
  EXPECT_NE(read.reasons[0].find("does not fit a 64-bit integer"), std::string::npos);
  EXPECT_NE(read.reasons[0].find("--type u=double"), std::string::npos);
}

TEST(CsvSource, ReadsNumbersTheSameInEveryLocale) {
  const char* const previous = std::setlocale(LC_ALL, nullptr);
  const std::string restored = previous == nullptr ? "C" : previous;
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  const Read read =
      read_text("ts,v\n1,1.5\n2,\"2,5\"\n3,-1e3\n4,nan\n5,-Infinity\n6,inf\n", {}, {{"v", {}}});
  std::setlocale(LC_ALL, restored.c_str());
  EXPECT_EQ(read.rows, (Texts{"1|1.5", "3|-1000", "4|nan", "5|-inf", "6|inf"}));
  EXPECT_EQ(read.bad, Texts{"3: 2,\"2,5\""});
}

TEST(CsvSource, NamesColumnTextAndRemedyOfABadNumber) {
  std::string text = "ts,v\n";
  for (std::size_t i = 0; i < kTypeSampleRows; ++i) text += "1,7\n";
  const Read read = read_text(text + "2,7.5\n3,x\n4,1e999\n5, 7\n6,+7\n", {}, {{"v", {}}});
  ASSERT_EQ(read.reasons.size(), 5U);
  EXPECT_EQ(read.reasons[0],
            "column \"v\": \"7.5\" is not an integer, as the first rows are; pass --type v=double "
            "to read it");
  EXPECT_EQ(read.reasons[1], "column \"v\": \"x\" is not an integer");
  EXPECT_EQ(read.bad[0], "10002: 2,7.5");
}

TEST(CsvSource, InfersOrTakesTypes) {
  const TemporaryFile file("ts,a,b,c,d,e\n1,7,7.5,007,,-3\n2,,1,1,,123456789012345678901\n");
  CsvSourceOptions options = options_for(file);
  options.values = {{"a", {}}, {"b", {}}, {"c", {}}, {"d", {}}, {"e", {}}};
  options.types = {{"a", ColumnType::kDouble}};
  const std::unique_ptr<CsvSource> source = CsvSource::open(options).value();
  std::string types;
  for (const Field& field : source->plan().schema) {
    types += field.name + (field.type == ColumnType::kInt64 ? ":int " : ":double ");
  }
  EXPECT_EQ(types, "a:double b:double c:double d:double e:int ");
}

TEST(CsvSource, RefusesADoubleThatIsOutOfRange) {
  const Read read = read_text("ts,v\n1,1e999\n2,1e-999\n", {}, {{"v", {}}});
  EXPECT_EQ(read.rows, Texts{"2|0"});
  EXPECT_EQ(read.reasons, Texts{"column \"v\": \"1e999\" does not fit a double"});
}

TEST(CsvSource, CountsFieldsAndGoesOnBehindBrokenRows) {
  const Read read = read_text("ts,k\n1,a\n2\n3,b,c\n4,\"d\"e\n5,f\n6,\"g\n", {"k"});
  EXPECT_EQ(read.rows, (Texts{"1|a", "5|f"}));
  EXPECT_EQ(read.bad, (Texts{"3: 2", "4: 3,b,c", "5: 4,\"d\"e", "7: 6,\"g\n"}));
  EXPECT_EQ(read.reasons[0], "1 fields where the header has 2");
  EXPECT_EQ(read.reasons[1], "3 fields where the header has 2");
  EXPECT_EQ(read.bad_count, 4U);
}

TEST(CsvSource, FiltersValuesAndLeavesRows) {
  const auto filter = [](std::string column, CompareOp op, std::string literal, bool text = false) {
    return CsvFilter{std::move(column), op, std::move(literal), text};
  };
  const std::string_view text = "ts,x,c\n1,10,DE\n2,20,FR\n3,,\n4,30,\"D\"\"E\"\n";
  EXPECT_EQ(read_text(text, {}, {{"", filter("c", CompareOp::kEqual, "DE")}}).rows,
            (Texts{"1|1", "2|<null>", "3|<null>", "4|<null>"}));
  EXPECT_EQ(read_text(text, {}, {{"x", filter("c", CompareOp::kNotEqual, "D\"E")}}).rows,
            (Texts{"1|10", "2|20", "3|<null>", "4|<null>"}));
  EXPECT_EQ(read_text(text, {}, {{"", filter("x", CompareOp::kGreaterOrEqual, "20")}}).rows,
            (Texts{"1|<null>", "2|1", "3|<null>", "4|1"}));
  EXPECT_EQ(read_text(text, {}, {{"", filter("x", CompareOp::kLess, "10.5")}}).rows,
            (Texts{"1|1", "2|<null>", "3|<null>", "4|<null>"}));
  EXPECT_EQ(read_text(text, {}, {{"", filter("x", CompareOp::kLessOrEqual, "10", true)}}).rows,
            (Texts{"1|1", "2|<null>", "3|<null>", "4|<null>"}));
  const Read compared = read_text(text, {}, {{"", filter("c", CompareOp::kGreater, "5")}});
  EXPECT_EQ(compared.rows, Texts{"3|<null>"});
  EXPECT_EQ(compared.bad_count, 3U);
}

TEST(CsvSource, CarriesTheRowsOwnText) {
  const TemporaryFile file("ts,k,v\n1,\"a\"\"b\",2\r\n3,,\n");
  CsvSourceOptions options = options_for(file);
  options.keys = {"k"};
  options.values = {{"v", {}}};
  options.carry_raw = true;
  EXPECT_EQ(read_all(options).rows, (Texts{"1|a\"b|2|1,\"a\"\"b\",2", "3|<null>|<null>|3,,"}));
}

TEST(CsvSource, EndsAtTheFirstBadRowIfAsked) {
  const TemporaryFile file("ts,k\n1,a\nx,b\n2,c\n");
  CsvSourceOptions options = options_for(file);
  options.on_bad = OnBadRow::kFail;
  try {
    read_all(options);
    FAIL() << "a bad row was let pass";
  } catch (const std::runtime_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("line 3 of " + file.path()), std::string::npos);
    EXPECT_NE(std::string(failure.what()).find("\"x\" is not a number of milliseconds"),
              std::string::npos);
  }
}

TEST(CsvSource, RefusesColumnsThatAreNotThereOrTwice) {
  const TemporaryFile file("ts,user_id,amount,amount\n1,a,2,3\n");
  CsvSourceOptions options = options_for(file);
  options.keys = {"userid"};
  EXPECT_NE(refusal(options).find("no column \"userid\" (did you mean \"user_id\"?); its columns "
                                  "are ts, user_id, amount, amount"),
            std::string::npos);
  options.keys = {};
  options.values = {{"amount", {}}};
  EXPECT_NE(refusal(options).find("more than one column \"amount\""), std::string::npos);
  options.values = {};
  EXPECT_EQ(refusal(options), "");
  options.types = {{"amout", ColumnType::kDouble}};
  EXPECT_NE(refusal(options).find("did you mean \"amount\"?"), std::string::npos);
}

TEST(CsvSource, RefusesInputWithoutAHeaderAndLoneCarriageReturns) {
  EXPECT_NE(refusal(options_for(TemporaryFile(""))).find("is empty"), std::string::npos);
  EXPECT_NE(refusal(options_for(TemporaryFile("\n\n"))).find("is empty"), std::string::npos);
  EXPECT_NE(refusal(options_for(TemporaryFile("ts,k\r1,a\r2,b\r"))).find("CR alone"),
            std::string::npos);
  CsvSourceOptions missing;
  missing.path = "/nonexistent/orders.csv";
  EXPECT_NE(refusal(missing).find("cannot open /nonexistent/orders.csv"), std::string::npos);
  missing.path = "/";
  EXPECT_NE(refusal(missing).find("not a file"), std::string::npos);
}

TEST(CsvSource, EndsAtOnceBehindAHeaderAlone) {
  EXPECT_EQ(read_text("ts,k\n", {"k"}).rows, Texts{});
  EXPECT_EQ(read_text("ts,k", {"k"}).rows, Texts{});
}

TEST(CsvSource, FindsOutTheTimeUnitOrRefuses) {
  const TemporaryFile seconds("ts\n1772452800\n");
  CsvSourceOptions options = options_for(seconds);
  options.time.unit = TimeUnit::kAuto;
  EXPECT_EQ(CsvSource::open(options).value()->plan().detected_unit->unit, TimeUnit::kSeconds);
  EXPECT_EQ(read_all(options).rows, Texts{"1772452800000"});
  const TemporaryFile small("ts\n5\n");
  options.path = small.path();
  EXPECT_NE(refusal(options).find("column \"ts\": time \"5\" could be in more than one unit"),
            std::string::npos);
}

TEST(CsvSource, WarnsWhenAllTimesFallInJanuary1970) {
  const TemporaryFile seconds("ts\n1772452800\n1772452801\n");
  const std::unique_ptr<CsvSource> source = CsvSource::open(options_for(seconds)).value();
  ASSERT_TRUE(source->plan().time_warning);
  EXPECT_NE(source->plan().time_warning->find("January 1970"), std::string::npos);
}

std::string random_csv(std::mt19937_64& random, std::size_t rows) {
  const std::string end = random() % 2 == 0 ? "\n" : "\r\n";
  const Texts cells = {"a",           "",
                       "\"\"",        "\"x,y\"",
                       "\"l1\nl2\"",  "q\"q",
                       "\"\"\"\"",    "\"two\r\nlines\"",
                       "\"broken\"x", "long cell of text"};
  std::string text = "ts,k,v" + end;
  for (std::size_t i = 0; i < rows; ++i) {
    text += (random() % 10 == 0 ? "x" : std::to_string(random() % 100000)) + "," +
            cells[random() % cells.size()] + "," + std::to_string(random() % 50);
    if (random() % 12 == 0) text += ",extra";
    if (random() % 9 == 0) text += end;
    text += end;
  }
  if (random() % 3 == 0) text += "7,\"never closed\n8,b";
  return text;
}

TEST(CsvSource, GivesTheSameRowsAndBadRowsForAnyChunkSizeThreadsAndBatch) {
  std::mt19937_64 random(20261001);
  for (int round = 0; round < 30; ++round) {
    const TemporaryFile file(random_csv(random, 1 + random() % 60));
    CsvSourceOptions options = options_for(file);
    options.keys = {"k"};
    options.values = {{"v", {}}};
    options.carry_raw = true;
    const Read whole = read_all(options);
    for (const std::size_t chunk_bytes :
         {std::size_t{1}, std::size_t{7}, std::size_t{64}, 1 + random() % 500}) {
      options.chunk_bytes = chunk_bytes;
      options.threads = 1 + random() % 3;
      options.batch_rows = 1 + random() % 20;
      const Read cut = read_all(options, 1 + random() % 20);
      ASSERT_EQ(cut.rows, whole.rows);
      ASSERT_EQ(cut.bad, whole.bad);
      ASSERT_EQ(cut.reasons, whole.reasons);
    }
  }
}

TEST(CsvSource, ReadsAPipeLikeAFile) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10; ++round) {
    const std::string text = random_csv(random, 200);
    const TemporaryFile file(text);
    CsvSourceOptions options = options_for(file);
    options.keys = {"k"};
    options.values = {{"v", {}}};
    const Read whole = read_all(options);
    Pipe pipe;
    std::thread writer([&] {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = std::min(text.size() - at, 1 + random() % 700);
        pipe.write(text.substr(at, bytes));
        at += bytes;
      }
      pipe.close_writer();
    });
    options.path.clear();
    options.descriptor = pipe.reader();
    options.chunk_bytes = 256;
    options.threads = 2;
    const Read streamed = read_all(options);
    writer.join();
    ASSERT_EQ(streamed.rows, whole.rows);
    ASSERT_EQ(streamed.bad, whole.bad);
  }
}

// Polls until there are rows or 10 s have passed.
PollStatus wait_for_rows(CsvSource& source, Batch& batch, Parker& parker) {
  const auto deadline = Clock::now() + 10s;
  while (Clock::now() < deadline) {
    const PollStatus status = source.poll(batch);
    if (status != PollStatus::kPending) return status;
    parker.park(deadline);
  }
  return PollStatus::kPending;
}

TEST(CsvSource, GivesARowOfASlowPipeWithoutWaitingForTheNext) {
  Pipe pipe;
  CsvSourceOptions options;
  options.descriptor = pipe.reader();
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  options.keys = {"k"};
  options.threads = 2;
  pipe.write("ts,k\n0,a\n");
  const std::unique_ptr<CsvSource> source = CsvSource::open(options).value();
  Parker parker;
  source->start(parker);
  for (int i = 0; i < 20; ++i) {
    Batch batch(source->plan().schema);
    ASSERT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);
    ASSERT_EQ(batch.size(), 1U);
    EXPECT_EQ(batch.times()[0], i);
    EXPECT_EQ(source->poll(batch), PollStatus::kPending);
    // Only the next row is written once this one has come out, and half of another.
    pipe.write(i == 0 ? "1,a\n2," : "a\n" + std::to_string(i + 2) + ",");
  }
  Batch batch(source->plan().schema);
  EXPECT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);
  pipe.close_writer();
  batch.clear();
  EXPECT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);  // "22," without line end
  EXPECT_TRUE(batch.column(0).is_null(0));
  EXPECT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kEnd);
  source->stop();
}

TEST(CsvSource, StopsAtOnceWhileAPipeIsSilent) {
  Pipe pipe;
  CsvSourceOptions options;
  options.descriptor = pipe.reader();
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  pipe.write("ts,k\n0,a\n");
  const std::unique_ptr<CsvSource> source = CsvSource::open(options).value();
  Parker parker;
  source->start(parker);
  Batch batch(source->plan().schema);
  ASSERT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);
  source->stop();  // would never return if the reader slept on
  source->stop();
}

TEST(CsvSource, StopsWhileItsConsumerTakesNothing) {
  std::string text = "ts,k\n";
  for (int i = 0; i < 10'000; ++i) text += "1,a\n";
  const TemporaryFile file(text);
  CsvSourceOptions options = options_for(file);
  options.chunk_bytes = 64;
  options.threads = 2;
  const std::unique_ptr<CsvSource> source = CsvSource::open(options).value();
  Parker parker;
  source->start(parker);
  parker.park(Clock::now() + 10s);
  source->stop();
}

TEST(CsvSource, GivesUpWaitingForAPipesFirstRowWhenCancelled) {
  Pipe pipe;
  Cancellation cancellation;
  cancellation.request();
  CsvSourceOptions options;
  options.descriptor = pipe.reader();
  options.time_column = "ts";
  options.cancellation = &cancellation;
  EXPECT_NE(refusal(options).find("stopped before the first row"), std::string::npos);
}

TEST(CsvSource, EndsTheRunAtARowThatIsTooLong) {
  const TemporaryFile file("ts,k\n1,a\n2,\"" + std::string(5000, 'x') + "\n");
  CsvSourceOptions options = options_for(file);
  options.chunk_bytes = 100;
  options.max_row_bytes = 1000;
  EXPECT_THROW(read_all(options), std::runtime_error);
}

}  // namespace
}  // namespace tidemark
