#include "tidemark/operators/strategy.h"

#include <fmt/format.h>

#include <array>

namespace tidemark {

namespace {
constexpr std::array kStrategies = {
    Strategy::kAuto,      Strategy::kBuckets,   Strategy::kRecompute,    Strategy::kSubtract,
    Strategy::kTwoStacks, Strategy::kWorstCase, Strategy::kBaseIntervals};
}  // namespace

std::string_view to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::kAuto:
      return "auto";
    case Strategy::kBuckets:
      return "buckets";
    case Strategy::kRecompute:
      return "recompute";
    case Strategy::kSubtract:
      return "subtract";
    case Strategy::kTwoStacks:
      return "two-stacks";
    case Strategy::kWorstCase:
      return "worst-case";
    case Strategy::kBaseIntervals:
      return "base-intervals";
  }
  return "unknown";
}

Expected<Strategy> parse_strategy(std::string_view text) {
  for (const Strategy strategy : kStrategies) {
    if (text == to_string(strategy)) return strategy;
  }
  return make_error(fmt::format(
      "unknown strategy '{}': use auto, buckets, recompute, subtract, two-stacks, worst-case or "
      "base-intervals",
      text));
}

}  // namespace tidemark
