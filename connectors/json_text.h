// JSON strings.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace tidemark {

// Appends `value` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string_view value, fmt::memory_buffer& out);

}  // namespace tidemark
