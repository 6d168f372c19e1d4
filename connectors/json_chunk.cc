#include "tidemark/connectors/json_chunk.h"

#include <algorithm>

namespace tidemark {

bool JsonRowTexts::next(CsvRow& row) {
  return format_ == FileFormat::kJsonLines ? next_line(row) : next_element(row);
}

bool JsonRowTexts::next_line(CsvRow& row) {
  while (at_ < text_.size()) {
    const std::size_t line_feed = text_.find('\n', at_);
    const bool ends = line_feed != std::string_view::npos;
    std::string_view line = text_.substr(at_, (ends ? line_feed : text_.size()) - at_);
    row.line = line_;
    at_ = ends ? line_feed + 1 : text_.size();
    if (ends) ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    row.raw = line;
    return true;
  }
  return false;
}

void JsonRowTexts::count_lines(std::size_t end) {
  const std::string_view passed = text_.substr(at_, end - at_);
  line_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
  at_ = end;
}

bool JsonRowTexts::next_element(CsvRow& row) {
  const bool found = elements_.next(text_);
  const std::size_t end = found ? elements_.end() : text_.size();
  const bool has_row = found ? !elements_.closed() : elements_.in_element() && at_ < text_.size();
  if (!has_row) {
    count_lines(text_.size());
    return false;
  }
  count_lines(elements_.begin());
  row.line = line_;
  row.raw = text_.substr(elements_.begin(), end - elements_.begin());
  row.raw = row.raw.substr(0, row.raw.find_last_not_of(" \t\r\n") + 1);
  // The text ends with this one, whole or cut off.
  if (!found) count_lines(text_.size());
  return true;
}

JsonChunk::JsonChunk(const CsvPlan& plan, const JsonColumns& columns, FileFormat format,
                     std::size_t batch_rows)
    : TextChunk(plan, batch_rows), format_(format), reader_(columns) {
  row_.fields.resize(columns.size());
}

std::uint64_t JsonChunk::parse_rows() {
  JsonRowTexts texts(rows(), format_);
  while (texts.next(row_)) {
    if (row_.raw.empty()) {
      refuse(row_, row_.line, "a row is missing behind a comma of the array");
    } else if (!reader_.read(padded(row_.raw), row_)) {
      refuse(row_, row_.line, reader_.reason());
    } else if (!decoder_.decode(row_, batch_with_room())) {
      refuse(row_, row_.line, decoder_.reason());
    }
  }
  return texts.lines();
}

// The parser looks at some bytes behind a row. Behind the last ones there may be none.
std::string_view JsonChunk::padded(std::string_view text) {
  const auto behind =
      static_cast<std::size_t>(rows().data() + rows().size() - text.data()) - text.size();
  if (behind >= JsonRowReader::kPadding) return text;
  padded_.assign(text);
  padded_.reserve(text.size() + JsonRowReader::kPadding);
  return padded_;
}

void JsonChunk::scan_rows(const RowVisitor& visit) {
  JsonRowTexts texts(rows(), format_);
  while (texts.next(row_)) {
    if (!visit(row_)) return;
  }
}

}  // namespace tidemark
