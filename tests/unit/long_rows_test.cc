// Rows longer than a row may be: each is one bad row, whatever the input, and memory is bounded.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/csv_reading.h"

namespace tidemark {
namespace {

using test_support::CsvRead;
using test_support::random_csv;
using test_support::read_csv;
using test_support::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kMostBytes = 200;

FileSourceOptions options_of(FileFormat format, std::size_t max_row_bytes = kMostBytes) {
  FileSourceOptions options;
  options.format = format;
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  options.keys = {"k"};
  options.max_row_bytes = max_row_bytes;
  return options;
}

CsvRead read_file(std::string_view text, FileSourceOptions options) {
  const TemporaryFile file(text);
  options.path = file.path();
  return read_csv(options);
}

// Runs `read` while `text` is written to a pipe, a piece of up to `piece` bytes at a time.
template <typename Read>
auto with_pipe(std::string_view text, std::size_t piece, const Read& read) {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(::pipe(ends.data()), 0);
  std::thread writer([&] {
    for (std::string_view left = text; !left.empty();) {
      const ssize_t written = ::write(ends[1], left.data(), std::min(piece, left.size()));
      if (written < 0) break;
      left.remove_prefix(static_cast<std::size_t>(written));
    }
    ::close(ends[1]);
  });
  const auto result = read(ends[0]);
  // What was not read is, so that the writer can end.
  std::array<char, 4096> rest{};
  while (::read(ends[0], rest.data(), rest.size()) > 0) {
  }
  writer.join();
  ::close(ends[0]);
  return result;
}

CsvRead read_pipe(std::string_view text, FileSourceOptions options, std::size_t piece) {
  return with_pipe(text, piece, [&](int descriptor) {
    options.descriptor = descriptor;
    return read_csv(options);
  });
}

struct Long {
  const char* name;
  FileFormat format;
  std::string text;
  std::vector<std::string> rows;
  std::vector<std::string> bad;  // line, colon and how the text begins
};

std::string lines_from(int first, int last) {
  std::string lines;
  for (int i = first; i <= last; ++i) lines += fmt::format("{},b\n", i);
  return lines;
}

std::vector<Long> long_rows() {
  const std::string many = lines_from(100, 199);
  const std::string long_text(500, 'x');
  const std::string object = R"({"ts":1,"k":"a"})";
  return {
      {"A quote of the first row is never closed",
       FileFormat::kCsv,
       "ts,k\n1,\"a\n" + many,
       {},
       {"2: 1,\"a"}},
      {"A quote of a row in the middle is never closed",
       FileFormat::kCsv,
       "ts,k\n1,a\n\n2,\"a\n" + many,
       {"1|a"},
       {"4: 2,\"a"}},
      {"A quote is closed far behind",
       FileFormat::kCsv,
       "ts,k\n1,a\n2,\"a\n" + many + "\"\n3,c\n4\n",
       {"1|a", "3|c"},
       {"3: 2,\"a", "106: 4"}},
      {"A quote of the last row is never closed",
       FileFormat::kCsv,
       "ts,k\n1,a\n2,\"" + long_text,
       {"1|a"},
       {"3: 2,\"x"}},
      {"One giant row between others",
       FileFormat::kCsv,
       "ts,k\n1,a\n2," + long_text + "\n3,c\n4,d,e\n",
       {"1|a", "3|c"},
       {"3: 2,x", "5: 4,d"}},
      {"Two giant rows",
       FileFormat::kCsv,
       "ts,k\n2," + long_text + "\n3," + long_text + "\n4,d\n",
       {"4|d"},
       {"2: 2,x", "3: 3,x"}},
      {"A giant line of JSON",
       FileFormat::kJsonLines,
       object + "\n{\"ts\":2,\"k\":\"" + long_text + "\"}\n" + object + "\n1\n",
       {"1|a", "1|a"},
       {"2: {\"ts\":2", "4: 1"}},
      {"JSON lines without line ends",
       FileFormat::kJsonLines,
       object + "\n{\"ts\":" + long_text,
       {"1|a"},
       {"2: {\"ts\":x"}},
      {"A giant row of an array",
       FileFormat::kJson,
       "[" + object + ",\n\n {\"ts\":2,\n\"k\":\"" + long_text + "\"},\n" + object + ",\n1]",
       {"1|a", "1|a"},
       {"3: {\"ts\":2", "6: 1"}},
      {"A string of an array is never closed",
       FileFormat::kJson,
       "[" + object + ",\n{\"ts\":2,\"k\":\"a},\n" + many,
       {"1|a"},
       {"2: {\"ts\":2"}},
      {"A bracket of an array is never closed",
       FileFormat::kJson,
       "[" + object + ",\n{\"ts\":2,\"k\":[,\n" + many,
       {"1|a"},
       {"2: {\"ts\":2"}},
  };
}

void expect_read(const CsvRead& read, const Long& example) {
  EXPECT_EQ(read.rows, example.rows);
  ASSERT_EQ(read.bad.size(), example.bad.size());
  for (std::size_t i = 0; i < read.bad.size(); ++i) {
    EXPECT_EQ(read.bad[i].substr(0, example.bad[i].size()), example.bad[i]);
  }
  EXPECT_THAT(read.reasons,
              testing::Contains(HasSubstr("a row of more than 200 bytes is passed over; is ")));
}

TEST(LongRows, AreOneBadRowEachAndTheRowsAroundThemStayGood) {
  for (const Long& example : long_rows()) {
    for (const std::size_t chunk : {1U, 64U, 1000U, 1U << 18}) {
      for (const std::size_t threads : {1U, 2U}) {
        SCOPED_TRACE(
            fmt::format("{}, {} bytes at a time, {} threads", example.name, chunk, threads));
        FileSourceOptions options = options_of(example.format);
        options.chunk_bytes = chunk;
        options.threads = threads;
        expect_read(read_file(example.text, options), example);
        expect_read(read_pipe(example.text, options, 50), example);
        expect_read(read_pipe(example.text, options, 1 << 18), example);
      }
    }
  }
}

TEST(LongRows, AreBadByTheirOwnLengthAlone) {
  // With its line feed.
  const std::string longest = "1," + std::string(kMostBytes - 3, 'x') + "\n";
  const std::string too_long = "2," + std::string(kMostBytes - 2, 'x') + "\n";
  const std::string text = "ts,k\n" + longest + too_long + longest;
  for (const std::size_t chunk : {1U, 100U, 1U << 18}) {
    FileSourceOptions options = options_of(FileFormat::kCsv);
    options.chunk_bytes = chunk;
    for (const CsvRead& read : {read_file(text, options), read_pipe(text, options, 7),
                                read_pipe(text, options, 1 << 18)}) {
      EXPECT_EQ(read.rows.size(), 2U);
      EXPECT_EQ(read.bad, (std::vector<std::string>{"3: " + too_long.substr(0, kMostBytes - 1)}));
    }
  }
}

// The rows of csv, read a byte at a time.
std::vector<std::string> split_csv(std::string_view text) {
  std::vector<std::string> rows(1);
  bool in_quotes = false;
  bool at_cell = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    rows.back() += c;
    if (in_quotes) {
      if (c != '"') continue;
      if (i + 1 < text.size() && text[i + 1] == '"') {
        rows.back() += text[++i];
      } else {
        in_quotes = false;
      }
      at_cell = false;
    } else if (c == '"' && at_cell) {
      in_quotes = true;
    } else {
      at_cell = c == ',' || c == '\n';
      if (c == '\n') rows.emplace_back();
    }
  }
  return rows;
}

TEST(LongRows, AreThoseThatANaiveReaderFinds) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::string text = random_csv(random, 1 + random() % 60);
    const std::size_t most = 16 + random() % 30;
    std::string short_rows;
    std::vector<std::string> long_rows;
    std::size_t line = 1;
    for (const std::string& row : split_csv(text)) {
      if (row.size() <= most) {
        short_rows += row;
      } else {
        const std::string start = row.substr(0, most - 1);
        long_rows.push_back(fmt::format("{}: {}", line, start));
      }
      line += static_cast<std::size_t>(std::count(row.begin(), row.end(), '\n'));
    }
    const CsvRead expected = read_file(short_rows, options_of(FileFormat::kCsv, 1 << 20));
    FileSourceOptions options = options_of(FileFormat::kCsv, most);
    options.chunk_bytes = 1 + random() % 300;
    options.threads = 2;
    for (const CsvRead& read :
         {read_file(text, options), read_pipe(text, options, 1 + random() % 100)}) {
      ASSERT_EQ(read.rows, expected.rows) << text;
      ASSERT_EQ(read.bad_count, expected.bad_count + long_rows.size()) << text;
      std::vector<std::string> found;
      for (std::size_t i = 0; i < read.bad.size(); ++i) {
        if (read.reasons[i].starts_with("a row of more than")) found.push_back(read.bad[i]);
      }
      ASSERT_EQ(found, long_rows) << text;
    }
  }
}

// Rows of JSON, of which some are broken and some too long by far.
TEST(LongRows, OfJsonAreThoseThatWereMadeLong) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 60; ++round) {
    const bool is_array = round % 2 == 0;
    std::string text = is_array ? "[" : "";
    std::vector<std::string> good;
    std::vector<std::string> bad;
    std::size_t line = 1;
    const std::size_t rows = 1 + random() % 40;
    for (std::size_t i = 0; i < rows; ++i) {
      if (i > 0) text += is_array ? "," : "\n";
      if (i > 0 && (!is_array || random() % 2 == 0)) ++line;
      if (is_array &&
          line > 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'))) {
        text += '\n';
      }
      // The first one must tell that there is an input at all.
      const std::size_t kind = i == 0 ? 0 : random() % 4;
      std::string filling(kind == 1 ? 300 + random() % 700 : random() % 40, 'x');
      if (random() % 2 == 0) filling += R"(]}\",[{\\)";
      const std::string row =
          kind == 2 ? R"({"ts":)" + std::to_string(i) + "x}"
                    : R"({"ts":)" + std::to_string(i) + R"(,"f":[{}],"k":")" + filling + "\"}";
      text += row;
      if (kind == 1 || kind == 2) {
        bad.push_back(fmt::format("{}: {}", line, row.substr(0, 150)));
      } else {
        good.push_back(std::to_string(i));
      }
    }
    text += is_array ? "]" : "\n";
    FileSourceOptions options = options_of(is_array ? FileFormat::kJson : FileFormat::kJsonLines);
    options.keys = {};
    options.chunk_bytes = 1 + random() % 500;
    options.threads = 2;
    for (CsvRead read : {read_file(text, options), read_pipe(text, options, 1 + random() % 100)}) {
      ASSERT_EQ(read.rows, good) << text;
      for (std::string& row : read.bad) row.resize(std::min(row.size(), row.find(' ') + 151));
      ASSERT_EQ(read.bad, bad) << text;
    }
  }
}

TEST(LongRows, WithoutARowBeforeThemTheInputIsRefused) {
  struct Refused {
    FileFormat format;
    std::string beginning;
    std::string doubt;
  };
  const Refused examples[] = {
      {FileFormat::kCsv, "ts,\"k\n", "is it CSV, and are its quotes closed?"},
      {FileFormat::kJsonLines, "{\"ts\":1,", "is there one JSON object a line?"},
      {FileFormat::kJson, "[{\"ts\":\"", "is it JSON, and are its strings and brackets closed?"},
      {FileFormat::kJson, "[", "is it JSON, and are its strings and brackets closed?"},
  };
  for (const Refused& example : examples) {
    const std::string text = example.beginning + std::string(5 << 20, ' ');
    FileSourceOptions options = options_of(example.format, 3 << 20);
    const TemporaryFile file(text);
    options.path = file.path();
    const std::string by_file = test_support::csv_refusal(options);
    options.path.clear();
    const std::string by_pipe = with_pipe(text, 1 << 20, [&](int descriptor) {
      options.descriptor = descriptor;
      return test_support::csv_refusal(options);
    });
    const std::string sentence = " ends within its first 3145728 bytes; " + example.doubt;
    EXPECT_EQ(by_file, "no row of " + file.path() + sentence);
    EXPECT_THAT(by_pipe, testing::MatchesRegex("no row of descriptor [0-9]+ ends .*"));
    EXPECT_THAT(by_pipe, HasSubstr(sentence));
  }
}

TEST(LongRows, AQuoteThatIsNeverClosedTellsHowMuchItTakesAlong) {
  const CsvRead read = read_file("ts,k\n1,a\n2,\"b\n3,c\n4,d\n", options_of(FileFormat::kCsv));
  EXPECT_THAT(read.rows, ElementsAre("1|a"));
  EXPECT_THAT(read.bad, ElementsAre("3: 2,\"b\n3,c\n4,d\n"));
  EXPECT_THAT(read.reasons,
              ElementsAre("a quote that opens in this row is never closed; the 2 lines behind it "
                          "are taken for its text"));
}

}  // namespace
}  // namespace tidemark
