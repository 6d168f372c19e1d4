#include "tidemark/connectors/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tidemark/connectors/message_text.h"
#include "tidemark/connectors/text_block.h"

namespace tidemark {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Goes from value to value; every step says whether the text has gone on that far.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  void advance() { ++at_; }

  // The next byte that is no space; '\0' at the end of the text.
  char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // The text of a string without its quotes, escapes as they are.
  bool read_string(std::string_view& value) {
    const std::size_t begin = ++at_;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        value = text_.substr(begin, at_++ - begin);
        return true;
      }
    }
    return false;
  }

  bool skip_value() {
    std::size_t depth = 0;
    while (true) {
      const char c = peek();
      if (c == '\0') return false;
      std::string_view ignored;
      if (c == '"') {
        if (!read_string(ignored)) return false;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        while (at_ < text_.size() && !is_space(text_[at_]) &&
               std::string_view(",:{}[]\"").find(text_[at_]) == std::string_view::npos) {
          ++at_;
        }
      }
      if (depth == 0) return true;
    }
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

JsonRowsBegin none(std::string problem) {
  return {JsonRowsBegin::Status::kNone, 0, std::move(problem)};
}

const JsonRowsBegin kMoreText{JsonRowsBegin::Status::kMore, 0, {}};

// Goes from an object or array to the value behind `step`.
JsonRowsBegin take_step(Walker& walker, const std::string& step) {
  const char open = walker.peek();
  if (open == '\0') return kMoreText;
  if (open != '{' && open != '[') {
    return none(fmt::format("{} is looked for in a value that is neither an object nor an array",
                            in_quotes(step)));
  }
  walker.advance();
  for (std::size_t index = 0;; ++index) {
    char c = walker.peek();
    if (c == ',') {
      walker.advance();
      c = walker.peek();
    }
    if (c == '\0') return kMoreText;
    if (c == '}' || c == ']') return none(fmt::format("there is no {} in it", in_quotes(step)));
    bool found = open == '[' && step == std::to_string(index);
    if (open == '{') {
      std::string_view key;
      if (c != '"') return none("an object's member has no name in quotes");
      if (!walker.read_string(key) || walker.peek() == '\0') return kMoreText;
      if (walker.peek() != ':') return none(fmt::format("no colon follows {}", in_quotes(key)));
      walker.advance();
      found = key == step;
    }
    if (found) return {JsonRowsBegin::Status::kFound, walker.at(), {}};
    if (!walker.skip_value()) return kMoreText;
  }
}

}  // namespace

JsonRowsBegin find_json_rows(std::string_view text, const std::vector<std::string>& steps) {
  Walker walker(text);
  for (const std::string& step : steps) {
    const JsonRowsBegin value = take_step(walker, step);
    if (value.status != JsonRowsBegin::Status::kFound) return value;
  }
  const char open = walker.peek();
  if (open == '\0') return kMoreText;
  if (open != '[') {
    return none(open == '{' ? "an object is there and not an array"
                            : "there is no array of rows there");
  }
  return {JsonRowsBegin::Status::kFound, walker.at() + 1, {}};
}

// Within a string, to behind its closing quote; false if the text ends before.
bool JsonElementScanner::skip_string(std::string_view text) {
  while (at_ < text.size()) {
    if (text[at_] == '\\') {
      // Its second byte may not be there yet.
      if (at_ + 1 == text.size()) return false;
      at_ += 2;
    } else if (text[at_++] == '"') {
      in_string_ = false;
      return true;
    }
  }
  return false;
}

std::size_t JsonElementScanner::skip_blocks(std::string_view text) {
  while (text.size() - at_ >= kTextBlock) {
    const char* const block = text.data() + at_;
    const std::uint64_t escapes = bytes_equal_to(block, '\\');
    // The last one may escape the byte behind it.
    if (escapes != 0) return at_ + static_cast<std::size_t>(std::bit_width(escapes)) + 1;
    const std::uint64_t strings =
        parity_so_far(bytes_equal_to(block, '"')) ^ (in_string_ ? ~std::uint64_t{0} : 0);
    const std::uint64_t opening =
        (bytes_equal_to(block, '{') | bytes_equal_to(block, '[')) & ~strings;
    const std::uint64_t closing =
        (bytes_equal_to(block, '}') | bytes_equal_to(block, ']')) & ~strings;
    for (std::uint64_t bits = opening | closing; bits != 0; bits &= bits - 1) {
      if ((opening & bits & -bits) != 0) {
        ++depth_;
      } else if (--depth_ == 0) {
        in_string_ = false;
        return at_ += static_cast<std::size_t>(std::countr_zero(bits)) + 1;
      }
    }
    in_string_ = strings >> 63 != 0;
    at_ += kTextBlock;
  }
  return text.size();
}

bool JsonElementScanner::next(std::string_view text) {
  std::size_t by_byte_to = 0;
  while (!closed_ && at_ < text.size()) {
    if (depth_ > 0 && at_ >= by_byte_to) by_byte_to = skip_blocks(text);
    if (at_ == text.size()) return false;
    if (in_string_ && !skip_string(text)) return false;
    if (at_ == text.size()) return false;
    const char c = text[at_];
    const bool ends = c == ',' || c == ']';
    if (ends && !in_element_ && after_comma_) {
      after_comma_ = false;
      begin_ = end_ = at_;
      return true;
    }
    if (ends && in_element_ && depth_ == 0) {
      end_ = at_;
      in_element_ = false;
      while (end_ > begin_ && is_space(text[end_ - 1])) --end_;
      return true;  // what ended it is looked at by the next call
    }
    ++at_;
    if (!in_element_) {
      if (is_space(c)) continue;
      after_comma_ = c == ',';
      if (after_comma_) continue;
      if (c == ']') {
        closed_ = true;
        begin_ = end_ = at_;
        return true;
      }
      in_element_ = true;
      begin_ = at_ - 1;
    }
    if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && depth_ > 0) {
      --depth_;
    }
  }
  return false;
}

void JsonElementScanner::consume(std::size_t bytes) {
  at_ -= std::min(bytes, at_);
  begin_ -= std::min(bytes, begin_);
  end_ -= std::min(bytes, end_);
}

// Names are compared as they are written, as find_json_rows() does.
void JsonRestScanner::look_at_name(char c) {
  if (c == '"' && !in_string_) {
    name_.clear();
    may_be_step_ = true;
  } else if (in_string_) {
    may_be_step_ = may_be_step_ && name_.size() < steps_.back().size();
    if (may_be_step_) name_ += c;
  } else if (!is_space(c)) {
    if (c == ':' && may_be_step_ && name_ == steps_.back()) repeated_ = name_;
    may_be_step_ = false;
  }
}

void JsonRestScanner::next(std::string_view text) {
  for (const char c : text) {
    if (goes_on_) return;
    const bool closes = in_string_ && c == '"' && !is_escaped_;
    if (depth_ > 0 && depth_ == steps_.size() && !closes) look_at_name(c);
    if (in_string_) {
      is_escaped_ = c == '\\' && !is_escaped_;
      in_string_ = !closes;
    } else if (depth_ == 0) {
      goes_on_ = !is_space(c);
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      --depth_;
      if (depth_ < steps_.size()) steps_.pop_back();
    }
  }
}

}  // namespace tidemark
