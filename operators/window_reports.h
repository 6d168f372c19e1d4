// What the firings of a key's window say: in each accumulation mode, and after a session has got
// new bounds.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "tidemark/operators/firing_output.h"
#include "tidemark/operators/key_window.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/result_comparison.h"

namespace tidemark {

// Keeps in each window what it has said last, where it may fire again, and puts results on their
// way. Not thread-safe.
class WindowReports {
 public:
  WindowReports(const WindowQuery& query, std::uint32_t specification,
                const AggregateLayout& layout, std::pmr::memory_resource& memory);

  // Says what the window holds, unless it has said just that before. In discarding mode whoever
  // calls drops the content then.
  void report(KeyWindow& window, PaneTiming timing);

  // What the window has said does not hold under the bounds that it gets: it is taken back when the
  // window fires next, if results are.
  void withdraw(KeyWindow& window);

  // A result that nothing follows.
  void say_once(EventTime start, EventTime end, const std::byte* content);

  bool drain(ResultEmitter& emitter) { return output_.drain(emitter); }

 private:
  void take_back(KeyWindow& window, PaneTiming timing);
  void say(const KeyWindow& window, const std::byte* content, PaneTiming timing, ChangeKind change);

  const WindowQuery& query_;
  const AggregateLayout& layout_;
  FiringOutput output_;
  ResultComparison comparison_;
};

}  // namespace tidemark
