// Numbers out of text, the same in every locale.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark {

enum class NumberReading : std::uint8_t {
  kRead,
  kNotANumber,
  kOutOfRange,  // a number, but the type cannot hold it
};

// Digits with an optional minus in front.
NumberReading read_int64(std::string_view text, std::int64_t& value);

// Decimal or exponent notation with a point and an optional minus; nan, inf and infinity in any
// case. Rounds to the nearest double; what is too small becomes 0.
NumberReading read_double(std::string_view text, double& value);

// True for integers as programs write them, however long: 0, 42, -7; not 007, +1, -0, 1.0 or 1e3.
bool is_plain_integer(std::string_view text);

}  // namespace tidemark
