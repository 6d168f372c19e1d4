// Rows that go by the index and a column at a time are what the scanner and the decoder make of
// them a row at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "property/property_check.h"
#include "tidemark/connectors/csv_chunk.h"
#include "tidemark/connectors/csv_decoder.h"
#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/digit_words.h"
#include "tidemark/connectors/read_number.h"

namespace tidemark::test_support {
namespace {

struct Parsed {
  std::vector<std::string> rows;
  std::vector<std::string> bad;
  std::uint64_t lines = 0;
  bool operator==(const Parsed&) const = default;
};

void PrintTo(const Parsed& parsed, std::ostream* out) {
  for (const std::string& row : parsed.rows) *out << row << "\n";
  for (const std::string& row : parsed.bad) *out << "bad " << row << "\n";
  *out << parsed.lines << " lines\n";
}

std::string cell_text(const Column& column, std::size_t row) {
  if (column.is_null(row)) return "NULL";
  if (column.type() == ColumnType::kString) return "'" + std::string(column.string(row)) + "'";
  // Doubles by their bits: -0.0 and 0.0 are different.
  return std::to_string(column.int64s()[row]);
}

void add_rows(const Batch& batch, Parsed& parsed) {
  for (std::size_t row = 0; row < batch.size(); ++row) {
    std::string text = std::to_string(batch.times()[row]);
    for (std::size_t i = 0; i < batch.column_count(); ++i) {
      text += '|';
      text += cell_text(batch.column(i), row);
    }
    parsed.rows.push_back(std::move(text));
  }
}

std::string bad_text(std::uint64_t line, std::string_view reason, std::string_view raw) {
  return fmt::format("{}: {} <{}>", line, reason, raw);
}

Parsed parse_by_rows(const CsvPlan& plan, std::string_view text) {
  Parsed parsed;
  CsvScanner scanner(text, plan.delimiter);
  CsvDecoder decoder(plan);
  CsvRow row;
  row.fields.resize(plan.columns.size());
  Batch batch(plan.schema, 1);
  while (scanner.next(row)) {
    batch.clear();
    if (!decoder.decode(row, batch)) {
      parsed.bad.push_back(bad_text(row.line, decoder.reason(), row.raw));
    }
    add_rows(batch, parsed);
  }
  parsed.lines = scanner.lines();
  return parsed;
}

Parsed parse_by_columns(CsvChunk& chunk, std::string_view text) {
  // An exact copy on the heap, so that a sanitizer sees a step beyond the end.
  const std::unique_ptr<char[]> copy(new char[text.size()]);
  text.copy(copy.get(), text.size());
  chunk.run().rows = {copy.get(), text.size()};
  chunk.parse();
  Parsed parsed;
  for (std::size_t i = 0; i < chunk.batch_count(); ++i) {
    EXPECT_FALSE(chunk.batch(i).empty());
    add_rows(chunk.batch(i), parsed);
  }
  for (const BadRow& row : chunk.bad_rows()) {
    parsed.bad.push_back(bad_text(row.line, row.reason, row.raw));
  }
  parsed.lines = chunk.lines();
  return parsed;
}

std::string pick(Random& random, const std::vector<std::string>& texts) {
  return texts[random() % texts.size()];
}

std::string number_text(Random& random) {
  const std::string digits = std::to_string(random() >> (random() % 64));
  std::string text = digits.substr(0, 1 + random() % digits.size());
  if (random() % 3 == 0) text.insert(random() % (text.size() + 1), ".");
  if (random() % 5 == 0) text.insert(0, "-");
  if (random() % 20 == 0)
    text.insert(random() % (text.size() + 1), pick(random, {"e2", "x", "+", ".", " ", "0"}));
  return text;
}

std::string cell(Random& random) {
  switch (random() % 8) {
    case 0:
      return pick(random, {"", "\"\"", "a", "\"x,y\"", "\"l1\nl2\"", "\"\"\"\"", "\"a\"\"b\"",
                           "\"two\r\nlines\"", "long cell of text, no: of bytes"});
    case 1:
      return pick(random,
                  {"q\"q", "\"broken\"x", "\"a\"\r", "\r", "\"1\"", "\"7.5\"", "nan", "-inf", "-0",
                   "-0.0", ".", "-", "-.", "5.", ".5", "1e400", "99999999999999999999"});
    default:
      return number_text(random);
  }
}

std::string time_cell(Random& random, bool text) {
  if (random() % 12 == 0) return cell(random);
  if (!text)
    return std::to_string(1'767'225'600'000 + static_cast<std::int64_t>(random() % 100'000));
  return fmt::format("2026-03-{:02}{}12:{:02}:{:02}{}{}", 1 + random() % 3,
                     pick(random, {"T", " "}), random() % 2, random() % 61,
                     pick(random, {"", ".5", ".123", ",25", ".123456"}),
                     pick(random, {"", "Z", "z", "+01:00", "x"}));
}

std::string random_rows(Random& random, std::size_t columns, bool text_times) {
  const std::string end = random() % 3 == 0 ? "\r\n" : "\n";
  const bool clean = random() % 3 == 0;  // whole runs of rows in order
  const bool quoted = random() % 3 == 0;
  std::string text;
  const std::size_t rows = random() % 4 == 0 ? random() % 400 : random() % 30;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (i > 0) text += ',';
      std::string one = i == columns / 2 ? time_cell(random, text_times)
                                         : (clean ? number_text(random) : cell(random));
      if (quoted && one.find('"') == std::string::npos) one = "\"" + one + "\"";
      text += one;
    }
    if (!clean && random() % 12 == 0) text += ",extra";
    text += end;
    if (!clean && random() % 9 == 0) text += end;
  }
  if (random() % 4 == 0 && !text.empty()) text.resize(random() % text.size());
  const std::string bytes = ",\"\n\r05a.-";
  for (std::size_t i = random() % 4; i > 1 && !text.empty(); --i) {
    text[random() % text.size()] = bytes[random() % bytes.size()];
  }
  return text;
}

FileSourceOptions random_options(Random& random, std::size_t columns, bool text_times) {
  const auto name = [&] { return fmt::format("c{}", random() % columns); };
  FileSourceOptions options;
  if (random() % 8 != 0) options.time_column = fmt::format("c{}", columns / 2);
  const TimeUnit numeric =
      std::vector{TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds,
                  TimeUnit::kNanoseconds}[random() % 4];
  options.time.unit = text_times ? TimeUnit::kText : numeric;
  if (random() % 6 == 0) options.watermark_column = name();
  for (std::size_t i = random() % 3; i > 0; --i) options.keys.push_back(name());
  for (std::size_t i = random() % 4; i > 0; --i) {
    CsvValueInput value{random() % 6 == 0 ? "" : name(), {}, false};
    if (random() % 4 == 0) {
      value.filter = CsvFilter{name(), static_cast<CompareOp>(random() % 6),
                               pick(random, {"5", "a", "0.5", "100"}), random() % 2 == 0};
    } else if (!value.column.empty() && random() % 5 == 0) {
      value.is_gap = true;
    }
    if (!value.column.empty() && random() % 2 == 0) {
      options.types.emplace_back(value.column,
                                 random() % 2 == 0 ? ColumnType::kInt64 : ColumnType::kDouble);
    }
    options.values.push_back(std::move(value));
  }
  options.carry_raw = random() % 4 == 0;
  return options;
}

class CsvProperty : public PropertyTest {};

TEST_F(CsvProperty, ColumnsAtATimeAreRowsAtATime) {
  std::uint64_t rows = 0;
  std::uint64_t bad = 0;
  for_random_seeds(2'000, [&](Random& random) {
    const std::size_t columns = 1 + random() % 6;
    const bool text_times = random() % 3 == 0;
    const FileSourceOptions options = random_options(random, columns, text_times);
    std::string header;
    for (std::size_t i = 0; i < columns; ++i) header += fmt::format("{}c{}", i == 0 ? "" : ",", i);
    const Expected<CsvPlan> plan = plan_csv(options, header + "\n", "random rows");
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    CsvChunk chunk(*plan, 1 + random() % 100);
    for (int round = 0; round < 3; ++round) {  // chunks are used again
      const std::string text = random_rows(random, columns, text_times);
      const Parsed expected = parse_by_rows(*plan, text);
      ASSERT_EQ(parse_by_columns(chunk, text), expected) << text;
      rows += expected.rows.size();
      bad += expected.bad.size();
    }
  });
  EXPECT_GT(rows, 0U);
  EXPECT_GT(bad, 0U);
}

// Every place of a block's edge within rows with quotes and doubled quotes.
TEST_F(CsvProperty, BlocksMayEndAnywhere) {
  FileSourceOptions options;
  options.keys = {"a", "b"};
  const Expected<CsvPlan> plan = plan_csv(options, "a,b\n", "rows");
  ASSERT_TRUE(plan.has_value());
  CsvChunk chunk(*plan, 16);
  for (std::size_t before = 0; before < 70; ++before) {
    for (const std::string_view row :
         {"\"a\"\"\"\"b\",\"\"\r\n", "\"\n\",x\n", "\"\",\"\"\"\"\n", "a\"b,\"c\"\n", "\"a\"b,c\n",
          "\"a\"\r,c\n", "a,\"b\"\r\r\n", "\r\n\n\r\r\n", "a,\"b\"\rc\n"}) {
      for (const std::string_view behind : {"", "1,2\n", "1,\"2\n"}) {
        const std::string text = std::string(before, 'x') + ",y\n" + std::string(row) +
                                 std::string(row) + std::string(behind);
        ASSERT_EQ(parse_by_columns(chunk, text), parse_by_rows(*plan, text)) << text;
      }
    }
  }
}

// Rows that are longer than what is indexed at a time, and that end around its edge.
TEST_F(CsvProperty, RowsMayBeLongerThanTheIndex) {
  FileSourceOptions options;
  options.keys = {"b"};
  const Expected<CsvPlan> plan = plan_csv(options, "a,b\n", "rows");
  ASSERT_TRUE(plan.has_value());
  CsvChunk chunk(*plan, 16);
  for (const std::size_t size : {CsvIndex::kBytes - 4, CsvIndex::kBytes - 3, CsvIndex::kBytes - 2,
                                 CsvIndex::kBytes - 1, CsvIndex::kBytes, 2 * CsvIndex::kBytes}) {
    for (const char quote : {'"', 'x'}) {
      const std::string text = fmt::format("{0}{1}{0},b\n1,2\n", quote, std::string(size, 'y'));
      ASSERT_EQ(parse_by_columns(chunk, text), parse_by_rows(*plan, text)) << size << quote;
    }
  }
}

TEST_F(CsvProperty, ShortNumbersAreWhatTheLibraryReads) {
  Random random(4);
  std::uint64_t decimals = 0;
  std::uint64_t integers = 0;
  for (int round = 0; round < 100'000; ++round) {
    const std::string before = "1234567890.,-\"x.";
    const std::string number = number_text(random);
    const std::string text = before + number;
    const char* const begin = text.data() + before.size();
    const char* const end = text.data() + text.size();
    double value = 0;
    if (read_short_decimal(begin, end, value)) {
      double expected = 0;
      ASSERT_EQ(read_double(number, expected), NumberReading::kRead) << number;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected))
          << number;
      ++decimals;
    }
    std::int64_t integer = 0;
    if (read_short_integer(begin, end, integer)) {
      std::int64_t expected = 0;
      ASSERT_EQ(read_int64(number, expected), NumberReading::kRead) << number;
      ASSERT_EQ(integer, expected) << number;
      ++integers;
    }
  }
  EXPECT_GT(decimals, 20'000U);
  EXPECT_GT(integers, 20'000U);
}

// Texts of up to three bytes around digits, points and signs, all of them.
TEST_F(CsvProperty, VeryShortNumbersAreWhatTheLibraryReads) {
  const std::string before = "................";
  const std::string_view bytes = "0159.-+/:e \"";
  for (const char a : bytes) {
    for (const char b : bytes) {
      for (const char c : bytes) {
        for (std::size_t size = 0; size <= 3; ++size) {
          const std::string number = std::string({a, b, c}).substr(0, size);
          const std::string text = before + number;
          const char* const begin = text.data() + before.size();
          const char* const end = begin + size;
          double expected = 0;
          const bool is_double = read_double(number, expected) == NumberReading::kRead;
          double value = 0;
          if (read_short_decimal(begin, end, value)) {
            ASSERT_TRUE(is_double) << number;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected));
          }
          std::int64_t wanted = 0;
          const bool is_integer = read_int64(number, wanted) == NumberReading::kRead;
          std::int64_t integer = 0;
          const bool read = read_short_integer(begin, end, integer);
          ASSERT_EQ(read, is_integer) << number;
          if (read) {
            ASSERT_EQ(integer, wanted);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tidemark::test_support
