// One state per window: every row updates all open windows that hold it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <memory_resource>

#include "tidemark/operators/late_firings.h"
#include "tidemark/operators/late_rows.h"
#include "tidemark/operators/pane.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// Costs size / slide updates a row and nothing at firing: the naive baseline where windows overlap,
// and the best there is where they do not. With allowed lateness windows that have fired are kept
// that much longer, and a row for one of them fires it again for its key, at once.
class BucketWindows final : public WindowState {
 public:
  BucketWindows(Slicing slicing, std::uint32_t specification, const AggregateLayout& layout,
                std::pmr::memory_resource& memory,
                std::unique_ptr<LateFirings> late_firings = nullptr);

  void add(const RowChunk& rows, std::uint8_t* outcomes) override;
  void add_partials(const RowChunk& partials) override;
  void advance(EventTime watermark) override;
  bool fire(ResultEmitter& emitter) override;
  bool fire_in_phases(ResultEmitter& emitter, PhaseClock& phases) override;
  std::size_t live_entries() const override { return live_entries_; }
  void count_entries(std::span<std::uint64_t> counts) override;
  std::size_t open_windows() const override;
  void mark_live(LiveSlots& live) override;
  void renumber(const SlotMap& map) override;

 private:
  // Rows of the slice have windows that have fired and are kept.
  bool is_late(std::int64_t slice) const {
    return first_kept_ < first_open_ && slicing_.first_window(slice) < first_open_;
  }
  void add_late(std::int64_t slice, const RowChunk& rows, std::size_t row);
  void add_uniform(const RowChunk& rows, std::int64_t slice);
  void add_mixed(const RowChunk& rows, const std::uint8_t* outcomes);
  Pane* bucket(std::int64_t window, const RowChunk& rows);
  // The entry of a row, which is one more update of it.
  std::byte* entry_in(Pane* pane, const RowChunk& rows, std::size_t row);
  template <typename Phases>
  bool fire_due(ResultEmitter& emitter, Phases& phases);
  bool fire_late_rows(ResultEmitter& emitter);
  // Adds a late row, as an entry, to a window that has fired, which it fires again.
  void fire_late(std::int64_t window, const std::byte* content);
  bool emit(ResultEmitter& emitter, std::int64_t window, const Pane& bucket);
  // Lets go of closed windows.
  void drop_closed();

  Slicing slicing_;
  std::uint32_t specification_;
  const AggregateLayout& layout_;
  PanePool pool_;
  // Windows come and go: their nodes are used again.
  std::pmr::unsynchronized_pool_resource nodes_;
  std::pmr::map<std::int64_t, Pane*> buckets_{&nodes_};
  // Windows below this have fired or are due.
  std::int64_t first_open_ = kNoWatermark;
  // Windows below this have fired.
  std::int64_t next_window_ = kNoWatermark;
  // Windows below this are closed.
  std::int64_t first_kept_ = kNoWatermark;
  std::size_t live_entries_ = 0;
  // Rows of the firing bucket that are out already.
  std::size_t emitted_ = 0;
  // Takes the updates of rows that a pass leaves out, so that loops need no branch.
  std::vector<std::byte> discarded_;
  std::array<std::byte*, RowChunk::kRows> entries_;

  // Null without allowed lateness.
  std::unique_ptr<LateFirings> late_firings_;
  LateRows late_rows_;
  std::size_t slot_count_ = 0;
  std::uint64_t late_stamp_ = 0;
  std::vector<std::byte> before_;
};

}  // namespace tidemark
