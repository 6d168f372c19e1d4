// What aggregates a job computes over each window.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/runtime/batch.h"

namespace tidemark {

enum class AggregateFunction : std::uint8_t { kCount, kSum, kMin, kMax, kAvg };

std::string_view to_string(AggregateFunction function);

// One output column. SQL's rules for NULL: count without input counts rows, every other function
// skips NULL inputs, and sum, min, max and avg of no input at all are NULL.
struct AggregateSpec {
  AggregateFunction function = AggregateFunction::kCount;
  // Index into the query's value columns, or kRows for count(*).
  int input = kRows;
  // Name of the output column.
  std::string name;

  static constexpr int kRows = -1;
};

// Type of the result: count is int64; sum, min and max keep the input's type; avg is double.
ColumnType result_type(AggregateFunction function, ColumnType input);

}  // namespace tidemark
