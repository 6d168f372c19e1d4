// Random queries, streams and run settings, all from one seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "property/random_windows.h"
#include "support/query_run.h"
#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

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

// What a scenario is made of.
struct ScenarioShape {
  DoubleInputs doubles = DoubleInputs::kExact;
  // Makes each of the windows, with lengths in multiples of a unit.
  std::function<WindowSpec(Random&, std::int64_t unit)> window = random_sliding;
  // One of them is the unit, in ms.
  std::vector<std::int64_t> units{1, 7, 1000};
  // Rows begin near one of these times; if empty, anywhere.
  std::vector<EventTime> starts{};
  // Integers large enough for sums that do not fit.
  bool large_integers = true;
  // The unit that was chosen goes to the query's further settings.
  std::function<void(Random&, WindowQuery&, std::int64_t unit)> settings{};
};

// One or several windows over a stream with disorder, gaps, jumps, negative times, few or many keys
// and NULLs. The strategy is left at kAuto.
Scenario random_scenario(Random& random, const ScenarioShape& shape);
Scenario random_scenario(Random& random, DoubleInputs doubles);

// 1 to 4 cores, small batches and credits, pauses, yields.
RunSettings random_settings(Random& random);

// The strategies that validate() allows for `query`, with kAuto.
std::vector<Strategy> allowed_strategies(WindowQuery query);

// Deals rows out over `count` partitions, keeping their order in each.
std::vector<std::vector<Row>> deal(Random& random, const std::vector<Row>& rows, std::size_t count);

}  // namespace tidemark::test_support
