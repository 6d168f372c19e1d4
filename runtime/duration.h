// Durations as people write them: `250ms`, `5s`, `10m`, `1h30m`, `1d`, `-8h`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/runtime/error.h"

namespace tidemark {

// Milliseconds. Units w, d, h, m, s, ms in falling order, each at most once, every number a
// non-negative integer; at most one sign in front of the whole. Refuses anything else, a bare
// number, and magnitudes above kMaxDurationMs.
Expected<std::int64_t> parse_duration(std::string_view text);

// The text with the largest units: 5400000 -> "1h30m", 0 -> "0ms". Weeks are used only where they
// come out even: 14 days -> "2w", 30 days -> "30d". parse_duration() reads it back.
std::string format_duration(std::int64_t milliseconds);

}  // namespace tidemark
