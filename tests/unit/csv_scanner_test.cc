#include "tidemark/connectors/csv_scanner.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Cells as text; NULL shows as <null>, a problem as one more cell.
Rows scan(std::string_view text, char delimiter = ',') {
  // An exact copy on the heap, so that a sanitizer sees a step beyond the end.
  const std::unique_ptr<char[]> copy(new char[text.size()]);
  text.copy(copy.get(), text.size());
  CsvScanner scanner({copy.get(), text.size()}, delimiter);
  CsvRow row;
  row.fields.resize(32);
  Rows rows;
  while (scanner.next(row)) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (std::size_t i = 0; i < row.field_count && i < row.fields.size(); ++i) {
      std::string cell(row.fields[i].text);
      if (row.fields[i].escaped) unescape_csv(row.fields[i].text, cell);
      cells.push_back(row.fields[i].is_null() ? "<null>" : cell);
    }
    if (row.problem == CsvProblem::kTextAfterQuote) cells.emplace_back("<text after quote>");
    if (row.problem == CsvProblem::kUnterminatedQuote) cells.emplace_back("<unterminated>");
  }
  return rows;
}

TEST(CsvScanner, KeepsLineEndsDelimitersAndDoubledQuotesInsideQuotes) {
  EXPECT_EQ(scan("1,\"x\ny\",2\n3,\"z\n\",4\n"), (Rows{{"1", "x\ny", "2"}, {"3", "z\n", "4"}}));
  EXPECT_EQ(scan("\"a,b\",\"say \"\"hi\"\"\",\"\"\"\"\n"), (Rows{{"a,b", "say \"hi\"", "\""}}));
  EXPECT_EQ(scan("\"a\r\nb\"\r\n"), (Rows{{"a\r\nb"}}));
}

TEST(CsvScanner, GivesTheSameRowsForEveryLineEnd) {
  const Rows rows{{"1", "a"}, {"2", "b"}, {"3", "c"}};
  EXPECT_EQ(scan("1,a\n2,b\n3,c\n"), rows);
  EXPECT_EQ(scan("1,a\r\n2,b\r\n3,c\r\n"), rows);
  EXPECT_EQ(scan("1,a\n2,b\n3,c"), rows);
  EXPECT_EQ(scan("1,a\r\n2,b\r\n3,c\r"), rows);
  EXPECT_EQ(scan("1,a\n2,b\n3,c\n\n"), rows);
  EXPECT_EQ(scan("\n\r\n1,a\n\n\r\n\n2,b\r\n3,c\r\n\r\n\r"), rows);
  EXPECT_EQ(scan("1,\"a\"\r\n2,\"b\"\r\n3,\"c\"\r"), rows);
}

TEST(CsvScanner, TellsAnEmptyCellFromAnEmptyString) {
  EXPECT_EQ(scan("1,\n2,\"\"\n,\n"), (Rows{{"1", "<null>"}, {"2", ""}, {"<null>", "<null>"}}));
}

TEST(CsvScanner, TakesAQuoteInsideAnUnquotedFieldAsData) {
  EXPECT_EQ(scan("6\" pipe,a\"b\"c\nx,\"y\"\n"), (Rows{{"6\" pipe", "a\"b\"c"}, {"x", "y"}}));
}

TEST(CsvScanner, MarksTextBehindAClosingQuoteAndGoesOnAtTheNextLine) {
  EXPECT_EQ(scan("\"a\"b,c\n1,2\n"), (Rows{{"a", "c", "<text after quote>"}, {"1", "2"}}));
  EXPECT_EQ(scan("\"a\" \"b\n1\n"), (Rows{{"a", "<text after quote>"}, {"1"}}));
  EXPECT_EQ(scan("\"a\"\rb\n"), (Rows{{"a", "<text after quote>"}}));
}

TEST(CsvScanner, MarksAQuoteThatNeverCloses) {
  EXPECT_EQ(scan("1,2\n3,\"x\n4,5\n"), (Rows{{"1", "2"}, {"3", "x\n4,5\n", "<unterminated>"}}));
  EXPECT_EQ(scan("\""), (Rows{{"", "<unterminated>"}}));
  EXPECT_EQ(scan("\"\"\""), (Rows{{"\"", "<unterminated>"}}));
}

TEST(CsvScanner, PassesBytesThatAreNotUtf8) {
  EXPECT_EQ(scan("1,caf\xe9,5\n3,\xff\xfe,7\n4,\xed\xa0\x80,8\n"),
            (Rows{{"1", "caf\xe9", "5"}, {"3", "\xff\xfe", "7"}, {"4", "\xed\xa0\x80", "8"}}));
  EXPECT_EQ(scan(std::string_view("a\0b,c\n", 6)), (Rows{{std::string("a\0b", 3), "c"}}));
}

TEST(CsvScanner, SplitsAtAnotherDelimiter) {
  EXPECT_EQ(scan("1;2,5;\"a;b\"\n", ';'), (Rows{{"1", "2,5", "a;b"}}));
  EXPECT_EQ(scan("1\t2\n", '\t'), (Rows{{"1", "2"}}));
}

TEST(CsvScanner, FindsNoRowInAnEmptyText) {
  EXPECT_EQ(scan(""), Rows{});
  EXPECT_EQ(scan("\n\r\n\n"), Rows{});
}

TEST(CsvScanner, CountsPhysicalLines) {
  CsvScanner scanner("1\n\n\"a\nb\nc\"\r\n2\n", ',');
  CsvRow row;
  std::vector<std::uint64_t> lines;
  std::vector<std::string> raw;
  while (scanner.next(row)) {
    lines.push_back(row.line);
    raw.emplace_back(row.raw);
  }
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{0, 2, 5}));
  EXPECT_EQ(raw, (std::vector<std::string>{"1", "\"a\nb\nc\"", "2"}));
  EXPECT_EQ(scanner.lines(), 6U);
}

TEST(CsvScanner, CountsFieldsBeyondItsRoom) {
  CsvScanner scanner("1,2,3,4\n5\n", ',');
  CsvRow row;
  row.fields.resize(2);
  ASSERT_TRUE(scanner.next(row));
  EXPECT_EQ(row.field_count, 4U);
  EXPECT_EQ(row.fields[1].text, "2");
  ASSERT_TRUE(scanner.next(row));
  EXPECT_EQ(row.field_count, 1U);
}

std::string random_text(std::mt19937_64& random, std::size_t longest) {
  constexpr std::string_view kBytes = "\"\"\",,\n\n\rab";
  std::string text(random() % (longest + 1), ' ');
  const bool long_fields = random() % 4 == 0;
  for (char& byte : text) {
    byte = long_fields && random() % 16 != 0 ? 'x' : kBytes[random() % kBytes.size()];
  }
  return text;
}

// The rules once more, a byte at a time.
Rows scan_slowly(std::string_view text) {
  Rows rows;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.substr(at) == "\r") break;
    if (text[at] == '\n' || text.substr(at, 2) == "\r\n") {
      at += text[at] == '\n' ? 1U : 2U;
      continue;
    }
    std::vector<std::string> cells;
    std::string problem;
    while (true) {
      std::string cell;
      const bool quoted = at < text.size() && text[at] == '"';
      if (quoted) {
        bool closed = false;
        for (++at; at < text.size() && !closed; ++at) {
          if (text[at] != '"') {
            cell += text[at];
          } else if (at + 1 < text.size() && text[at + 1] == '"') {
            cell += text[at++];
          } else {
            closed = true;
          }
        }
        if (!closed) problem = "<unterminated>";
      }
      std::string rest;
      while (at < text.size() && text[at] != ',' && text[at] != '\n') rest += text[at++];
      const bool line_ends = at == text.size() || text[at] == '\n';
      if (line_ends && rest.ends_with('\r')) rest.pop_back();
      if (quoted && !rest.empty()) problem = "<text after quote>";
      if (!quoted) cell = rest;
      cells.push_back(!quoted && cell.empty() ? "<null>" : cell);
      const bool row_ends = line_ends;
      ++at;
      if (row_ends) break;
    }
    if (!problem.empty()) cells.push_back(problem);
    rows.push_back(cells);
  }
  return rows;
}

TEST(CsvScanner, AgreesWithAByteAtATimeOnRandomText) {
  std::mt19937_64 random(20260302);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(random, round % 10 == 0 ? 300 : 24);
    ASSERT_EQ(scan(text), scan_slowly(text)) << text;
  }
}

TEST(CsvRowBoundary, CutsWithoutChangingWhatIsScanned) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(random, 60);
    CsvRowBoundary boundary(',');
    Rows rows;
    std::string buffer;
    std::size_t read = 0;
    while (read < text.size()) {
      const std::string block = text.substr(read, 1 + random() % 8);
      read += block.size();
      buffer += block;
      const bool complete = read == text.size();
      const std::size_t found = boundary.scan(buffer, complete);
      const std::size_t cut = complete ? buffer.size() : found;
      for (std::vector<std::string>& row : scan(std::string_view(buffer).substr(0, cut))) {
        rows.push_back(std::move(row));
      }
      buffer.erase(0, cut);
      boundary.consume(cut);
    }
    ASSERT_EQ(rows, scan(text)) << text;
  }
}

TEST(CsvRowBoundary, FindsInBlocksWhatItFindsByteByByte) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(random, 400);
    CsvRowBoundary at_once(',');
    CsvRowBoundary by_bytes(',');
    for (std::size_t size = 1; size < text.size(); ++size) {
      by_bytes.scan(std::string_view(text).substr(0, size), false);
    }
    const std::size_t parts = random() % 3;
    for (std::size_t part = 1; part <= parts; ++part) {
      at_once.scan(std::string_view(text).substr(0, text.size() * part / (parts + 1)), false);
    }
    ASSERT_EQ(at_once.scan(text, true), by_bytes.scan(text, true)) << text;
  }
}

}  // namespace
}  // namespace tidemark
