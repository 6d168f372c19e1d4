// Results of single windows on their way to the emitter, which may have no room for them yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/firing.h"
#include "tidemark/operators/result_emitter.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Keeps copies of what fired, in order. Bounded by whoever fires: no row is added before all is
// out. Not thread-safe.
class FiringOutput {
 public:
  FiringOutput(std::uint32_t specification, const AggregateLayout& layout,
               std::pmr::memory_resource& memory)
      : specification_(specification), layout_(layout), firings_(&memory), contents_(&memory) {}
  ~FiringOutput() { release_contents(); }
  FiringOutput(const FiringOutput&) = delete;
  FiringOutput& operator=(const FiringOutput&) = delete;

  // `content` is an entry.
  void add(EventTime start, EventTime end, const std::byte* content, const PaneInfo& pane);
  bool empty() const { return firings_.empty(); }
  // False: the emitter had no room; call again.
  bool drain(ResultEmitter& emitter);

 private:
  struct Firing {
    EventTime start;
    EventTime end;
    PaneInfo pane;
  };

  void release_contents() { layout_.release(contents_.data(), firings_.size()); }

  std::uint32_t specification_;
  const AggregateLayout& layout_;
  std::pmr::vector<Firing> firings_;
  std::pmr::vector<std::byte> contents_;
  std::size_t next_ = 0;
};

}  // namespace tidemark
