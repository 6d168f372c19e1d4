// Aggregates over a list of rows in order of arrival, computed at once from the whole list.
// Sketches are not modelled: their exact values are given.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

struct NaiveAggregates {
  std::vector<Cell> cells;
  // Sums among them that do not fit int64.
  std::uint64_t overflows = 0;
};

// What user-defined aggregates are here: of int64, modulo 2^64, and invertible.
std::shared_ptr<const UserAggregate> sum_of_squares();

// One cell per aggregate of `query`.
NaiveAggregates naive_aggregates(const WindowQuery& query, const std::vector<const Row*>& rows);

}  // namespace tidemark::test_support
