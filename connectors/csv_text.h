// CSV fields as RFC 4180 writes them, except that lines end in LF alone.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace tidemark {

// Appends `value` as one field. Quotes it where commas, quotes, line breaks or outer spaces ask for
// it, and where it is empty: an empty field without quotes stands for NULL.
void append_csv_field(std::string_view value, fmt::memory_buffer& out);

}  // namespace tidemark
