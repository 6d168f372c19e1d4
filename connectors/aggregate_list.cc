#include "tidemark/connectors/aggregate_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tidemark/connectors/read_number.h"

namespace tidemark {

namespace {

// Those that can be named: what users define has no name here.
constexpr auto kFunctions = std::to_array<AggregateFunction>({
    AggregateFunction::kCount,
    AggregateFunction::kSum,
    AggregateFunction::kMin,
    AggregateFunction::kMax,
    AggregateFunction::kAvg,
    AggregateFunction::kStddev,
    AggregateFunction::kStddevPopulation,
    AggregateFunction::kVariance,
    AggregateFunction::kVariancePopulation,
    AggregateFunction::kFirst,
    AggregateFunction::kLast,
    AggregateFunction::kCountDistinct,
    AggregateFunction::kApproxDistinct,
    AggregateFunction::kMedian,
    AggregateFunction::kQuantile,
    AggregateFunction::kApproxQuantile,
    AggregateFunction::kTopK,
    AggregateFunction::kCollect,
});

bool has_parameter(AggregateFunction function) {
  return function == AggregateFunction::kQuantile ||
         function == AggregateFunction::kApproxQuantile || function == AggregateFunction::kTopK;
}

// Longer operators first.
constexpr std::array<std::pair<std::string_view, CompareOp>, 8> kComparisons{{
    {"<=", CompareOp::kLessOrEqual},
    {">=", CompareOp::kGreaterOrEqual},
    {"<>", CompareOp::kNotEqual},
    {"!=", CompareOp::kNotEqual},
    {"==", CompareOp::kEqual},
    {"=", CompareOp::kEqual},
    {"<", CompareOp::kLess},
    {">", CompareOp::kGreater},
}};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

class AggregateListParser {
 public:
  explicit AggregateListParser(std::string_view text) : text_(text) {}

  Expected<std::vector<AggregateRequest>> parse() {
    std::vector<AggregateRequest> requests;
    do {
      Expected<AggregateRequest> request = parse_request();
      if (!request) return tl::unexpected(request.error());
      for (const AggregateRequest& other : requests) {
        if (other.name == request->name) return refuse_name(*request);
      }
      requests.push_back(*std::move(request));
    } while (take(","));
    if (at_ < text_.size()) return refuse("a comma", at_);
    return requests;
  }

 private:
  Expected<AggregateRequest> parse_request() {
    skip_blanks();
    AggregateRequest request;
    request.position = at_ + 1;
    const std::size_t start = at_;
    const std::string function = lower_case(take_word());
    if (function.empty()) return refuse("an aggregate such as sum(x)", start);
    const auto* known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                     [&](auto entry) { return to_string(entry) == function; });
    if (known == kFunctions.end()) return refuse_function(function, start);
    request.function = *known;
    request.name = function;
    if (auto done = parse_input(function, request); !done) return tl::unexpected(done.error());
    if (auto done = parse_clauses(request); !done) return tl::unexpected(done.error());
    return request;
  }

  Expected<void> parse_input(const std::string& function, AggregateRequest& request) {
    const std::size_t before = at_;
    const bool is_count = request.function == AggregateFunction::kCount;
    if (!take("(")) {
      if (is_count) return {};
      return refuse(fmt::format("a column in parentheses, as in {}(x),", function), before);
    }
    if (is_count && take("*")) {
      if (!take(")")) return refuse("a closing parenthesis", at_);
      return {};
    }
    Expected<std::string> column = take_name("a column");
    if (!column) return tl::unexpected(column.error());
    request.column = *std::move(column);
    request.name = fmt::format("{}({})", function, *request.column);
    if (has_parameter(request.function)) {
      if (auto done = parse_parameter(function, request); !done) return done;
    }
    if (!take(")")) return refuse("a closing parenthesis", at_);
    return {};
  }

  Expected<void> parse_parameter(const std::string& function, AggregateRequest& request) {
    const std::size_t before = at_;
    const bool has_comma = take(",");
    const std::size_t start = at_;
    const std::string_view word = take_word();
    if (!has_comma || read_double(word, request.parameter) != NumberReading::kRead) {
      const bool top = request.function == AggregateFunction::kTopK;
      return refuse(fmt::format("a number, as in {}(x, {}),", function, top ? "3" : "0.99"),
                    has_comma ? start : before);
    }
    request.name = fmt::format("{}({}, {})", function, *request.column, word);
    return {};
  }

  Expected<void> parse_clauses(AggregateRequest& request) {
    bool named = false;
    while (true) {
      skip_blanks();
      const std::size_t start = at_;
      const std::string word = lower_case(take_word());
      if (word == "as" && !named) {
        Expected<std::string> name = take_name("a name after as");
        if (!name) return tl::unexpected(name.error());
        request.name = *std::move(name);
        named = true;
      } else if (word == "where" && !request.condition) {
        if (auto done = parse_condition(request, start); !done) return done;
      } else {
        at_ = start;
        return {};
      }
    }
  }

  Expected<void> parse_condition(AggregateRequest& request, std::size_t start) {
    AggregateCondition condition;
    condition.position = start + 1;
    Expected<std::string> column = take_name("a column after where");
    if (!column) return tl::unexpected(column.error());
    condition.column = *std::move(column);
    const auto* taken = std::find_if(kComparisons.begin(), kComparisons.end(),
                                     [this](const auto& entry) { return take(entry.first); });
    if (taken == kComparisons.end()) return refuse("one of = <> < <= > >=", at_);
    condition.op = taken->second;
    condition.value_is_text = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    Expected<std::string> value = take_name("a value to compare with");
    if (!value) return tl::unexpected(value.error());
    condition.value = *std::move(value);
    request.condition = std::move(condition);
    return {};
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }

  std::string_view take_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  // A word, or text in quotes, where a doubled quote stands for one.
  Expected<std::string> take_name(std::string_view what) {
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return take_quoted();
    const std::size_t start = at_;
    std::string word(take_word());
    if (word.empty()) return refuse(what, start);
    return word;
  }

  Expected<std::string> take_quoted() {
    const std::size_t start = at_;
    const char quote = text_[at_++];
    std::string value;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != quote) {
        value += c;
      } else if (at_ < text_.size() && text_[at_] == quote) {
        value += c;
        ++at_;
      } else {
        return value;
      }
    }
    return make_error(
        fmt::format("the quote at character {} of {} is not closed", start + 1, shown()));
  }

  tl::unexpected<Error> refuse(std::string_view expected, std::size_t at) const {
    return make_error(
        fmt::format("{} is expected at character {} of {}", expected, at + 1, shown()));
  }

  tl::unexpected<Error> refuse_function(const std::string& function, std::size_t at) const {
    fmt::memory_buffer names;
    for (const AggregateFunction known : kFunctions) {
      if (names.size() > 0) names.append(std::string_view(", "));
      names.append(to_string(known));
    }
    return make_error(
        fmt::format("{} at character {} of {} is not an aggregate; there "
                    "are {}",
                    function, at + 1, shown(), fmt::to_string(names)));
  }

  tl::unexpected<Error> refuse_name(const AggregateRequest& request) const {
    return make_error(
        fmt::format("{} at character {} of {} is there twice; give one another name with `as NAME`",
                    request.name, request.position, shown()));
  }

  std::string shown() const { return fmt::format("'{}'", text_); }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<std::vector<AggregateRequest>> parse_aggregate_list(std::string_view text) {
  return AggregateListParser(text).parse();
}

}  // namespace tidemark
