// Conditions on values: `where amount >= 900`.
#pragma once

#include <compare>
#include <cstdint>

namespace tidemark {

enum class CompareOp : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
};

// NaN is unordered: it differs from everything and fulfils nothing else, as IEEE 754 has it.
bool holds(CompareOp op, std::partial_ordering order);

}  // namespace tidemark
