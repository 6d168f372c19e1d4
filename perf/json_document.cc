#include "tidemark/perf/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace tidemark {

namespace {

using Json = JsonDocument::Json;
using JsonPath = nlohmann::json_pointer<std::string>;

// Counts the bytes that the parser has read, through all copies of itself.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

// Goes through a text to the value at a path, and notes what it passes: the last "name", and where
// the text stops being JSON.
class JsonWalk : public nlohmann::json_sax<Json> {
 public:
  JsonWalk(const std::size_t& position, std::string target)
      : position_(position), target_(std::move(target)) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool string(string_t& text) override {
    if (!steps_.empty() && steps_.back().key == "name") name_ = text;
    return value();
  }
  bool start_object(std::size_t) override { return enter(false); }
  bool start_array(std::size_t) override { return enter(true); }
  bool key(string_t& text) override {
    steps_.back().key = text;
    return true;
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t byte, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    error_byte_ = byte;
    error_token_ = token;
    error_ = error.what();
    return false;
  }

  const std::string& name() const { return name_; }
  std::size_t found_at() const { return found_at_; }
  std::size_t error_byte() const { return error_byte_; }
  const std::string& error_token() const { return error_token_; }
  const std::string& error() const { return error_; }

 private:
  struct Step {
    bool is_array = false;
    std::size_t index = 0;
    std::string key;
  };

  std::string path() const {
    std::string text;
    for (const Step& step : steps_) {
      JsonPath key;
      key.push_back(step.is_array ? std::to_string(step.index) : step.key);
      text += key.to_string();
    }
    return text;
  }
  bool is_target() const { return !target_.empty() && path() == target_; }
  bool value() {
    if (is_target()) {
      found_at_ = position_;
      return false;
    }
    if (!steps_.empty()) ++steps_.back().index;
    return true;
  }
  bool enter(bool is_array) {
    if (is_target()) {
      found_at_ = position_;
      return false;
    }
    steps_.push_back({is_array, 0, {}});
    return true;
  }
  bool leave() {
    steps_.pop_back();
    if (!steps_.empty()) ++steps_.back().index;
    // The name was the object's that has ended.
    name_.clear();
    return true;
  }

  const std::size_t& position_;
  std::string target_;
  std::vector<Step> steps_;
  std::string name_;
  std::size_t found_at_ = 0;
  std::size_t error_byte_ = 0;
  std::string error_token_;
  std::string error_;
};

std::size_t line_at(std::string_view text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

std::size_t column_at(std::string_view text, std::size_t position) {
  const std::size_t end = std::min(position, text.size());
  const std::size_t line = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
  return line == std::string_view::npos ? end + 1 : end - line;
}

// The characters around `position` that are not JSON's own, such as `NaN` or `12%`.
std::string word_at(std::string_view text, std::size_t position) {
  const auto in_word = [&](std::size_t i) {
    const auto c = static_cast<unsigned char>(text[i]);
    return std::isalnum(c) != 0 || c == '%' || c == '.' || c == '-' || c == '+';
  };
  std::size_t begin = std::min(position, text.size());
  while (begin > 0 && in_word(begin - 1)) --begin;
  std::size_t end = std::min(position, text.size());
  while (end < text.size() && in_word(end)) ++end;
  constexpr std::size_t kShown = 24;
  return std::string(text.substr(begin, std::min(end - begin, kShown)));
}

std::string syntax_error(std::string_view text, const std::string& source, const JsonWalk& walk) {
  const std::size_t position = walk.error_byte() == 0 ? 0 : walk.error_byte() - 1;
  const std::string named = walk.name().empty() ? "" : fmt::format(" in {:?}", walk.name());
  if (position >= text.size()) {
    return fmt::format("{}:{}: the file ends{} in the middle of its JSON: it was cut short", source,
                       line_at(text, position), named);
  }
  const std::string word = word_at(text, position);
  return fmt::format("{}:{}:{}: this is not JSON{}: {}; the program that wrote it has to write {}",
                     source, line_at(text, position), column_at(text, position), named,
                     word.empty() ? fmt::format("unexpected {:?}", text.substr(position, 1))
                                  : fmt::format("{} is no JSON value", word),
                     word.empty() ? "it anew" : "a number");
}

}  // namespace

Expected<JsonDocument> JsonDocument::parse(std::string_view text, const std::string& source) {
  const bool blank = std::all_of(text.begin(), text.end(), [](char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  });
  if (blank) return make_error(fmt::format("{} is empty: there is no measurement in it", source));
  Json root = Json::parse(text.begin(), text.end(), nullptr, false);
  if (root.is_discarded()) {
    std::size_t position = 0;
    JsonWalk walk(position, "");
    Json::sax_parse(text.begin(), text.end(), &walk);
    return make_error(syntax_error(text, source, walk));
  }
  if (!root.is_object()) {
    return make_error(
        fmt::format("{}:1: this is {}, not an object: give JSON of tidemark bench, tidemark "
                    "profile or a Google "
                    "Benchmark program",
                    source, root.is_array() ? "a list" : shown(root)));
  }
  return JsonDocument(text, source, std::move(root));
}

std::string JsonDocument::where(const JsonPath& path) const {
  std::size_t position = 0;
  JsonWalk walk(position, path.to_string());
  Json::sax_parse(CountingIterator(text_.data(), &position),
                  CountingIterator(text_.data() + text_.size(), &position), &walk);
  std::string named;
  for (JsonPath parent = path; !parent.empty() && named.empty(); parent = parent.parent_pointer()) {
    if (!root_.contains(parent)) continue;
    const Json& value = root_.at(parent);
    if (value.is_object() && value.contains("name")) named = shown(value["name"]) + " ";
  }
  const std::string line =
      walk.found_at() == 0 ? "" : fmt::format("{}:", line_at(text_, walk.found_at() - 1));
  return fmt::format("{}:{} {}{}", source_, line, named, path.back());
}

std::string shown(const Json& value) {
  constexpr std::size_t kShown = 40;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

}  // namespace tidemark
