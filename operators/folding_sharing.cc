#include "tidemark/operators/folding_sharing.h"

#include <algorithm>
#include <array>

namespace tidemark {

FoldingSharing::FoldingSharing(const WindowSpec& window, const AggregateLayout& layout,
                               std::size_t parts, std::pmr::memory_resource& memory)
    : RunningSharing(layout, parts, memory),
      slicing_(window),
      loose_(layout, memory),
      loose_runs_(&memory) {}

FoldingSharing::~FoldingSharing() {
  layout_.release(loose_copies_.data(), loose_copies_.size() / layout_.entry_size());
}

void FoldingSharing::Folder::visit(const EntryRun& run) {
  const AggregateLayout& layout = sharing_.layout_;
  const std::size_t entry_size = layout.entry_size();
  std::array<std::byte*, kChunk> into;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    std::byte* entries = run.entries + from * entry_size;
    sharing_.prefetch(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      into[i] = sharing_.rows_.part(entry_header(entries + i * entry_size).slot, part_);
    }
    layout.fold(into.data(), entries, n);
    folded(entries, n);
  }
  sharing_.merges_ += run.size;
}

void FoldingSharing::restore(const EntryRun& run, std::size_t part, std::size_t stale) {
  const std::size_t entry_size = layout_.entry_size();
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    prefetch(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::byte* entry = entries + i * entry_size;
      const std::uint32_t slot = entry_header(entry).slot;
      layout_.assign(rows_.part(slot, part), entry);
      if (stale != kNone) rows_.reset(slot, stale);
      leave(slot);
    }
    entries_left(entries, n);
  }
  merges_ += run.size;
}

void FoldingSharing::add_loose(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::byte* entry = run.entries + i * layout_.entry_size();
    enter(entry_header(entry).slot);
    loose_.add(run.slice, entry);
  }
  loose_runs_.push_back(run.straggler);
  merges_ += run.size;
}

void FoldingSharing::expire_loose(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::uint32_t slot = entry_header(run.entries + i * layout_.entry_size()).slot;
    merges_ += loose_.expire(run.slice, slot);
    leave(slot);
  }
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
    layout_.merge(&copy, total, 1);
    states[i] = copy;
  }
}

}  // namespace tidemark
