#include "tidemark/operators/subtract_sharing.h"

#include <algorithm>
#include <array>

#include "tidemark/operators/slicing.h"

namespace tidemark {

SubtractSharing::SubtractSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : RunningSharing(layout, 1, memory),
      absent_(layout, memory),
      worn_(&memory),
      is_worn_(&memory) {}

// Merges the live entries of worn rows again, from old to new.
class SubtractSharing::Rebuilder final : public SealedSlices::Visitor {
 public:
  explicit Rebuilder(SubtractSharing& sharing) : sharing_(sharing) {}

  void visit(const EntryRun& run) override {
    const std::size_t entry_size = sharing_.layout_.entry_size();
    for (std::size_t i = 0; i < run.size; ++i) {
      const std::byte* const entry = run.entries + i * entry_size;
      const std::uint32_t slot = entry_header(entry).slot;
      if (slot >= sharing_.is_worn_.size() || !sharing_.is_worn_[slot]) continue;
      std::byte* const row = sharing_.rows_.row(slot);
      sharing_.layout_.merge(&row, entry, 1);
      ++sharing_.merges_;
    }
  }

 private:
  SubtractSharing& sharing_;
};

void SubtractSharing::begin_expiry(std::int64_t window) {
  const std::int64_t stretch = floor_div(window, kRebuildWindows);
  rebuild_all_ = !layout_.exactly_invertible() && stretch_ && *stretch_ != stretch;
  stretch_ = stretch;
}

void SubtractSharing::end_expiry(SealedSlices& sealed) {
  if (rebuild_all_) worn_.assign(rows_.live().begin(), rows_.live().end());
  if (!worn_.empty()) rebuild(sealed);
}

void SubtractSharing::rebuild(SealedSlices& sealed) {
  std::erase_if(worn_, [this](std::uint32_t slot) { return rows_.live_entries(slot) == 0; });
  is_worn_.clear();
  for (const std::uint32_t slot : worn_) {
    if (slot >= is_worn_.size()) is_worn_.resize(slot + 1, false);
    is_worn_[slot] = true;
    rows_.reset(slot);
    change(slot);
  }
  if (worn_.empty()) return;
  Rebuilder rebuilder(*this);
  sealed.visit_forward(rebuilder);
  worn_.clear();
}

void SubtractSharing::cover(std::size_t slot_count) {
  RunningSharing::cover(slot_count);
  absent_.cover(slot_count);
}

void SubtractSharing::seal(const EntryRun& run) {
  enter_all(run, [this](std::byte* const* rows, const std::byte* entries, std::size_t n) {
    layout_.merge(rows, entries, n);
    absent_.entered(entries, n);
  });
}

void SubtractSharing::expire(const EntryRun& run, SealedSlices& /*sealed*/) {
  const std::size_t entry_size = layout_.entry_size();
  const bool wears = !layout_.exactly_invertible();
  std::array<std::byte*, kChunk> rows;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    prefetch(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = rows_.row(entry_header(entries + i * entry_size).slot);
    }
    layout_.subtract(rows.data(), entries, n);
    absent_.left(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slot = entry_header(entries + i * entry_size).slot;
      if (wears && layout_.worn(rows[i])) worn_.push_back(slot);
      leave(slot);
    }
    absent_.renew(entries, n, rows_);
  }
  merges_ += run.size;
}

void SubtractSharing::renumber(const SlotMap& map) {
  RunningSharing::renumber(map);
  absent_.renumber(map);
}

}  // namespace tidemark
