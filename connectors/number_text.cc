#include "tidemark/connectors/number_text.h"

#include <fmt/compile.h>

#include <cmath>
#include <iterator>
#include <string_view>

namespace tidemark {

void append_integer(std::int64_t value, fmt::memory_buffer& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.data() + text.size());
}

void append_integer(std::int64_t value, bool is_unsigned, fmt::memory_buffer& out) {
  if (!is_unsigned) {
    append_integer(value, out);
    return;
  }
  const fmt::format_int text(static_cast<std::uint64_t>(value));
  out.append(text.data(), text.data() + text.size());
}

void append_double(double value, fmt::memory_buffer& out) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
    return;
  }
  const std::string_view text = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  out.append(text.data(), text.data() + text.size());
}

}  // namespace tidemark
