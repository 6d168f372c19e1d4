#include "tidemark/operators/folding_sharing.h"

#include <algorithm>
#include <array>

namespace tidemark {

FoldingSharing::FoldingSharing(const WindowSpec& window, const AggregateLayout& layout,
                               std::size_t parts, std::pmr::memory_resource& memory)
    : RunningSharing(layout, parts, memory),
      slicing_(window),
      absent_(layout, memory),
      loose_(layout, memory),
      loose_runs_(&memory) {}

FoldingSharing::~FoldingSharing() {
  layout_.release(loose_copies_.data(), loose_copies_.size() / layout_.entry_size());
}

void FoldingSharing::cover(std::size_t slot_count) {
  RunningSharing::cover(slot_count);
  absent_.cover(slot_count);
}

// Entries bring their rows up to date in each generation that they live in, so the parts of a row
// that is further behind hold nothing.
void FoldingSharing::catch_up(std::byte* row) {
  constexpr std::uint32_t kMost = 2;
  const std::uint32_t behind = std::min(generation_ - RunningRows::tag(row), kMost);
  for (std::uint32_t i = 0; i < behind; ++i) change_places(row);
  RunningRows::tag(row) = generation_;
}

void FoldingSharing::merge_into(std::size_t part, std::size_t second, const EntryRun& run) {
  enter_all(run, [&](std::byte* const* rows, const std::byte* entries, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) bring_up_to_date(rows[i]);
    layout_.merge_undone(rows, entries, n);
    layout_.merge_part(rows, part, entries, n);
    if (second != part) layout_.merge_part(rows, second, entries, n);
    absent_.entered(entries, n);
  });
  if (second != part) merges_ += run.size;
}

void FoldingSharing::Folder::visit(const EntryRun& run) {
  const AggregateLayout& layout = sharing_.layout_;
  const std::size_t entry_size = layout.entry_size();
  std::array<std::byte*, kChunk> rows;
  sharing_.merges_ += run.size;
  if (layout.other_size() == 0) return;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    std::byte* entries = run.entries + from * entry_size;
    sharing_.prefetch_rows(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = sharing_.row(entry_header(entries + i * entry_size).slot);
    }
    layout.fold_part(rows.data(), part_, entries, n);
  }
}

void FoldingSharing::restore(const EntryRun& run) {
  const std::size_t entry_size = layout_.entry_size();
  std::array<std::byte*, kChunk> rows;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    prefetch(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = row(entry_header(entries + i * entry_size).slot);
    }
    layout_.subtract_undone(rows.data(), entries, n);
    layout_.restore_part(rows.data(), kFront, entries, n);
    absent_.left(entries, n);
    for (std::size_t i = 0; i < n; ++i) leave(entry_header(entries + i * entry_size).slot);
    absent_.renew(entries, n, rows_);
  }
  merges_ += run.size;
}

void FoldingSharing::add_loose(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::byte* entry = run.entries + i * layout_.entry_size();
    const std::uint32_t slot = entry_header(entry).slot;
    enter(slot);
    std::byte* const to = row(slot);
    layout_.merge_undone(&to, entry, 1);
    loose_.add(run.slice, entry);
  }
  absent_.entered(run.entries, run.size);
  loose_runs_.push_back(run.straggler);
  merges_ += run.size;
}

void FoldingSharing::expire_loose(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::byte* entry = run.entries + i * layout_.entry_size();
    const std::uint32_t slot = entry_header(entry).slot;
    std::byte* const from = row(slot);
    layout_.subtract_undone(&from, entry, 1);
    merges_ += loose_.expire(run.slice, slot);
    leave(slot);
  }
  absent_.left(run.entries, run.size);
  absent_.renew(run.entries, run.size, rows_);
  std::erase(loose_runs_, run.straggler);
}

void FoldingSharing::forget_loose() {
  loose_.clear();
  loose_runs_.clear();
}

void FoldingSharing::states_are_regrouped() {
  if (layout_.exactly_associative()) return;
  for (const std::uint32_t slot : rows_.live()) change(slot);
}

void FoldingSharing::renumber(const SlotMap& map) {
  RunningSharing::renumber(map);
  absent_.renumber(map);
  loose_.renumber(map);
}

bool FoldingSharing::is_loose(const EntryRun& run) const {
  return run.straggler != nullptr &&
         std::find(loose_runs_.begin(), loose_runs_.end(), run.straggler) != loose_runs_.end();
}

void FoldingSharing::include_loose(std::span<const std::uint32_t> slots, const std::byte** states) {
  if (loose_.empty()) return;
  const std::size_t entry_size = layout_.entry_size();
  loose_copies_.resize(kChunk * entry_size);  // of no handles
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::byte* total = loose_.total(slots[i]);
    if (total == nullptr) continue;
    std::byte* copy = loose_copies_.data() + i * entry_size;
    layout_.assign(copy, states[i]);
    layout_.merge_part(&copy, 0, total, 1);
    states[i] = copy;
  }
}

}  // namespace tidemark
