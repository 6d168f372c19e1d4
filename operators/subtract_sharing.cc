#include "tidemark/operators/subtract_sharing.h"

#include <algorithm>
#include <array>

#include "tidemark/operators/slicing.h"

namespace tidemark {

SubtractSharing::SubtractSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : RunningSharing(layout, 1, memory),
      all_valid_(static_cast<std::uint32_t>((std::uint64_t{1} << layout.value_columns()) - 1)),
      absent_(&memory),
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
      std::byte* const row = sharing_.rows_.part(slot, 0);
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
    rows_.reset(slot, 0);
    change(slot);
  }
  if (worn_.empty()) return;
  Rebuilder rebuilder(*this);
  sealed.visit_forward(rebuilder);
  worn_.clear();
}

void SubtractSharing::cover(std::size_t slot_count) {
  RunningSharing::cover(slot_count);
  absent_.resize(std::max(absent_.size(), slot_count * layout_.value_columns()), 0);
}

void SubtractSharing::count_absent(const EntryRun& run, int change) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const EntryHeader& header = entry_header(run.entries + i * layout_.entry_size());
    if (header.valid == all_valid_) continue;
    any_absent_ = true;
    for (std::size_t column = 0; column < layout_.value_columns(); ++column) {
      if ((header.valid >> column & 1U) == 0) {
        absent(header.slot)[column] += static_cast<std::uint32_t>(change);
      }
    }
  }
}

void SubtractSharing::renew_valid_bits(std::uint32_t slot) {
  std::uint32_t valid = 0;
  for (std::size_t column = 0; column < layout_.value_columns(); ++column) {
    if (absent(slot)[column] < rows_.live_entries(slot)) valid |= 1U << column;
  }
  entry_header(rows_.part(slot, 0)).valid = valid;
}

void SubtractSharing::seal(const EntryRun& run) {
  merge_into(0, run);
  count_absent(run, 1);
}

void SubtractSharing::expire(const EntryRun& run, SealedSlices& /*sealed*/) {
  const std::size_t entry_size = layout_.entry_size();
  const bool wears = !layout_.exactly_invertible();
  count_absent(run, -1);
  std::array<std::byte*, kChunk> into;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    prefetch(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      into[i] = rows_.part(entry_header(entries + i * entry_size).slot, 0);
    }
    layout_.subtract(into.data(), entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slot = entry_header(into[i]).slot;
      if (wears && layout_.worn(into[i])) worn_.push_back(slot);
      leave(slot);
      if (any_absent_ && rows_.live_entries(slot) > 0) renew_valid_bits(slot);
    }
    entries_left(entries, n);
  }
  merges_ += run.size;
}

void SubtractSharing::renumber(const SlotMap& map) {
  RunningSharing::renumber(map);
  const std::size_t columns = layout_.value_columns();
  if (columns == 0) return;
  std::size_t kept = 0;
  map.for_each_below(absent_.size() / columns, [&](std::uint32_t from, std::uint32_t to) {
    std::copy_n(absent(from), columns, absent(to));
    kept = (std::size_t{to} + 1) * columns;
  });
  absent_.resize(kept);
  absent_.shrink_to_fit();
}

bool SubtractSharing::result_states(std::span<const std::uint32_t> slots, const std::byte** a,
                                    const std::byte** /*b*/) {
  for (std::size_t i = 0; i < slots.size(); ++i) a[i] = rows_.part(slots[i], 0);
  return false;
}

}  // namespace tidemark
