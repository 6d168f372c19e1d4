// Overlapping windows that share slices: every row updates one slice, whatever size and slide are.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <utility>

#include "tidemark/operators/kept_slices.h"
#include "tidemark/operators/late_firings.h"
#include "tidemark/operators/late_merge.h"
#include "tidemark/operators/late_rows.h"
#include "tidemark/operators/pane.h"
#include "tidemark/operators/pane_log.h"
#include "tidemark/operators/pane_sharing.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// A slice is open until the first window that holds it fires, so disorder inside the watermark
// delay costs nothing. It is then sealed: packed into the log and handed to the sharing strategy. A
// row that comes later, but still finds an open window, is a straggler: it goes into a pane of its
// own beside its sealed slice. Work per firing does not depend on size / slide, except as the
// strategy says, nor on stretches of time without rows.
//
// With allowed lateness sealed slices are kept that much longer. A row for one of them fires those
// windows again that hold it and have fired, at once; rows in time cost what they cost without.
class SlicedWindows final : public WindowState {
 public:
  SlicedWindows(Slicing slicing, std::uint32_t specification, const AggregateLayout& layout,
                std::unique_ptr<PaneSharing> sharing, std::pmr::memory_resource& memory,
                std::unique_ptr<LateFirings> late_firings = nullptr);

  void add(const RowChunk& rows, std::uint8_t* outcomes) override;
  void add_partials(const RowChunk& partials) override;
  void advance(EventTime watermark) override;
  bool fire(ResultEmitter& emitter) override;
  bool fire_in_phases(ResultEmitter& emitter, PhaseClock& phases) override;
  EventTime firing_limit(std::size_t results) const override;
  std::size_t live_entries() const override;
  void count_entries(std::span<std::uint64_t> counts) override;
  std::size_t open_windows() const override;
  std::size_t most_live_keys() const override;
  void mark_live(LiveSlots& live) override;
  void renumber(const SlotMap& map) override;

 private:
  struct Segment {
    std::int64_t slice;
    std::uint64_t begin;
    std::uint64_t end;
  };
  using Panes = std::pmr::map<std::int64_t, Pane*>;

  // What late rows need. Only with allowed lateness.
  struct Late {
    Late(const Slicing& slicing, const AggregateLayout& layout, PaneLog* shared_log,
         std::unique_ptr<LateFirings> late_firings, std::pmr::memory_resource& memory)
        : kept(layout, shared_log, memory),
          rows(layout, memory),
          merge(slicing, layout, memory),
          firings(std::move(late_firings)) {}
    KeptSlices kept;
    LateRows rows;
    LateMerge merge;
    std::unique_ptr<LateFirings> firings;
  };

  Pane* pane_of(std::int64_t slice, const RowChunk& rows);
  bool is_late(std::int64_t slice) const { return late_ != nullptr && slice <= sealed_through_; }
  void add_late(std::int64_t slice, const RowChunk& rows, std::size_t row);
  template <typename Phases>
  bool fire_due(ResultEmitter& emitter, Phases& phases);
  bool fire_late_rows(ResultEmitter& emitter);
  // Lets go of what is only kept for windows that are closed by now.
  void drop_closed();
  // Slices before this one are in no window that has still to fire.
  std::int64_t first_running_slice() const;
  // The first window that has not fired and can hold rows; kEndOfTime if there is none.
  std::int64_t next_with_rows() const;
  // Goes on to the next due window that can hold rows; false if there is none.
  bool find_window();
  void enter_window();
  void expire();
  void seal_through(std::int64_t slice);
  void take_stragglers();
  std::size_t unsealed_entries() const;

  Slicing slicing_;
  std::uint32_t specification_;
  const AggregateLayout& layout_;
  PanePool pool_;
  PaneLog log_;
  std::unique_ptr<PaneSharing> sharing_;

  // Slices come and go: their nodes are used again.
  std::pmr::unsynchronized_pool_resource nodes_;
  Panes open_{&nodes_};
  // Rows for sealed slices since the last firing, and those taken in at earlier ones.
  Panes stragglers_{&nodes_};
  std::pmr::multimap<std::int64_t, Pane*> sealed_stragglers_{&nodes_};
  std::size_t straggler_entries_ = 0;
  std::pmr::deque<Segment> segments_{&nodes_};

  std::unique_ptr<Late> late_;

  // The window that fires next; those before it have fired.
  std::int64_t next_window_ = kNoWatermark;
  // Windows below this are due.
  std::int64_t first_open_ = kNoWatermark;
  // Windows below this are closed: no row enters them.
  std::int64_t first_kept_ = kNoWatermark;
  // Slices up to this one are sealed.
  std::int64_t sealed_through_ = kNoWatermark;
  // Rows have come since live entries were noted.
  bool rows_to_note_ = false;
  // The next window's slices are taken in and its results are going out.
  bool emitting_ = false;
  std::size_t slot_count_ = 0;
  std::vector<std::byte> discarded_;
  std::array<std::byte*, RowChunk::kRows> entries_;
};

}  // namespace tidemark
