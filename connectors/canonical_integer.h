// Strings that are integers written the one usual way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark {

// The value of `text` if it is an integer of at most 18 digits in canonical form (`0`, `42`, `-7`;
// not `007`, `+1`, `-0` or ` 1`), so that printing the value gives the same text again.
constexpr std::optional<std::int64_t> canonical_integer(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;
  const bool negative = !text.empty() && text.front() == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > kMaxDigits) return std::nullopt;
  if (digits.front() == '0' && (digits.size() > 1 || negative)) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return negative ? -value : value;
}

}  // namespace tidemark
