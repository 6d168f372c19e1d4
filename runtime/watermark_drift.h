// Holds back sources that run too far ahead of the slowest one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tidemark/runtime/parker.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Without a limit, a source that gets more of the machine than its siblings fills the window stages
// with rows that cannot be completed yet. It throttles reading only: which rows are late may
// change, as with any other timing of several sources, but nothing is lost. Sources that are idle
// or have ended hold nobody back. Each source calls for itself, from any thread.
class WatermarkDrift {
 public:
  // `limit` in ms, not negative; `parkers[i]` is where source i waits.
  WatermarkDrift(std::int64_t limit, std::vector<Parker*> parkers);

  // Source `source` is at `watermark`; kEndOfTime when it is idle or has ended.
  void publish(std::size_t source, EventTime watermark);

  // Whether `source` may read on. If not, it is unparked when that has changed.
  bool may_read(std::size_t source);

 private:
  struct alignas(64) Source {
    std::atomic<EventTime> watermark{kNoWatermark};
    std::atomic<bool> waiting{false};
    Parker* parker = nullptr;
  };

  bool within_limit(std::size_t source) const;

  std::int64_t limit_;
  std::size_t count_;
  std::unique_ptr<Source[]> sources_;
};

}  // namespace tidemark
