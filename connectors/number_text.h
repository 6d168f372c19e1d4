// Numbers as text, independent of the locale.
#pragma once

#include <fmt/format.h>

#include <cstdint>

namespace tidemark {

void append_integer(std::int64_t value, fmt::memory_buffer& out);
// With `is_unsigned` the value is the bits of an unsigned number.
void append_integer(std::int64_t value, bool is_unsigned, fmt::memory_buffer& out);

// The shortest text that reads back as the same double: 11.1, 45 (never 45.0), 1e+16; and NaN,
// Infinity, -Infinity.
void append_double(double value, fmt::memory_buffer& out);

}  // namespace tidemark
