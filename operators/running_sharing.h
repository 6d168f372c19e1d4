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
// changed keys are computed, just before they go out; if many do, those of all keys are.
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
  // One more live entry of a slot, whose running row changes.
  void enter(std::uint32_t slot);

  // A live slot's row has changed in some other way.
  void change(std::uint32_t slot) {
    if (keeps_results_) results_.mark(rows_.position(slot));
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
  // of their slots.
  template <typename Merge>
  void enter_all(const EntryRun& run, const Merge& merge) {
    std::array<std::byte*, kChunk> rows;
    for (std::size_t from = 0; from < run.size; from += kChunk) {
      const std::byte* entries = run.entries + from * layout_.entry_size();
      const std::size_t n = std::min(kChunk, run.size - from);
      enter_chunk(entries, {rows.data(), n});
      merge(rows.data(), entries, n);
    }
    merges_ += run.size;
  }

  const AggregateLayout& layout_;
  RunningRows rows_;
  std::uint64_t merges_ = 0;

 private:
  // Enters entries, and says which rows are theirs.
  void enter_chunk(const std::byte* entries, std::span<std::byte*> rows);
  // Computes the results of positions [from, to) that have changed.
  void refresh(std::size_t from, std::size_t to);
  void refresh(std::span<const std::uint32_t> positions);
  // Fetches what refresh() will need.
  void prefetch_changed(std::size_t from, std::size_t to) const;
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
  std::size_t emitted_ = 0;
};

}  // namespace tidemark
