// Lines of text for people, formatted one after the other.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace tidemark {

// Not thread-safe.
class TextLines {
 public:
  // One more line; a mistake in `format` does not compile.
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_.push_back('\n');
  }

  // All lines so far.
  std::string take() const { return fmt::to_string(text_); }

 private:
  fmt::memory_buffer text_;
};

}  // namespace tidemark
