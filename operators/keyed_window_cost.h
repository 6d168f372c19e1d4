// What windows cost that end key by key: sessions, counts of rows, and all windows that have a
// state of their own per key and window.
#pragma once

#include <optional>
#include <string>

#include "tidemark/operators/cost_model.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/operators/window_spec.h"

namespace tidemark {

struct KeyedWindowCost {
  StreamCost cost;
  // What `cost` does not hold since it does not follow from the stream, for people; may be empty.
  std::string not_predicted;
};

// Of a window with WindowQuery::leaves_shared_path(). Windows with a slide
// cost per slide, all others per second of event time. `running_bytes` is what windows take beside
// their entries, `index_bytes` what finds them.
KeyedWindowCost keyed_window_cost(const WindowQuery& query, const WindowSpec& window,
                                  const StateSize& state, const StreamShape& stream);

}  // namespace tidemark
