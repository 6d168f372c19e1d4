// Whether two states of a window have the same results.
#pragma once

#include <cstddef>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// Not thread-safe.
class ResultComparison {
 public:
  explicit ResultComparison(const AggregateLayout& layout)
      : layout_(layout), compared_(layout.result_columns(), 2) {}

  // Of two entries. NULL equals NULL, and NaN NaN.
  bool says_the_same(const std::byte* a, const std::byte* b);

 private:
  const AggregateLayout& layout_;
  Batch compared_;
};

}  // namespace tidemark
