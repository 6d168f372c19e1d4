#include "tidemark/connectors/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace tidemark {

namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

void append_json_string(std::string_view value, fmt::memory_buffer& out) {
  if (std::all_of(value.begin(), value.end(), is_plain)) {
    out.push_back('"');
    out.append(value.data(), value.data() + value.size());
    out.push_back('"');
    return;
  }
  const std::string text =
      nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out.append(text.data(), text.data() + text.size());
}

}  // namespace tidemark
