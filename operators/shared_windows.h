// Windows of several specifications over one set of slices: every row updates one slice, however
// many windows there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "tidemark/operators/base_intervals.h"
#include "tidemark/operators/pane.h"
#include "tidemark/operators/slice_edges.h"
#include "tidemark/operators/window_families.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// Whether the windows of a query may share one set of slices: not if windows that have fired are
// kept for late rows, nor if states refer to memory of their own or must be merged from old to new.
bool can_share_one_set_of_slices(const WindowQuery& query);
// Whether its states come out the same, bit for bit, whichever are merged first.
bool merges_in_any_grouping(const WindowQuery& query);

// Slices lie between neighbouring edges of all the windows, and exist where rows do. A slice is
// open until a window that ends behind it fires; it is then sealed, and windows are added up from
// sealed slices by base intervals: about log2(slices) merges per result. Windows that always end
// together (same slide, same ends) are one family, and each goes on from the sum of the next
// shorter one. Families that are due come from a heap, so what fires nothing costs nothing.
//
// A row behind the watermark that still finds an open window reopens its slice.
class SharedWindows final : public WindowState {
 public:
  struct Specification {
    Slicing slicing;
    std::uint32_t number;  // in the query
  };

  // All specifications are of one zone; `clock` is its clock, null for UTC. `any_grouping`: see
  // BaseIntervals.
  SharedWindows(const std::vector<Specification>& specifications,
                std::shared_ptr<const ZoneClock> clock, const AggregateLayout& layout,
                bool any_grouping, std::pmr::memory_resource& memory);

  void add(const RowChunk& rows, std::uint8_t* outcomes) override;
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
  struct OpenSlice {
    std::int64_t end = 0;
    Pane* pane = nullptr;
  };

  // What rows of one slice have in common. Instants in [begin, end) all lie in it.
  struct RowSlice {
    EventTime begin = 0;
    EventTime end = 0;
    SliceEdges::Slice local{};
    RowOutcome outcome = kInNoWindow;
  };

  struct PaneUse {
    Pane* pane = nullptr;
    bool sealed = false;
  };

  void add_mixed(const RowChunk& rows, std::uint8_t* outcomes);
  // Makes slice_ the one that holds `time`.
  void find_slice(EventTime time);
  void find_no_slice(EventTime time, std::int64_t local);
  SliceEdges::Slice slice_of(std::int64_t local);
  PaneUse pane_of(const RowSlice& slice, const RowChunk& rows);
  void count_added(const PaneUse& use, std::size_t size_before);

  // Goes on to the next family that is due and has rows; false if there is none.
  bool find_family();
  std::optional<std::int64_t> first_slice_from(std::int64_t from) const;
  void seal_before(std::int64_t end);
  // Lets go of slices that no open window holds.
  void drop_closed();
  template <typename Phases>
  bool fire_due(ResultEmitter& emitter, Phases& phases);
  bool fire_family(ResultEmitter& emitter);
  std::size_t open_windows(const Slicing& slicing, std::int64_t first_open) const;

  std::shared_ptr<const ZoneClock> clock_;
  const AggregateLayout& layout_;
  WindowFamilies families_;
  SliceEdges edges_;
  PanePool pool_;
  BaseIntervals sealed_;
  std::pmr::unsynchronized_pool_resource nodes_;          // of the map, used again
  std::pmr::map<std::int64_t, OpenSlice> open_{&nodes_};  // by begin
  std::size_t open_entries_ = 0;
  // Slices that begin before this are sealed.
  std::int64_t sealed_before_ = kNoWatermark;
  std::int64_t dropped_before_ = kNoWatermark;

  RowSlice slice_;              // of the last row
  bool slice_is_stale_ = true;  // the watermark has risen since
  double windows_per_ms_ = 0;   // that end, of all specifications
  ZoneClock::Period period_;    // of the zone, around the last row

  // Of the watermark; windows with end - 1 up to this are due.
  std::int64_t local_watermark_ = kNoWatermark;

  // The first due family fires: the member whose results are going out, and how far they are.
  bool firing_ = false;
  std::size_t member_ = 0;
  bool summed_ = false;
  std::size_t emitted_ = 0;
  std::int64_t summed_from_ = 0;
  Pane sum_;

  std::size_t slot_count_ = 0;
  std::vector<std::byte> discarded_;
  std::array<std::byte*, RowChunk::kRows> entries_;
};

}  // namespace tidemark
