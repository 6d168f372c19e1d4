#include "tidemark/runtime/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "tidemark/runtime/time.h"

namespace tidemark {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
// In falling order.
constexpr std::array<Unit, 6> kUnits{{{"w", 604'800'000},
                                      {"d", 86'400'000},
                                      {"h", 3'600'000},
                                      {"m", 60'000},
                                      {"s", 1'000},
                                      {"ms", 1}}};

tl::unexpected<Error> refuse(std::string_view text, std::string_view reason) {
  return make_error(fmt::format(
      "'{}' is not a duration: {}; write whole numbers with the units w, d, h, m, s, ms "
      "from large to small, such as 250ms, 5s, 1h30m, 1d or -8h",
      text, reason));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view take_while(std::string_view& rest, bool (*accepts)(char)) {
  std::size_t length = 0;
  while (length < rest.size() && accepts(rest[length])) ++length;
  const std::string_view taken = rest.substr(0, length);
  rest.remove_prefix(length);
  return taken;
}

std::optional<std::size_t> unit_index(std::string_view name) {
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i].name == name) return i;
  }
  return std::nullopt;
}

// count * unit + sum, unless that is longer than any duration may be.
std::optional<std::int64_t> add_part(std::int64_t sum, std::string_view digits, const Unit& unit) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || count > (kMaxDurationMs - sum) / unit.milliseconds) {
    return std::nullopt;
  }
  return sum + count * unit.milliseconds;
}

}  // namespace

Expected<std::int64_t> parse_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty()) return refuse(text, "there is no number");

  std::int64_t sum = 0;
  std::size_t next_unit = 0;
  while (!rest.empty()) {
    const std::string_view digits = take_while(rest, is_digit);
    if (digits.empty()) return refuse(text, fmt::format("expected a digit before '{}'", rest));
    const std::string_view name = take_while(rest, is_letter);
    if (name.empty()) return refuse(text, fmt::format("no unit follows the number {}", digits));
    const std::optional<std::size_t> unit = unit_index(name);
    if (!unit) return refuse(text, fmt::format("'{}' is not a unit", name));
    if (*unit < next_unit) {
      return refuse(text, fmt::format("'{}' must stand once and before smaller units", name));
    }
    next_unit = *unit + 1;
    const std::optional<std::int64_t> longer = add_part(sum, digits, kUnits[*unit]);
    if (!longer) return refuse(text, "it is longer than the 9999 years that event time spans");
    sum = *longer;
  }
  return negative ? -sum : sum;
}

std::string format_duration(std::int64_t milliseconds) {
  if (milliseconds == 0) return "0ms";
  std::string text = milliseconds < 0 ? "-" : "";
  // Unsigned, so that the smallest int64 has a magnitude too.
  auto rest = static_cast<std::uint64_t>(milliseconds);
  if (milliseconds < 0) rest = 0 - rest;
  for (const Unit& unit : kUnits) {
    const auto size = static_cast<std::uint64_t>(unit.milliseconds);
    // Nobody reads 30 days as 4w2d: weeks stand alone or not at all.
    if (unit.name == "w" && rest % size != 0) continue;
    if (rest >= size) text += fmt::format("{}{}", rest / size, unit.name);
    rest %= size;
  }
  return text;
}

}  // namespace tidemark
