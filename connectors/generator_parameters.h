// The parameters of a generated stream, by name, as the command line and `gen:` inputs give them.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemark/connectors/key_sampler.h"
#include "tidemark/connectors/order_generator.h"
#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

struct GeneratorParameters {
  std::uint64_t rows = 1'000'000;
  std::uint64_t keys = 1'000;
  std::uint64_t rate = 10'000;
  EventTime start = kDefaultGeneratorStart;
  std::int64_t disorder = 0;
  Skew skew;
  std::uint64_t seed = 1;
  bool live = false;

  // Sets the parameter `name` (rows, keys, rate, start, disorder, skew, seed, live) from text.
  Expected<void> set(std::string_view name, std::string_view value);
  // From `name=value&name=value`.
  Expected<void> set_all(std::string_view text);

  OrdersConfig orders() const { return {rows, keys, rate, start, disorder, skew, seed}; }
};

}  // namespace tidemark
