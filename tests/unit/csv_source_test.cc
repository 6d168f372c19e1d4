#include <gtest/gtest.h>

#include <clocale>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/comma_locale.h"
#include "support/csv_reading.h"
#include "tidemark/connectors/file_source.h"

namespace tidemark {
namespace {

using test_support::CommaLocale;
using test_support::csv_options;
using test_support::csv_refusal;
using test_support::CsvRead;
using test_support::random_csv;
using test_support::read_csv;
using test_support::TemporaryFile;

CsvRead read_text(std::string_view text, std::vector<std::string> keys,
                  std::vector<CsvValueInput> values = {}) {
  const TemporaryFile file(text);
  FileSourceOptions options = csv_options(file);
  options.keys = std::move(keys);
  options.values = std::move(values);
  return read_csv(std::move(options));
}

using Texts = std::vector<std::string>;

TEST(FileSource, SkipsAByteOrderMarkAtTheStartOnly) {
  EXPECT_EQ(read_text("\xEF\xBB\xBFts,k,v\r\n1,a,5\r\n", {"k"}, {{"v", {}}}).rows, Texts{"1|a|5"});
  EXPECT_EQ(read_text("\xEF\xBB\xBF\"ts\",k\n1,a\n", {"k"}).rows, Texts{"1|a"});
  EXPECT_EQ(read_text("ts,k\n1,\xEF\xBB\xBF"
                      "a\n",
                      {"k"})
                .rows,
            Texts{"1|\xEF\xBB\xBF"
                  "a"});
}

TEST(FileSource, ReadsQuotedLineBreaksAsData) {
  EXPECT_EQ(read_text("ts,b,c\n1,\"x\ny\",2\n3,\"z\n\",4\n", {"b"}, {{"c", {}}}).rows,
            (Texts{"1|x\ny|2", "3|z\n|4"}));
}

TEST(FileSource, TellsNullFromTheEmptyString) {
  EXPECT_EQ(read_text("ts,k\n1,\n2,\"\"\n3,a\n4,\n", {"k"}).rows,
            (Texts{"1|<null>", "2|", "3|a", "4|<null>"}));
  EXPECT_EQ(read_text("ts,v\n1,\n2,\"\"\n3,7\n", {}, {{"v", {}}}).rows,
            (Texts{"1|<null>", "2|<null>", "3|7"}));
}

TEST(FileSource, PassesBytesThatAreNotUtf8) {
  EXPECT_EQ(read_text("ts,k\n1,caf\xe9\n2,ok\n3,\xff\xfe\n4,\xed\xa0\x80\n", {"k"}).rows,
            (Texts{"1|caf\xe9", "2|ok", "3|\xff\xfe", "4|\xed\xa0\x80"}));
}

TEST(FileSource, NeverCountsARowWithoutATimeAtAnotherOnesTime) {
  const CsvRead read = read_text("ts,k\n1000,a\n,b\n2000,c\n", {"k"});
  EXPECT_EQ(read.rows, (Texts{"1000|a", "2000|c"}));
  EXPECT_EQ(read.bad, Texts{"3: ,b"});
  EXPECT_EQ(read.reasons, Texts{"column \"ts\": no event time"});
}

TEST(FileSource, PutsTimesOutsideTheCalendarAside) {
  const CsvRead read = read_text(
      "ts\n1620460800000\n637560576000000000\n1620460801000\n9223372036854775807\n"
      "-9223372036854775808\n0\n",
      {});
  EXPECT_EQ(read.rows, (Texts{"1620460800000", "1620460801000", "0"}));
  EXPECT_EQ(read.bad,
            (Texts{"3: 637560576000000000", "5: 9223372036854775807", "6: -9223372036854775808"}));
  EXPECT_NE(read.reasons[0].find("outside the years 0001 to 9999"), std::string::npos);
}

TEST(FileSource, KeepsBigIntegersExactAndIgnoresColumnsThatAreNotSelected) {
  const CsvRead read = read_text(
      "id,x,u,junk,ts\n"
      "73314510714175488,9007199254740993,18446744073709551615,327267367867168100000,1\n"
      "1,9223372036854775807,2,x,2\n",
      {"id"}, {{"x", {}}});
  EXPECT_EQ(read.rows, (Texts{"1|73314510714175488|9007199254740993", "2|1|9223372036854775807"}));
}

TEST(FileSource, MakesAnIntegerThatDoesNotFitABadRow) {
  const CsvRead read = read_text("ts,u\n1,18446744073709551615\n2,5\n", {}, {{"u", {}}});
  EXPECT_EQ(read.rows, Texts{"2|5"});
  ASSERT_EQ(read.bad, Texts{"2: 1,18446744073709551615"});
  EXPECT_NE(read.reasons[0].find("does not fit a 64-bit integer"), std::string::npos);
  EXPECT_NE(read.reasons[0].find("--type u=double"), std::string::npos);
}

// Switches the whole process to a locale, and back.
class LocaleSwitch {
 public:
  explicit LocaleSwitch(const CommaLocale& locale) {
    ::setenv("LOCPATH", locale.folder().c_str(), 1);
    std::setlocale(LC_ALL, CommaLocale::kName);
  }
  ~LocaleSwitch() {
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }
  LocaleSwitch(const LocaleSwitch&) = delete;
  LocaleSwitch& operator=(const LocaleSwitch&) = delete;
};

TEST(FileSource, ReadsNumbersTheSameInEveryLocale) {
  const CommaLocale locale;
  if (!locale.is_available()) GTEST_SKIP() << "no localedef with the source of de_DE";
  const LocaleSwitch in_locale(locale);
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  const CsvRead read =
      read_text("ts,v\n1,1.5\n2,\"2,5\"\n3,-1e3\n4,nan\n5,-Infinity\n6,inf\n", {}, {{"v", {}}});
  EXPECT_EQ(read.rows, (Texts{"1|1.5", "3|-1000", "4|nan", "5|-inf", "6|inf"}));
  EXPECT_EQ(read.bad, Texts{"3: 2,\"2,5\""});
}

TEST(FileSource, NamesColumnTextAndRemedyOfABadNumber) {
  std::string text = "ts,v\n";
  for (std::size_t i = 0; i < kTypeSampleRows; ++i) text += "1,7\n";
  const CsvRead read = read_text(text + "2,7.5\n3,x\n4,1e999\n5, 7\n6,+7\n", {}, {{"v", {}}});
  ASSERT_EQ(read.reasons.size(), 5U);
  EXPECT_EQ(read.reasons[0],
            "column \"v\": \"7.5\" is not an integer, as the first rows are; pass --type v=double "
            "to read it");
  EXPECT_EQ(read.reasons[1], "column \"v\": \"x\" is not an integer");
  EXPECT_EQ(read.bad[0], "10002: 2,7.5");
}

TEST(FileSource, InfersOrTakesTypes) {
  const TemporaryFile file("ts,a,b,c,d,e\n1,7,7.5,007,,-3\n2,,1,1,,123456789012345678901\n");
  FileSourceOptions options = csv_options(file);
  options.values = {{"a", {}}, {"b", {}}, {"c", {}}, {"d", {}}, {"e", {}}};
  options.types = {{"a", ColumnType::kDouble}};
  const std::unique_ptr<FileSource> source = FileSource::open(options).value();
  std::string types;
  for (const Field& field : source->plan().schema) {
    types += field.name + (field.type == ColumnType::kInt64 ? ":int " : ":double ");
  }
  EXPECT_EQ(types, "a:double b:double c:double d:double e:int ");
}

TEST(FileSource, RefusesADoubleThatIsOutOfRange) {
  const CsvRead read = read_text("ts,v\n1,1e999\n2,1e-999\n", {}, {{"v", {}}});
  EXPECT_EQ(read.rows, Texts{"2|0"});
  EXPECT_EQ(read.reasons, Texts{"column \"v\": \"1e999\" does not fit a double"});
}

TEST(FileSource, CountsFieldsAndGoesOnBehindBrokenRows) {
  const CsvRead read = read_text("ts,k\n1,a\n2\n3,b,c\n4,\"d\"e\n5,f\n6,\"g\n", {"k"});
  EXPECT_EQ(read.rows, (Texts{"1|a", "5|f"}));
  EXPECT_EQ(read.bad, (Texts{"3: 2", "4: 3,b,c", "5: 4,\"d\"e", "7: 6,\"g\n"}));
  EXPECT_EQ(read.reasons[0], "1 fields where the header has 2");
  EXPECT_EQ(read.reasons[1], "3 fields where the header has 2");
  EXPECT_EQ(read.bad_count, 4U);
}

TEST(FileSource, FiltersValuesAndLeavesRows) {
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
  const CsvRead compared = read_text(text, {}, {{"", filter("c", CompareOp::kGreater, "5")}});
  EXPECT_EQ(compared.rows, Texts{"3|<null>"});
  EXPECT_EQ(compared.bad_count, 3U);
}

TEST(FileSource, CarriesTheRowsOwnText) {
  const TemporaryFile file("ts,k,v\n1,\"a\"\"b\",2\r\n3,,\n");
  FileSourceOptions options = csv_options(file);
  options.keys = {"k"};
  options.values = {{"v", {}}};
  options.carry_raw = true;
  EXPECT_EQ(read_csv(options).rows, (Texts{"1|a\"b|2|1,\"a\"\"b\",2", "3|<null>|<null>|3,,"}));
}

TEST(FileSource, EndsAtTheFirstBadRowIfAsked) {
  const TemporaryFile file("ts,k\n1,a\nx,b\n2,c\n");
  FileSourceOptions options = csv_options(file);
  options.on_bad = OnBadRow::kFail;
  try {
    read_csv(options);
    FAIL() << "a bad row was let pass";
  } catch (const std::runtime_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("line 3 of " + file.path()), std::string::npos);
    EXPECT_NE(std::string(failure.what()).find("\"x\" is not a number of milliseconds"),
              std::string::npos);
  }
}

TEST(FileSource, RefusesColumnsThatAreNotThereOrTwice) {
  const TemporaryFile file("ts,user_id,amount,amount\n1,a,2,3\n");
  FileSourceOptions options = csv_options(file);
  options.keys = {"userid"};
  EXPECT_NE(
      csv_refusal(options).find("no column \"userid\" (did you mean \"user_id\"?); its columns "
                                "are ts, user_id, amount, amount"),
      std::string::npos);
  options.keys = {};
  options.values = {{"amount", {}}};
  EXPECT_NE(csv_refusal(options).find("more than one column \"amount\""), std::string::npos);
  options.values = {};
  EXPECT_EQ(csv_refusal(options), "");
  options.types = {{"amout", ColumnType::kDouble}};
  EXPECT_NE(csv_refusal(options).find("did you mean \"amount\"?"), std::string::npos);
}

TEST(FileSource, RefusesInputWithoutAHeaderAndLoneCarriageReturns) {
  EXPECT_NE(csv_refusal(csv_options(TemporaryFile(""))).find("is empty"), std::string::npos);
  EXPECT_NE(csv_refusal(csv_options(TemporaryFile("\n\n"))).find("is empty"), std::string::npos);
  EXPECT_NE(csv_refusal(csv_options(TemporaryFile("ts,k\r1,a\r2,b\r"))).find("CR alone"),
            std::string::npos);
  FileSourceOptions missing;
  missing.path = "/nonexistent/orders.csv";
  EXPECT_NE(csv_refusal(missing).find("cannot open /nonexistent/orders.csv"), std::string::npos);
  missing.path = "/";
  EXPECT_NE(csv_refusal(missing).find("not a file"), std::string::npos);
}

// The same column may be aggregated, where it may be anything that is a number.
TEST(FileSource, ARowWhoseSessionGapIsNoneIsBad) {
  const CsvRead read = read_text("ts,g\n1,5\n2,\n3,0\n4,-1\n5,1.5\n6,x\n7,99999999999999999\n8,7\n",
                                 {}, {{"g", {}, true}, {"g", {}, false}});
  EXPECT_EQ(read.rows, (Texts{"1|5|5", "8|7|7"}));
  EXPECT_EQ(read.bad,
            (Texts{"3: 2,", "4: 3,0", "5: 4,-1", "6: 5,1.5", "7: 6,x", "8: 7,99999999999999999"}));
  EXPECT_EQ(read.reasons.at(0), "column \"g\": no session gap");
  EXPECT_EQ(read.reasons.at(1),
            "column \"g\": \"0\" is not a session gap, which is a whole number of milliseconds "
            "from 1 to 315537897599999");
}

TEST(FileSource, ReadsWatermarksThatRowsBring) {
  const TemporaryFile file("ts,w,v\n1,,7\n2,1,8\n3,x,9\n");
  FileSourceOptions options = csv_options(file);
  options.values = {{"v", {}}};
  options.watermark_column = "w";
  options.carry_raw = true;
  const CsvRead read = read_csv(options);
  EXPECT_EQ(read.rows, (Texts{"1|7|1,,7|" + std::to_string(kNoWatermark), "2|8|2,1,8|1"}));
  EXPECT_EQ(read.bad, (Texts{"4: 3,x,9"}));
  options.watermark_column = "none";
  EXPECT_NE(csv_refusal(options), "");
}

TEST(FileSource, WithoutATimeColumnReadsTheRest) {
  const TemporaryFile file("a,k\n7,x\n8,y\n");
  FileSourceOptions options = csv_options(file);
  options.time_column.clear();
  options.time.unit = TimeUnit::kAuto;
  options.keys = {"k"};
  EXPECT_EQ(read_csv(options).rows, (Texts{"0|x", "0|y"}));
}

TEST(FileSource, PutsRowsFarAheadAsideWhereverBatchesAndChunksEnd) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    const TemporaryFile file(random_csv(random, 300));
    FileSourceOptions options = csv_options(file);
    options.keys = {"k"};
    options.max_ahead = 2000;
    options.chunk_bytes = 1 << 20;
    const CsvRead whole = read_csv(options);
    EXPECT_EQ(whole.bad_count, whole.bad.size());
    for (const std::size_t batch_rows : {2U, 7U, 64U}) {
      options.chunk_bytes = 1 + random() % 500;
      options.batch_rows = batch_rows;
      options.threads = 2;
      const CsvRead read = read_csv(options, batch_rows);
      EXPECT_EQ(read.rows, whole.rows);
      EXPECT_EQ(read.bad, whole.bad);
      EXPECT_EQ(read.reasons, whole.reasons);
    }
  }
}

TEST(FileSource, EndsAtOnceBehindAHeaderAlone) {
  EXPECT_EQ(read_text("ts,k\n", {"k"}).rows, Texts{});
  EXPECT_EQ(read_text("ts,k", {"k"}).rows, Texts{});
}

TEST(FileSource, FindsOutTheTimeUnitOrRefuses) {
  const TemporaryFile seconds("ts\n1772452800\n");
  FileSourceOptions options = csv_options(seconds);
  options.time.unit = TimeUnit::kAuto;
  EXPECT_EQ(FileSource::open(options).value()->plan().detected_unit->unit, TimeUnit::kSeconds);
  EXPECT_EQ(read_csv(options).rows, Texts{"1772452800000"});
  const TemporaryFile small("ts\n5\n");
  options.path = small.path();
  EXPECT_NE(csv_refusal(options).find("column \"ts\": time \"5\" could be in more than one unit"),
            std::string::npos);
}

TEST(FileSource, WarnsWhenAllTimesFallInJanuary1970) {
  const TemporaryFile seconds("ts\n1772452800\n1772452801\n");
  const std::unique_ptr<FileSource> source = FileSource::open(csv_options(seconds)).value();
  ASSERT_TRUE(source->plan().time_warning);
  EXPECT_NE(source->plan().time_warning->find("January 1970"), std::string::npos);
}

TEST(FileSource, GivesTheSameRowsAndBadRowsForAnyChunkSizeThreadsAndBatch) {
  std::mt19937_64 random(20261001);
  for (int round = 0; round < 30; ++round) {
    const TemporaryFile file(random_csv(random, 1 + random() % 60));
    FileSourceOptions options = csv_options(file);
    options.keys = {"k"};
    options.values = {{"v", {}}};
    options.carry_raw = true;
    const CsvRead whole = read_csv(options);
    for (const std::size_t chunk_bytes :
         {std::size_t{1}, std::size_t{7}, std::size_t{64}, 1 + random() % 500}) {
      options.chunk_bytes = chunk_bytes;
      options.threads = 1 + random() % 3;
      options.batch_rows = 1 + random() % 20;
      const CsvRead cut = read_csv(options, 1 + random() % 20);
      ASSERT_EQ(cut.rows, whole.rows);
      ASSERT_EQ(cut.bad, whole.bad);
      ASSERT_EQ(cut.reasons, whole.reasons);
    }
  }
}

}  // namespace
}  // namespace tidemark
