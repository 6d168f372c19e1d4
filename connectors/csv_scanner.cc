#include "tidemark/connectors/csv_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tidemark/connectors/text_block.h"

namespace tidemark {

namespace {

constexpr std::size_t kBlock = kTextBlock;

// One bit for each of 64 bytes that is a delimiter, a quote or a line feed.
std::uint64_t find_marks(const char* block, char delimiter) {
  return bytes_equal_to(block, delimiter) | bytes_equal_to(block, '"') |
         bytes_equal_to(block, '\n');
}

}  // namespace

void unescape_csv(std::string_view text, std::string& value) {
  value.clear();
  while (true) {
    const std::size_t quote = text.find('"');
    if (quote == std::string_view::npos) break;
    value.append(text, 0, quote + 1);
    text.remove_prefix(std::min(quote + 2, text.size()));
  }
  value.append(text);
}

CsvScanner::Marks::Marks(const char* begin, const char* end, char delimiter)
    : end_(end), block_(begin), delimiter_(delimiter) {
  if (begin != end) load(begin);
}

inline void CsvScanner::Marks::load(const char* block) {
  block_ = block;
  const std::size_t left = static_cast<std::size_t>(end_ - block);
  if (left >= kBlock) {
    bits_ = find_marks(block, delimiter_);
    return;
  }
  // Bytes behind the end may not be touched: they can lie on a page that is not there.
  std::array<char, kBlock> last{};
  std::memcpy(last.data(), block, left);
  bits_ = find_marks(last.data(), delimiter_) & ((std::uint64_t{1} << left) - 1);
}

inline const char* CsvScanner::Marks::next() {
  while (bits_ == 0) {
    if (static_cast<std::size_t>(end_ - block_) <= kBlock) return end_;
    load(block_ + kBlock);
  }
  const char* mark = block_ + std::countr_zero(bits_);
  bits_ &= bits_ - 1;
  return mark;
}

CsvScanner::CsvScanner(std::string_view text, char delimiter)
    : begin_(text.data()),
      end_(text.data() + text.size()),
      row_begin_(begin_),
      delimiter_(delimiter),
      marks_(begin_, end_, delimiter) {}

bool CsvScanner::skip_blank_lines() {
  while (row_begin_ != end_) {
    const char* at = row_begin_;
    if (*at == '\r' && ++at == end_) {
      row_begin_ = end_;
      return false;
    }
    if (*at != '\n') return true;
    marks_.next();
    row_begin_ = at + 1;
    ++line_;
  }
  return false;
}

// `row_end` is the row's line feed or the end of the text.
inline void CsvScanner::finish_row(CsvRow& row, const char* row_end) {
  const char* text_end = row_end;
  const bool unterminated = row.problem == CsvProblem::kUnterminatedQuote;
  if (text_end != row_begin_ && text_end[-1] == '\r' && !unterminated) --text_end;
  row.raw = {row_begin_, static_cast<std::size_t>(text_end - row_begin_)};
  row_begin_ = row_end;
  if (row_end == end_) return;
  ++row_begin_;
  ++line_;
}

// Reads a field from its opening quote on; returns the delimiter or line feed that ends it, or the
// end of the text.
const char* CsvScanner::read_quoted(const char* open, CsvField& field, CsvRow& row) {
  field.quoted = true;
  const char* close = nullptr;
  while (true) {
    close = marks_.next();
    if (close == end_) {
      row.problem = CsvProblem::kUnterminatedQuote;
      field.text = {open + 1, static_cast<std::size_t>(end_ - open - 1)};
      return end_;
    }
    if (*close == '\n') ++line_;
    if (*close != '"') continue;
    if (close + 1 == end_ || close[1] != '"') break;
    marks_.next();
    field.escaped = true;
  }
  field.text = {open + 1, static_cast<std::size_t>(close - open - 1)};
  const char* mark = marks_.next();
  while (mark != end_ && *mark == '"') mark = marks_.next();
  const char* after = close + 1;
  const bool at_line_end = mark == end_ || *mark == '\n';
  if (at_line_end && after != mark && *after == '\r') ++after;
  if (after != mark) row.problem = CsvProblem::kTextAfterQuote;
  return mark;
}

bool CsvScanner::next(CsvRow& row) {
  if (!skip_blank_lines()) return false;
  row.problem = CsvProblem::kNone;
  row.line = line_;
  // Copies that nothing else can refer to stay in registers.
  Marks marks = marks_;
  CsvField* const fields = row.fields.data();
  const std::size_t room = row.fields.size();
  const char* const end = end_;
  const char delimiter = delimiter_;
  std::size_t count = 0;
  const char* field_begin = row_begin_;
  while (true) {
    const char* mark = marks.next();
    if (mark != end && *mark == '"') {
      if (mark != field_begin) continue;
      CsvField field;
      marks_ = marks;
      mark = read_quoted(mark, field, row);
      marks = marks_;
      if (count < room) fields[count] = field;
    } else if (count < room) {
      const char* field_end = mark;
      if ((mark == end || *mark != delimiter) && mark != field_begin && mark[-1] == '\r')
        --field_end;
      fields[count] = {.text = {field_begin, static_cast<std::size_t>(field_end - field_begin)},
                       .quoted = false,
                       .escaped = false};
    }
    ++count;
    if (mark == end || *mark != delimiter) {
      row.field_count = count;
      marks_ = marks;
      finish_row(row, mark);
      return true;
    }
    field_begin = mark + 1;
  }
}

std::size_t CsvRowBoundary::scan(std::string_view text, bool complete) {
  while (scanned_ < text.size()) {
    // Where there are no quotes, looking for one and for the last line end is all.
    if (has_quotes_ && scan_block(text)) continue;
    if (!scan_to_quote(text, complete)) break;
  }
  return boundary_;
}

// Scans 64 bytes. False, and nothing is scanned, if there are not as many, or if their quotes have
// to be looked at one by one.
bool CsvRowBoundary::scan_block(std::string_view text) {
  if (text.size() - scanned_ < kBlock) return false;
  const char* const block = text.data() + scanned_;
  std::uint64_t line_feeds = bytes_equal_to(block, '\n');
  const std::uint64_t quotes = bytes_equal_to(block, '"');
  std::uint64_t inside = std::uint64_t{0} - std::uint64_t{in_quotes_};
  if (quotes != 0) {
    inside ^= parity_so_far(quotes);
    const std::uint64_t opening = quotes & inside;
    const std::uint64_t closing = quotes & ~inside;
    if (closing >> 63 != 0) return false;  // the next byte tells whether it closes
    const std::uint64_t ends = (line_feeds | bytes_equal_to(block, delimiter_)) & ~inside;
    const std::uint64_t cell_starts = ends << 1 | std::uint64_t{starts_cell(text, scanned_)};
    if ((opening & ~(cell_starts | closing << 1)) != 0) return false;
  }
  line_feeds &= ~inside;
  if (line_feeds != 0) {
    boundary_ = scanned_ + kBlock - static_cast<std::size_t>(std::countl_zero(line_feeds));
  }
  in_quotes_ = inside >> 63 != 0;
  scanned_ += kBlock;
  return true;
}

bool CsvRowBoundary::starts_cell(std::string_view text, std::size_t at) const {
  return at == 0 || text[at - 1] == delimiter_ || text[at - 1] == '\n';
}

// Scans up to the next quote and over it, or to the end. False if more text has to come first.
bool CsvRowBoundary::scan_to_quote(std::string_view text, bool complete) {
  const std::size_t quote = std::min(text.find('"', scanned_), text.size());
  has_quotes_ = has_quotes_ || quote < text.size();
  if (!in_quotes_) {
    const std::size_t line_feed = text.substr(scanned_, quote - scanned_).rfind('\n');
    if (line_feed != std::string_view::npos) boundary_ = scanned_ + line_feed + 1;
  }
  if (quote == text.size()) {
    scanned_ = quote;
  } else if (!in_quotes_) {
    in_quotes_ = starts_cell(text, quote);
    scanned_ = quote + 1;
  } else if (quote + 1 == text.size() && !complete) {
    scanned_ = quote;  // the next byte tells whether this one closes
    return false;
  } else if (quote + 1 < text.size() && text[quote + 1] == '"') {
    scanned_ = quote + 2;
  } else {
    in_quotes_ = false;
    scanned_ = quote + 1;
  }
  return true;
}

void CsvRowBoundary::consume(std::size_t bytes) {
  scanned_ -= std::min(bytes, scanned_);
  boundary_ -= std::min(bytes, boundary_);
}

std::unique_ptr<RowBoundary> CsvRowBoundary::at_start() const {
  return std::make_unique<CsvRowBoundary>(delimiter_);
}

std::unique_ptr<RowBoundary> CsvRowBoundary::clone() const {
  return std::make_unique<CsvRowBoundary>(*this);
}

bool CsvRowBoundary::is_sample(std::string_view rows) const {
  CsvScanner scanner(rows, delimiter_);
  CsvRow row;
  return scanner.next(row) && scanner.next(row);
}

std::string_view CsvRowBoundary::doubt() const { return "is it CSV, and are its quotes closed?"; }

}  // namespace tidemark
