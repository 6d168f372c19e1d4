// Aggregates over a list of rows, computed at once from the whole list.
#pragma once

#include <cstdint>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

struct NaiveAggregates {
  std::vector<Cell> cells;
  // Sums among them that do not fit int64.
  std::uint64_t overflows = 0;
};

// One cell per aggregate of `query`.
NaiveAggregates naive_aggregates(const WindowQuery& query, const std::vector<const Row*>& rows);

}  // namespace tidemark::test_support
