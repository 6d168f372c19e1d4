// One state per window: every row updates all open windows that hold it.
#pragma once

#include <array>
#include <map>

#include "tidemark/operators/pane.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// Costs size / slide updates a row and nothing at firing: the naive baseline where windows overlap,
// and the best there is where they do not.
class BucketWindows final : public WindowState {
 public:
  BucketWindows(Slicing slicing, std::uint32_t specification, const AggregateLayout& layout,
                std::pmr::memory_resource& memory);

  void add(const RowChunk& rows, std::uint8_t* outcomes) override;
  void advance(EventTime watermark) override;
  bool fire(ResultEmitter& emitter) override;
  std::size_t live_entries() const override { return live_entries_; }
  std::size_t open_windows() const override { return buckets_.size(); }
  void mark_live(LiveSlots& live) override;
  void renumber(const SlotMap& map) override;

 private:
  void add_uniform(const RowChunk& rows, std::int64_t slice);
  void add_mixed(const RowChunk& rows, const std::uint8_t* outcomes);
  Pane* bucket(std::int64_t window, const RowChunk& rows);
  bool emit(ResultEmitter& emitter, std::int64_t window, const Pane& bucket);

  Slicing slicing_;
  std::uint32_t specification_;
  const AggregateLayout& layout_;
  PanePool pool_;
  std::map<std::int64_t, Pane*> buckets_;
  // Windows below this are closed.
  std::int64_t first_open_ = kNoWatermark;
  std::size_t live_entries_ = 0;
  // Rows of the firing bucket that are out already.
  std::size_t emitted_ = 0;
  // Takes the updates of rows that a pass leaves out, so that loops need no branch.
  std::vector<std::byte> discarded_;
  std::array<std::byte*, RowChunk::kRows> entries_;
};

}  // namespace tidemark
