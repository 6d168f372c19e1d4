// Counts, rates and sizes as people write them: `20M`, `500000/s`, `64KiB`.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemark/runtime/error.h"

namespace tidemark {

// A whole number with an optional k, M or G (thousands, millions, thousand millions): `250000`,
// `20M`. `what` names the value in the error.
Expected<std::uint64_t> parse_count(std::string_view text, std::string_view what);

// A count per second, at least 1: `500000/s`, `2M/s`; `/s` may be left out.
Expected<std::uint64_t> parse_rate(std::string_view text, std::string_view what);

// A size in bytes with an optional unit: `4096`, `64KiB`, `1MiB`, `2GiB`.
Expected<std::uint64_t> parse_bytes(std::string_view text, std::string_view what);

}  // namespace tidemark
