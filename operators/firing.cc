#include "tidemark/operators/firing.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "tidemark/runtime/duration.h"

namespace tidemark {

std::string_view to_string(Accumulation mode) {
  switch (mode) {
    case Accumulation::kAccumulating:
      return "accumulating";
    case Accumulation::kDiscarding:
      return "discarding";
    case Accumulation::kRetracting:
      return "retracting";
  }
  return "unknown";
}

std::string_view to_string(PaneTiming timing) {
  switch (timing) {
    case PaneTiming::kEarly:
      return "early";
    case PaneTiming::kOnTime:
      return "on_time";
    case PaneTiming::kLate:
      return "late";
  }
  return "unknown";
}

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kInsert:
      return "+I";
    case ChangeKind::kUpdateBefore:
      return "-U";
    case ChangeKind::kUpdateAfter:
      return "+U";
    case ChangeKind::kDelete:
      return "-D";
  }
  return "unknown";
}

Expected<Accumulation> parse_accumulation(std::string_view text) {
  for (const Accumulation mode :
       {Accumulation::kAccumulating, Accumulation::kDiscarding, Accumulation::kRetracting}) {
    if (text == to_string(mode)) return mode;
  }
  return make_error(
      fmt::format("accumulation must be accumulating, discarding or retracting, not '{}'", text));
}

namespace {

Expected<EarlyFiring> early_rows(std::string_view text) {
  EarlyFiring early{EarlyFiring::Kind::kRows, 0};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, early.amount);
  if (error != std::errc() || rest != end || early.amount <= 0) {
    return make_error(
        fmt::format("early firing by rows needs a positive whole number, got '{}'", text));
  }
  return early;
}

}  // namespace

Expected<EarlyFiring> parse_early_firing(std::string_view text) {
  constexpr std::string_view kRows = "rows=";
  constexpr std::string_view kProcessing = "processing=";
  if (text.starts_with(kRows)) return early_rows(text.substr(kRows.size()));
  EarlyFiring early{EarlyFiring::Kind::kEventTime, 0};
  if (text.starts_with(kProcessing)) {
    early.kind = EarlyFiring::Kind::kProcessingTime;
    text.remove_prefix(kProcessing.size());
  }
  const Expected<std::int64_t> interval = parse_duration(text);
  if (!interval) return tl::make_unexpected(interval.error());
  if (*interval <= 0) {
    return make_error(fmt::format("the interval of early firings must be positive, got {}", text));
  }
  early.amount = *interval;
  return early;
}

}  // namespace tidemark
