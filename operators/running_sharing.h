// What strategies with a running state per key have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "tidemark/operators/live_results.h"
#include "tidemark/operators/pane_sharing.h"
#include "tidemark/operators/running_rows.h"

namespace tidemark {

// Keeps the list of live keys and their running rows. Results are made in one of two ways, chosen
// by how many entries come and leave between windows: if few do, results are kept and only those of
// touched keys are refreshed; if many do, they are computed for all keys while they are emitted.
class RunningSharing : public PaneSharing {
 public:
  RunningSharing(const AggregateLayout& layout, std::size_t parts,
                 std::pmr::memory_resource& memory);

  void cover(std::size_t slot_count) override { rows_.cover(slot_count); }
  void begin_window(SealedSlices& sealed) override;
  bool emit(ResultEmitter& emitter) override;
  std::size_t most_live_keys() const override { return rows_.live().size(); }
  void mark_live(SealedSlices& sealed, LiveSlots& live) override;
  void renumber(const SlotMap& map) override;
  bool empty() const override { return rows_.live().empty(); }
  std::uint64_t merges() const override { return merges_; }

 protected:
  static constexpr std::size_t kChunk = LiveResults::kRows;
  // The rows of this many keys stay in the cache from one step of a window to the next.
  static constexpr std::size_t kCachedKeys = 16384;

  // The rows of up to kChunk slots, as result_states() needs them.
  virtual void find_rows(std::span<const std::uint32_t> slots, std::byte** rows) {
    for (std::size_t i = 0; i < slots.size(); ++i) rows[i] = rows_.row(slots[i]);
  }
  // Points a[i] and b[i] to the states that make up the result of slots[i], whose row is rows[i];
  // at most kChunk. Returns whether there is a second part.
  virtual bool result_states(std::span<const std::uint32_t> slots, std::byte* const* rows,
                             const std::byte** a, const std::byte** b) {
    (void)b;
    std::copy_n(rows, slots.size(), a);
    return false;
  }

  // One less live entry of a slot, whose running row has changed.
  void leave(std::uint32_t slot);
  // After leave() for up to kChunk entries: with many keys their results are refreshed now, while
  // their rows are at hand.
  void entries_left(const std::byte* entries, std::size_t n);
  // One more live entry of a slot, whose running row changes.
  void enter(std::uint32_t slot);

  // A live slot's row has changed in some other way.
  void change(std::uint32_t slot) {
    if (keeps_results_ && rows_.touch(slot)) touched_.push_back(slot);
  }

  // Fetches the rows of entries that are about to be merged or taken out.
  void prefetch(const std::byte* entries, std::size_t n) const {
    if (rows_.live().size() <= kCachedKeys) return;
    for (std::size_t i = 0; i < n; ++i) {
      rows_.prefetch(entry_header(entries + i * layout_.entry_size()).slot);
    }
  }
  // The same where no entry comes or leaves.
  void prefetch_rows(const std::byte* entries, std::size_t n) const {
    if (rows_.live().size() <= kCachedKeys) return;
    for (std::size_t i = 0; i < n; ++i) {
      rows_.prefetch_row(entry_header(entries + i * layout_.entry_size()).slot);
    }
  }

  // Enters entries, and calls merge(rows, entries, n) to merge up to kChunk of them into the rows
  // of their slots, which are then as result_states() needs them.
  template <typename Merge>
  void enter_all(const EntryRun& run, const Merge& merge) {
    Changed changed;
    for (std::size_t from = 0; from < run.size; from += kChunk) {
      const std::byte* entries = run.entries + from * layout_.entry_size();
      changed.size = std::min(kChunk, run.size - from);
      enter_chunk(entries, changed);
      merge(changed.rows.data(), entries, changed.size);
      if (keeps_results_) refresh(changed);
    }
    changes_ += run.size;
    merges_ += run.size;
  }

  const AggregateLayout& layout_;
  RunningRows rows_;
  std::uint64_t merges_ = 0;

 private:
  // Live keys whose results are to be refreshed.
  struct Changed {
    std::array<std::uint32_t, kChunk> slots;
    std::array<std::byte*, kChunk> rows;
    std::array<std::uint32_t, kChunk> positions;  // of their results, where these are kept
    std::size_t size = 0;
  };
  // Enters changed.size entries.
  void enter_chunk(const std::byte* entries, Changed& changed);
  void refresh(const Changed& changed);
  // Refreshes the results of `slots` that are live and clears their marks; at most kChunk.
  void refresh(std::span<const std::uint32_t> slots);
  void refresh_touched();
  void choose_way();
  bool emit_computed(ResultEmitter& emitter);
  bool emit_kept(ResultEmitter& emitter);

  LiveResults results_;
  bool keeps_results_ = false;
  // Memory of kept results is let go of when none have been kept for so many windows: where all
  // keys leave together now and then, it is soon needed again.
  static constexpr std::size_t kForgotten = 64;
  std::size_t windows_computed_ = 0;
  std::size_t changes_ = 0;  // entries that have come or left since the last window
  std::pmr::vector<std::uint32_t> touched_;
  std::size_t emitted_ = 0;
};

}  // namespace tidemark
