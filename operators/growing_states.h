// The states that grow, by primitive and type of input.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tidemark/operators/counted_values.h"
#include "tidemark/operators/distinct_sketch.h"
#include "tidemark/operators/quantile_buckets.h"
#include "tidemark/operators/state_handle.h"
#include "tidemark/operators/value_runs.h"

namespace tidemark {

// Internal to the aggregate kernels and outputs.

// Bits that are equal where values are: all NaNs are one value, and so are 0 and -0.
inline std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }
inline std::uint64_t bits_of(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value + 0.0);
}

// States that are told a value by its bits.
template <typename Object>
struct OfBits : CopyOnWrite<Object> {
  template <typename Input>
  static void add(Object*& handle, Input value, EventTime /*time*/,
                  std::pmr::memory_resource& memory) {
    CopyOnWrite<Object>::writable(handle, memory).add(bits_of(value));
  }
};

struct OfBuckets : CopyOnWrite<CountedValues> {
  template <typename Input>
  static void add(CountedValues*& handle, Input value, EventTime /*time*/,
                  std::pmr::memory_resource& memory) {
    const std::int64_t bucket = quantile_bucket(static_cast<double>(value));
    writable(handle, memory).add(static_cast<std::uint64_t>(bucket));
  }
};

using PlainRuns = ValueRuns<PlainValue>;
using TimedRuns = ValueRuns<TimedValue>;

}  // namespace tidemark
