#include "tidemark/connectors/json_boundary.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/connectors/message_text.h"

namespace tidemark {

namespace {
constexpr std::size_t kLongBeginning = 1024 * 1024;
}  // namespace

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

std::unique_ptr<RowBoundary> JsonLineBoundary::clone() const {
  return std::make_unique<JsonLineBoundary>(*this);
}

bool JsonLineBoundary::is_sample(std::string_view rows) const {
  return rows.find_first_not_of(" \t\r\n") != std::string_view::npos;
}

std::string_view JsonLineBoundary::doubt() const { return "is there one JSON object a line?"; }

std::size_t JsonArrayBoundary::scan(std::string_view text, bool complete) {
  if (!rows_begin_) {
    // The text before the array is looked at from its start, so once it is long only when it has
    // doubled.
    if (!complete && text.size() > kLongBeginning && text.size() / 2 < looked_at_) return 0;
    looked_at_ = text.size();
    const JsonRowsBegin begin = find_json_rows(text, steps_);
    if (begin.status == JsonRowsBegin::Status::kMore) return 0;
    // Where there are no rows the plan refuses the input.
    if (begin.status == JsonRowsBegin::Status::kNone) return text.size();
    rows_begin_ = begin.offset;
  }
  const std::string_view rows = text.substr(*rows_begin_);
  while (elements_.next(rows)) {
    // An empty element goes with the next one: where its text is cut nothing of it would be left.
    if (!elements_.closed() && elements_.begin() == elements_.end()) continue;
    boundary_ = *rows_begin_ + elements_.offset();
  }
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

std::unique_ptr<RowBoundary> JsonArrayBoundary::clone() const {
  return std::make_unique<JsonArrayBoundary>(*this);
}

bool JsonArrayBoundary::is_sample(std::string_view rows) const {
  const JsonRowsBegin begin = find_json_rows(rows, steps_);
  if (begin.status != JsonRowsBegin::Status::kFound) {
    return begin.status == JsonRowsBegin::Status::kNone;
  }
  JsonElementScanner elements;
  return elements.next(rows.substr(begin.offset));
}

std::string_view JsonArrayBoundary::doubt() const {
  return "is it JSON, and are its strings and brackets closed?";
}

std::size_t JsonArrayBoundary::row_begin() const {
  return rows_begin_ && elements_.in_element() ? *rows_begin_ + elements_.begin() : 0;
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
    if (!rest_.repeated().empty()) {
      return fmt::format("the document has {} twice, and only the rows of the first one are read",
                         in_quotes(rest_.repeated()));
    }
    if (rest_.is_open()) return "the input ends before its document is closed; was it cut off?";
    return std::nullopt;
  }
  // An element that is cut off is a bad row by itself.
  if (elements_.is_cut_off()) return std::nullopt;
  return "the input ends before its array of rows is closed; was it cut off?";
}

}  // namespace tidemark
