// CSV text into rows and fields, as RFC 4180 has it and as files really are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/row_boundary.h"

namespace tidemark {

// A cell: its bytes without the quotes around them.
struct CsvField {
  std::string_view text;
  bool quoted = false;
  // Quotes inside are still doubled; see unescape_csv().
  bool escaped = false;

  // An unquoted empty cell is NULL; a quoted one is an empty string.
  bool is_null() const { return text.empty() && !quoted; }
};

// Writes the value of an escaped cell to `value`: doubled quotes become one.
void unescape_csv(std::string_view text, std::string& value);

enum class CsvProblem : std::uint8_t {
  kNone,
  kTextAfterQuote,     // something other than a delimiter follows a closing quote
  kUnterminatedQuote,  // the text ends inside quotes
};

struct CsvRow {
  // Fields that the row has; only those that fit in `fields` are kept there.
  std::size_t field_count = 0;
  std::vector<CsvField> fields;
  // The row without its line end.
  std::string_view raw;
  // Line of the text on which the row starts, from 0.
  std::uint64_t line = 0;
  CsvProblem problem = CsvProblem::kNone;
};

// Goes through the rows of a text that begins at the start of a row.
//  - Rows end at LF or CRLF; the last needs no line end. A line without any byte is no row.
//  - A field is quoted if a quote is its first byte; delimiters, line ends and doubled quotes
//  inside
//    are data. A quote inside an unquoted field is data.
//  - After text behind a closing quote the row goes on to the next line end, with a problem.
//  - Bytes are not interpreted: any encoding that keeps ASCII, and invalid UTF-8, pass unchanged.
// Looks at 64 bytes at a time and allocates nothing. Views point into the text.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, char delimiter);

  // The next row, or false at the end. Keeps as many fields as `row.fields` has room for; its size
  // is not changed.
  bool next(CsvRow& row);

  // Line ends passed so far.
  std::uint64_t lines() const { return line_; }

  // Where the next row begins.
  std::size_t offset() const { return static_cast<std::size_t>(row_begin_ - begin_); }

 private:
  // The delimiters, quotes and line feeds ahead, in order.
  class Marks {
   public:
    Marks(const char* begin, const char* end, char delimiter);
    // The next one; the end of the text if there is none.
    const char* next();

   private:
    void load(const char* block);

    const char* end_;
    // Marks of the current block that are still ahead, a bit each.
    const char* block_;
    std::uint64_t bits_ = 0;
    char delimiter_;
  };

  bool skip_blank_lines();
  const char* read_quoted(const char* open, CsvField& field, CsvRow& row);
  void finish_row(CsvRow& row, const char* row_end);

  const char* begin_;
  const char* end_;
  const char* row_begin_;
  char delimiter_;
  std::uint64_t line_ = 0;
  Marks marks_;
};

// Follows the same rules about quotes as CsvScanner. `complete` decides a quote at the very end.
class CsvRowBoundary final : public RowBoundary {
 public:
  explicit CsvRowBoundary(char delimiter) : delimiter_(delimiter) {}

  std::size_t scan(std::string_view text, bool complete) override;
  void consume(std::size_t bytes) override;
  std::unique_ptr<RowBoundary> at_start() const override;
  std::unique_ptr<RowBoundary> clone() const override;
  bool is_sample(std::string_view rows) const override;
  std::string_view doubt() const override;

 private:
  bool scan_block(std::string_view text);
  bool scan_to_quote(std::string_view text, bool complete);
  bool starts_cell(std::string_view text, std::size_t at) const;

  char delimiter_;
  bool has_quotes_ = false;  // so far
  bool in_quotes_ = false;
  std::size_t scanned_ = 0;
  std::size_t boundary_ = 0;
};

}  // namespace tidemark
