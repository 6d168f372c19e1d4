#include "tidemark/connectors/json_rows.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>
#include <string>
#include <vector>

#include "tidemark/connectors/json_document.h"
#include "tidemark/connectors/message_text.h"

namespace tidemark {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' ||
                           text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::size_t digits_from(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

// Whether something follows the object that the text begins with.
bool goes_on_behind_object(std::string_view text) {
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos) return false;
  JsonRestScanner rest(std::vector<std::string>(1));
  rest.next(text.substr(open + 1));
  return rest.goes_on();
}

// A number as JSON spells it (RFC 8259, section 6).
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  std::size_t end = digits_from(text, at);
  if (end == at || (text[at] == '0' && end > at + 1)) return false;
  at = end;
  if (at < text.size() && text[at] == '.') {
    end = digits_from(text, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    end = digits_from(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

}  // namespace

class JsonRowReader::Parser {
 public:
  explicit Parser(const JsonColumns& columns) : columns_(columns) {}

  bool read(std::string_view text, CsvRow& row);
  std::string& reason() { return reason_; }

 private:
  using Value = simdjson::ondemand::value;

  bool read_object(simdjson::ondemand::object object, const JsonColumns::Node& node, CsvRow& row);
  bool read_array(simdjson::ondemand::array array, const JsonColumns::Node& node, CsvRow& row);
  bool read_value(Value value, const JsonColumns::Node& node, CsvRow& row);
  bool read_cell(Value value, const JsonColumns::Node& node, CsvField& cell);
  bool refuse(simdjson::error_code error);

  const JsonColumns& columns_;
  simdjson::ondemand::parser parser_;
  std::string_view text_;
  std::string reason_;
};

static_assert(JsonRowReader::kPadding >= simdjson::SIMDJSON_PADDING);

JsonRowReader::JsonRowReader(const JsonColumns& columns)
    : parser_(std::make_unique<Parser>(columns)) {}

JsonRowReader::~JsonRowReader() = default;

bool JsonRowReader::read(std::string_view text, CsvRow& row) {
  if (parser_->read(text, row)) return true;
  reason_.swap(parser_->reason());
  return false;
}

bool JsonRowReader::Parser::refuse(simdjson::error_code error) {
  // Where the last bytes are not those that end an object the parser takes it for cut off.
  if (error == simdjson::INCOMPLETE_ARRAY_OR_OBJECT && goes_on_behind_object(text_)) {
    reason_ = "text follows the JSON object";
  } else {
    reason_ = fmt::format("this is not JSON: {}", simdjson::error_message(error));
  }
  return false;
}

bool JsonRowReader::Parser::read(std::string_view text, CsvRow& row) {
  for (CsvField& field : row.fields) field = CsvField{};
  row.field_count = columns_.size();
  text_ = text;
  simdjson::ondemand::document document;
  const simdjson::padded_string_view padded(text.data(), text.size(),
                                            text.size() + simdjson::SIMDJSON_PADDING);
  if (const auto error = parser_.iterate(padded).get(document)) return refuse(error);
  simdjson::ondemand::object object;
  if (const auto error = document.get_object().get(object)) {
    if (error != simdjson::INCORRECT_TYPE) return refuse(error);
    reason_ = "this is not a JSON object";
    return false;
  }
  if (!read_object(object, columns_.root(), row)) return false;
  // Nothing is left to look at when the object was all.
  const char* location = nullptr;
  if (document.current_location().get(location) == simdjson::SUCCESS) {
    reason_ = "text follows the JSON object";
    return false;
  }
  return true;
}

bool JsonRowReader::Parser::read_object(simdjson::ondemand::object object,
                                        const JsonColumns::Node& node, CsvRow& row) {
  for (auto member : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(member).get(field)) return refuse(error);
    // A name ends at the next quote, unless a backslash tells that it must be read with care.
    const char* const begin = field.key().raw();
    const auto* const end = static_cast<const char*>(
        std::memchr(begin, '"', static_cast<std::size_t>(text_.data() + text_.size() - begin)));
    std::string_view name(begin, end == nullptr ? 0 : static_cast<std::size_t>(end - begin));
    if (name.find('\\') != std::string_view::npos) {
      if (const auto error = field.unescaped_key().get(name)) return refuse(error);
    }
    const JsonColumns::Node* const child = node.find(name);
    if (child != nullptr && !read_value(field.value(), *child, row)) return false;
  }
  return true;
}

bool JsonRowReader::Parser::read_array(simdjson::ondemand::array array,
                                       const JsonColumns::Node& node, CsvRow& row) {
  std::size_t index = 0;
  for (auto element : array) {
    Value value;
    if (const auto error = std::move(element).get(value)) return refuse(error);
    const JsonColumns::Node* const child = node.find(std::to_string(index++));
    if (child != nullptr && !read_value(value, *child, row)) return false;
  }
  return true;
}

bool JsonRowReader::Parser::read_value(Value value, const JsonColumns::Node& node, CsvRow& row) {
  simdjson::ondemand::json_type type;
  if (const auto error = value.type().get(type)) return refuse(error);
  const bool is_object = type == simdjson::ondemand::json_type::object;
  if (is_object || type == simdjson::ondemand::json_type::array) {
    if (node.column) {
      reason_ = fmt::format("{} is {}, not one value; point to one inside it, such as /{}/{}",
                            in_quotes(node.step), is_object ? "an object" : "an array", node.step,
                            is_object ? "NAME" : "0");
      return false;
    }
    if (is_object) return read_object(value.get_object().value_unsafe(), node, row);
    return read_array(value.get_array().value_unsafe(), node, row);
  }
  // Where the columns want something inside, there is nothing.
  return !node.column || read_cell(value, node, row.fields[*node.column]);
}

bool JsonRowReader::Parser::read_cell(Value value, const JsonColumns::Node& node, CsvField& cell) {
  simdjson::ondemand::json_type type;
  if (const auto error = value.type().get(type)) return refuse(error);
  cell = CsvField{};
  if (type == simdjson::ondemand::json_type::string) {
    if (const auto error = value.get_string().get(cell.text)) return refuse(error);
    cell.quoted = true;
    return true;
  }
  const std::string_view token = trimmed(value.raw_json_token());
  if (token == "null") return true;
  if (token != "true" && token != "false" && !is_json_number(token)) {
    reason_ = fmt::format("{}: {} is not a JSON value", in_quotes(node.step), in_quotes(token));
    return false;
  }
  cell.text = token;
  return true;
}

}  // namespace tidemark
