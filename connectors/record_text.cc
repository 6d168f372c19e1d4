#include "tidemark/connectors/record_text.h"

#include "tidemark/connectors/number_text.h"

namespace tidemark {

RecordText::RecordText(RecordFormat format, std::span<const std::string_view> names,
                       fmt::memory_buffer& out)
    : format_(format), out_(out) {
  for (const std::string_view name : names) {
    const bool first = prefixes_.empty();
    if (format_ == RecordFormat::kCsv) {
      prefixes_.emplace_back(first ? "" : ",");
    } else {
      prefixes_.push_back(fmt::format("{}\"{}\":", first ? '{' : ',', name));
    }
    header_ += first ? "" : ",";
    header_ += name;
  }
  header_ += '\n';
}

void RecordText::header() {
  if (format_ == RecordFormat::kCsv) out_.append(header_);
}

void RecordText::begin_field() { out_.append(prefixes_[field_++]); }

void RecordText::integer(std::int64_t value) {
  begin_field();
  append_integer(value, out_);
}

void RecordText::number(std::string_view text) {
  begin_field();
  out_.append(text);
}

void RecordText::plain_text(std::string_view text) {
  begin_field();
  if (format_ == RecordFormat::kNdjson) out_.push_back('"');
  out_.append(text);
  if (format_ == RecordFormat::kNdjson) out_.push_back('"');
}

void RecordText::end() {
  if (format_ == RecordFormat::kNdjson) out_.push_back('}');
  out_.push_back('\n');
  field_ = 0;
}

}  // namespace tidemark
