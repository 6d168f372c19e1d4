#include "tidemark/connectors/json_boundary.h"

#include <algorithm>

namespace tidemark {

std::size_t JsonLineBoundary::scan(std::string_view text, bool complete) {
  (void)complete;
  const std::size_t line_feed = text.substr(scanned_).rfind('\n');
  if (line_feed != std::string_view::npos) boundary_ = scanned_ + line_feed + 1;
  scanned_ = text.size();
  return boundary_;
}

void JsonLineBoundary::consume(std::size_t bytes) {
  scanned_ -= std::min(bytes, scanned_);
  boundary_ -= std::min(bytes, boundary_);
}

std::unique_ptr<RowBoundary> JsonLineBoundary::at_start() const {
  return std::make_unique<JsonLineBoundary>();
}

bool JsonLineBoundary::is_sample(std::string_view rows) const {
  return rows.find_first_not_of(" \t\r\n") != std::string_view::npos;
}

std::string_view JsonLineBoundary::doubt() const { return "is there one JSON object a line?"; }

// The text before the array is looked at anew until it has all come; it is short as a rule.
std::size_t JsonArrayBoundary::scan(std::string_view text, bool complete) {
  (void)complete;
  if (!rows_begin_) {
    const JsonRowsBegin begin = find_json_rows(text, steps_);
    // Where there are no rows the plan has refused the input, or will.
    if (begin.status != JsonRowsBegin::Status::kFound) return 0;
    rows_begin_ = begin.offset;
  }
  const std::string_view rows = text.substr(*rows_begin_);
  while (elements_.next(rows)) boundary_ = *rows_begin_ + elements_.offset();
  if (elements_.closed()) {
    rest_at_ = std::max(rest_at_, boundary_);
    rest_.next(text.substr(rest_at_));
    rest_at_ = boundary_ = text.size();
  }
  return boundary_;
}

void JsonArrayBoundary::consume(std::size_t bytes) {
  boundary_ -= std::min(bytes, boundary_);
  rest_at_ -= std::min(bytes, rest_at_);
  if (!rows_begin_) return;
  const std::size_t before = std::min(bytes, *rows_begin_);
  *rows_begin_ -= before;
  elements_.consume(bytes - before);
}

std::unique_ptr<RowBoundary> JsonArrayBoundary::at_start() const {
  return std::make_unique<JsonArrayBoundary>(steps_);
}

bool JsonArrayBoundary::is_sample(std::string_view rows) const {
  const JsonRowsBegin begin = find_json_rows(rows, steps_);
  if (begin.status != JsonRowsBegin::Status::kFound) return false;
  JsonElementScanner elements;
  return elements.next(rows.substr(begin.offset));
}

std::string_view JsonArrayBoundary::doubt() const {
  return "is it JSON, and are its strings and brackets closed?";
}

std::string_view JsonArrayBoundary::rows_of(std::string_view text) const {
  if (!elements_.closed() || !rows_begin_) return text;
  return text.substr(0, *rows_begin_ + elements_.offset());
}

std::optional<std::string> JsonArrayBoundary::end_problem() const {
  if (elements_.closed()) {
    if (rest_.goes_on()) {
      return "the document ends before this, and what follows is not read; is there more than one?";
    }
    if (rest_.is_open()) return "the input ends before its document is closed; was it cut off?";
    return std::nullopt;
  }
  // An element that is cut off is a bad row by itself.
  if (elements_.is_cut_off()) return std::nullopt;
  return "the input ends before its array of rows is closed; was it cut off?";
}

}  // namespace tidemark
