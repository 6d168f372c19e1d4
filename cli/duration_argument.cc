#include "cli/duration_argument.h"

#include <fmt/format.h>

#include "cli/user_error.h"
#include "tidemark/runtime/duration.h"

namespace tidemark::cli {

std::int64_t duration_of(const char* option, const std::string& text) {
  const Expected<std::int64_t> duration = parse_duration(text);
  if (!duration) throw UserError(fmt::format("{}: {}", option, duration.error().message));
  if (*duration < 0) {
    throw UserError(fmt::format("{} must not be negative, but is {}", option, text));
  }
  return *duration;
}

std::int64_t positive_duration_of(const char* option, const std::string& text) {
  const std::int64_t duration = duration_of(option, text);
  if (duration == 0) {
    throw UserError(fmt::format("{} must be longer than 0, but is {}", option, text));
  }
  return duration;
}

}  // namespace tidemark::cli
