// Text of a number that often comes many times in a row, such as a window's bound.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark {

// Makes the text only when the number changes.
class RepeatedText {
 public:
  // Appends the text of `value`; `make` appends it to the buffer that it is given.
  template <typename Make>
  void append(std::int64_t value, fmt::memory_buffer& out, Make&& make) {
    if (value_ != value) {
      text_.clear();
      make(value, text_);
      value_ = value;
    }
    out.append(text_.data(), text_.data() + text_.size());
  }

 private:
  std::optional<std::int64_t> value_;
  fmt::memory_buffer text_;
};

}  // namespace tidemark
