#include "tidemark/connectors/csv_chunk.h"

#include <algorithm>

namespace tidemark {

namespace {

// An index of fewer bytes costs more than it saves.
constexpr std::size_t kIndexPays = 1024;
constexpr std::size_t kMostRowsApart = 64;

}  // namespace

CsvChunk::CsvChunk(const CsvPlan& plan, std::size_t batch_rows)
    : TextChunk(plan, batch_rows), index_(plan.delimiter), columns_(plan) {
  row_.fields.resize(plan.columns.size());
}

// What is as RFC 4180 has it goes by the index and a column at a time; the scanner reads the rest a
// row at a time. Both follow the same rules.
std::uint64_t CsvChunk::parse_rows() {
  lines_ = 0;
  std::string_view text = rows();
  std::size_t rows_apart = 1;
  while (!text.empty()) {
    const std::size_t indexed = parse_indexed(text);
    text.remove_prefix(indexed);
    // Where the index comes to nothing time and again it is asked less often.
    rows_apart = indexed < kIndexPays ? std::min(2 * rows_apart, kMostRowsApart) : 1;
    text.remove_prefix(parse_apart(text, rows_apart));
  }
  return lines_;
}

// Parses rows from the front of `text` as long as they are complete, have the header's number of
// cells and their quotes in order; returns their bytes.
std::size_t CsvChunk::parse_indexed(std::string_view text) {
  std::size_t parsed = 0;
  while (true) {
    const std::string_view left = text.substr(parsed);
    index_.build(left);
    lines_end_ = lines_row_ = 0;
    std::size_t row = 0;
    while (row < index_.row_count()) {
      if (is_blank(left, row)) {
        ++row;
        continue;
      }
      const std::size_t count = count_regular(left, row);
      if (count == 0) break;
      append_regular(left, row, count);
      row += count;
    }
    pass_lines(left, row);
    parsed += index_.row_begin(row);
    if (row == 0 || row < index_.row_count()) return parsed;
  }
}

// Rows from `first` on with the header's number of cells.
std::size_t CsvChunk::count_regular(std::string_view text, std::size_t first) const {
  const std::size_t cells = plan_.columns.size();
  std::size_t row = first;
  if (cells == 1) {
    while (row < index_.row_count() && index_.cell_count(row) == 1 && !is_blank(text, row)) ++row;
  } else {
    while (row < index_.row_count() && index_.cell_count(row) == cells) ++row;
  }
  return row - first;
}

bool CsvChunk::is_blank(std::string_view text, std::size_t row) const {
  if (index_.cell_count(row) != 1) return false;
  const std::size_t begin = index_.row_begin(row);
  const std::size_t end = index_.row_begin(row + 1) - 1;
  return begin == end || (begin + 1 == end && text[begin] == '\r');
}

void CsvChunk::append_regular(std::string_view text, std::size_t first, std::size_t count) {
  while (count > 0) {
    Batch& batch = batch_with_room();
    const std::size_t rows = std::min(count, batch.capacity() - batch.size());
    for (const std::size_t bad : columns_.append(text, index_, first, rows, batch)) {
      pass_lines(text, bad);
      const std::size_t begin = index_.row_begin(bad);
      CsvScanner scanner(text.substr(begin, index_.row_begin(bad + 1) - begin), plan_.delimiter);
      scanner.next(row_);
      decoder_.decode(row_, batch);
      refuse(row_, lines_, decoder_.reason());
    }
    first += rows;
    count -= rows;
  }
}

// Parses up to `rows` rows from the front of `text`; returns their bytes.
std::size_t CsvChunk::parse_apart(std::string_view text, std::size_t rows) {
  CsvScanner scanner(text, plan_.delimiter);
  for (; rows > 0 && scanner.next(row_); --rows) {
    if (decoder_.decode(row_, batch_with_room())) continue;
    refuse(row_, lines_ + row_.line, decoder_.reason());
  }
  lines_ += scanner.lines();
  return scanner.offset();
}

// Counts the lines of the indexed text up to the start of a row.
void CsvChunk::pass_lines(std::string_view text, std::size_t row) {
  if (!index_.has_quotes()) {
    lines_ += row - lines_row_;
  } else {
    const std::size_t end = index_.row_begin(row);
    const std::string_view passed = text.substr(lines_end_, end - lines_end_);
    lines_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
    lines_end_ = end;
  }
  lines_row_ = row;
}

void CsvChunk::scan_rows(const RowVisitor& visit) {
  CsvScanner scanner(rows(), plan_.delimiter);
  while (scanner.next(row_)) {
    if (!visit(row_)) return;
  }
}

}  // namespace tidemark
