// Durations on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark::cli {

// In ms; at least 0, or above 0. Throws UserError with a sentence that names the option.
std::int64_t duration_of(const char* option, const std::string& text);
std::int64_t positive_duration_of(const char* option, const std::string& text);

}  // namespace tidemark::cli
