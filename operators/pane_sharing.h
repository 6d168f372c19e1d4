// How the windows of one specification share the slices that they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/result_emitter.h"
#include "tidemark/operators/strategy.h"
#include "tidemark/operators/window_spec.h"

namespace tidemark {

class Pane;

// Sealed entries of one slice, contiguous in memory, each slot at most once. A slice may have
// several runs. A strategy may rewrite states in place, but not slots.
struct EntryRun {
  std::int64_t slice;
  std::byte* entries;
  std::size_t size;
  // What names a run of stragglers while it is held; its entries may move. Null for other runs.
  const Pane* straggler = nullptr;
};

// The sealed slices of the current window, walked by a strategy that needs them again.
class SealedSlices {
 public:
  class Visitor {
   public:
    virtual ~Visitor() = default;
    virtual void visit(const EntryRun& run) = 0;
  };
  virtual ~SealedSlices() = default;
  // All runs, oldest slice first; within a slice in the order in which expire() gets them.
  virtual void visit_forward(Visitor& visitor) = 0;
  // The same backwards, of all slices or those in [first, last]; the latter takes no longer when
  // there are more others.
  virtual void visit_backward(Visitor& visitor) = 0;
  virtual void visit_backward(std::int64_t first, std::int64_t last, Visitor& visitor) = 0;
};

// Called for one window after the other: what has come, then results until they are all out, then
// what leaves with the window's end. Not thread-safe.
class PaneSharing {
 public:
  virtual ~PaneSharing() = default;

  // Slots in use are below `slot_count` from now on.
  virtual void cover(std::size_t slot_count) = 0;

  // Window number `window` (see Slicing) is the next that will fire. Numbers rise, and may jump
  // while nothing is live. What leaves before it comes next, oldest slice first; `sealed` then
  // holds the run that leaves and all that stay, and at the end those that stay.
  virtual void begin_expiry(std::int64_t window) = 0;
  virtual void expire(const EntryRun& run, SealedSlices& sealed) = 0;
  virtual void end_expiry(SealedSlices& sealed) = 0;

  // A run of a slice that has just been sealed; newer than all before.
  virtual void seal(const EntryRun& run) = 0;
  // A run of stragglers for a slice that was sealed earlier and is still in the window.
  virtual void add_stragglers(const EntryRun& run) = 0;

  // The window is complete: get ready to emit it.
  virtual void begin_window(SealedSlices& sealed) = 0;
  // Emits the window's rows; false if the emitter had no room. Call again then.
  virtual bool emit(ResultEmitter& emitter) = 0;

  // See WindowState; between end_expiry() and what comes for the next window. The caller renumbers
  // the entries of `sealed` itself.
  virtual std::size_t most_live_keys() const = 0;
  virtual void mark_live(SealedSlices& sealed, LiveSlots& live) = 0;
  virtual void renumber(const SlotMap& map) = 0;

  // Whether the states of sealed entries may be rewritten in place: who needs them then has copies.
  virtual bool rewrites_entries() const { return true; }

  // No live entry.
  virtual bool empty() const = 0;
  // Number of merges, restores and subtractions of single entries so far.
  virtual std::uint64_t merges() const = 0;
};

// `strategy` is kRecompute, kSubtract, kTwoStacks or kWorstCase. For kSubtract the layout is an
// undoable one.
std::unique_ptr<PaneSharing> make_pane_sharing(Strategy strategy, const WindowSpec& window,
                                               const AggregateLayout& layout,
                                               std::pmr::memory_resource& memory);

}  // namespace tidemark
