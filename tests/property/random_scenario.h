// Random queries, streams and run settings, all from one seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/query_run.h"
#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

using Random = std::mt19937_64;

enum class DoubleInputs {
  kExact,      // multiples of 1/8 of moderate size, whose sums are exact in any order
  kWithNan,    // the same, with NaN and infinities among them
  kArbitrary,  // positive, of very different size
};

struct Scenario {
  WindowQuery query;
  // In arrival order.
  std::vector<Row> rows;

  std::string to_text() const;
};

// One or several windows over a stream with disorder, gaps, jumps, negative times, few or many keys
// and NULLs. The strategy is left at kAuto.
Scenario random_scenario(Random& random, DoubleInputs doubles);

// 1 to 4 cores, small batches and credits, pauses, yields.
RunSettings random_settings(Random& random);

// The strategies that validate() allows for `query`, with kAuto.
std::vector<Strategy> allowed_strategies(WindowQuery query);

// Deals rows out over `count` partitions, keeping their order in each.
std::vector<std::vector<Row>> deal(Random& random, const std::vector<Row>& rows, std::size_t count);

}  // namespace tidemark::test_support
