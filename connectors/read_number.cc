#include "tidemark/connectors/read_number.h"

#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace tidemark {

NumberReading read_int64(std::string_view text, std::int64_t& value) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value);
  if (result.ptr != end) return NumberReading::kNotANumber;
  if (result.ec == std::errc::result_out_of_range) return NumberReading::kOutOfRange;
  return result.ec == std::errc{} ? NumberReading::kRead : NumberReading::kNotANumber;
}

NumberReading read_double(std::string_view text, double& value) {
  const char* const end = text.data() + text.size();
  const fast_float::from_chars_result result = fast_float::from_chars(text.data(), end, value);
  if (result.ptr != end) return NumberReading::kNotANumber;
  if (result.ec != std::errc{} && result.ec != std::errc::result_out_of_range) {
    return NumberReading::kNotANumber;
  }
  // Only letters spell an infinity; digits that come out as one did not fit.
  if (std::isinf(value) && (text.back() >= '0' && text.back() <= '9')) {
    return NumberReading::kOutOfRange;
  }
  return NumberReading::kRead;
}

bool is_plain_integer(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  return text.front() != '0' || (text.size() == 1 && !negative);
}

}  // namespace tidemark
