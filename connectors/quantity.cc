#include "tidemark/connectors/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace tidemark {

namespace {

std::uint64_t multiplier_of(std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix == "k") return 1'000;
  if (suffix == "M") return 1'000'000;
  if (suffix == "G") return 1'000'000'000;
  return 0;
}

}  // namespace

Expected<std::uint64_t> parse_count(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::uint64_t multiplier = multiplier_of({stop, end});
  std::uint64_t value = 0;
  if (error != std::errc{} || multiplier == 0 ||
      __builtin_mul_overflow(number, multiplier, &value) || value > INT64_MAX) {
    return make_error(
        fmt::format("{} must be a whole number such as 250000 or 20M, not {:?}", what, text));
  }
  return value;
}

Expected<std::uint64_t> parse_rate(std::string_view text, std::string_view what) {
  std::string_view number = text;
  if (number.ends_with("/s")) number.remove_suffix(2);
  const Expected<std::uint64_t> rate = parse_count(number, what);
  if (!rate || *rate == 0) {
    return make_error(
        fmt::format("{} must be a rate such as 500000/s or 2M/s, not {:?}", what, text));
  }
  return rate;
}

Expected<std::uint64_t> parse_bytes(std::string_view text, std::string_view what) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 3> kUnits{
      {{"KiB", 10U}, {"MiB", 20U}, {"GiB", 30U}}};
  std::string_view number = text;
  unsigned shift = 0;
  for (const auto& [unit, its_shift] : kUnits) {
    if (!text.ends_with(unit)) continue;
    number.remove_suffix(unit.size());
    shift = its_shift;
  }
  std::uint64_t value = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc{} || stop != end || value > (UINT64_MAX >> 1U) >> shift) {
    return make_error(fmt::format("{} must be a size such as 64KiB or 2GiB, not {:?}", what, text));
  }
  return value << shift;
}

}  // namespace tidemark
