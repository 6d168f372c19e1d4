// What the states take that grow with their values, before anything runs.
#pragma once

#include <string>

#include "tidemark/operators/query.h"
#include "tidemark/operators/strategy.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/operators/window_spec.h"

namespace tidemark {

struct GrowingCost {
  // Behind the handles of all entries and running states, at most at one time; blocks as
  // StateBlocks has them.
  double bytes = 0;
  // What is not in it since it does not follow from the stream, for people; may be empty.
  std::string not_predicted;
};

// Of windows with slices, or buckets of them, once they are full. Rows of a key come evenly by
// chance.
GrowingCost growing_cost(const WindowQuery& query, const WindowSpec& window, Strategy strategy,
                         const StreamShape& stream);

}  // namespace tidemark
