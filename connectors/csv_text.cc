#include "tidemark/connectors/csv_text.h"

namespace tidemark {

namespace {

bool needs_quotes(std::string_view value) {
  if (value.empty()) return true;
  if (value.front() == ' ' || value.back() == ' ') return true;
  for (const char c : value) {
    if (c == ',' || c == '"' || c == '\n' || c == '\r') return true;
  }
  return false;
}

}  // namespace

void append_csv_field(std::string_view value, fmt::memory_buffer& out) {
  if (!needs_quotes(value)) {
    out.append(value.data(), value.data() + value.size());
    return;
  }
  out.push_back('"');
  for (const char c : value) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace tidemark
