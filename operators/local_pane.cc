#include "tidemark/operators/local_pane.h"

#include <algorithm>
#include <limits>

namespace tidemark {

namespace {
// An index starts afresh before its cells could wrap around.
constexpr std::uint32_t kHighestLocalBase = std::uint32_t{1} << 31;
}  // namespace

// One entry more than there are slots: where the next new one would be.
LocalPane::LocalPane(const AggregateLayout& layout, const Schema& keys, std::size_t slots)
    : layout_(layout), batch_(keys, slots + 1), index_(slots, 0), first_rows_(kRun + 1) {}

void LocalPane::open(std::int64_t slice, std::uint64_t row) {
  slice_ = slice;
  opened_at_ = row;
  index_base_ += static_cast<std::uint32_t>(size());
  if (index_base_ > kHighestLocalBase) {
    std::fill(index_.begin(), index_.end(), 0);
    index_base_ = 1;
  }
  common_valid_ = std::numeric_limits<std::uint32_t>::max();
  batch_.clear();
  batch_.use_states(layout_.entry_size());
}

// Whether a row is the first of its key is as good as random, so the loop has no branch on it:
// every row writes what a new entry begins with behind the last one, and that stands if the row is
// the first of its key. Entries are written through bytes, which may alias anything: what the loop
// needs is in locals.
void LocalPane::find_or_add(const Rows& rows, std::span<const std::uint32_t> slots,
                            std::uint32_t valid, std::byte** entries) {
  const std::size_t entry_size = layout_.entry_size();
  std::byte* const first_entry = batch_.states(0);
  std::uint32_t* const index = index_.data();
  std::uint16_t* const first_rows = first_rows_.data();
  const std::uint16_t* const offsets = rows.offsets.data();
  const std::uint32_t base = index_base_;
  const std::size_t n = slots.size();
  const auto before = static_cast<std::uint32_t>(size());
  std::uint32_t size = before;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t slot = slots[i];
    const std::uint32_t known = index[slot] - base;
    const bool is_known = known < size;
    entry_header(first_entry + size * entry_size) = {0, valid};
    first_rows[size - before] = static_cast<std::uint16_t>(rows.begin + offsets[i]);
    // By a mask: a choice of two becomes a branch.
    const std::uint32_t place =
        size ^ ((known ^ size) & (0 - static_cast<std::uint32_t>(is_known)));
    index[slot] = base + place;
    std::byte* const entry = first_entry + place * entry_size;
    ++entry_header(entry).slot;
    entries[i] = entry;
    size += static_cast<std::uint32_t>(!is_known);
  }
  if (size > before) add_new(rows.batch, size);
  if ((valid & ~common_valid_) != 0) {
    for (std::size_t i = 0; i < n; ++i) entry_header(entries[i]).valid |= valid;
  }
  common_valid_ &= valid;
}

// Gives entries [size(), size) their keys, times and initial states.
void LocalPane::add_new(const Batch& rows, std::size_t size) {
  const std::size_t before = this->size();
  const std::span<const std::uint16_t> which{first_rows_.data(), size - before};
  for (std::size_t i = 0; i < which.size(); ++i) {
    batch_.times()[before + i] = rows.times()[which[i]];
    batch_.hashes()[before + i] = rows.hashes()[which[i]];
  }
  for (std::size_t i = 0; i < batch_.column_count(); ++i) {
    batch_.column(i).copy_selected(before, rows.column(i), which);
  }
  batch_.set_size(size);
  const std::byte* const initial = layout_.initial_entry().data() + sizeof(EntryHeader);
  for (std::size_t entry = before; entry < size; ++entry) {
    copy_entry(batch_.states(entry) + sizeof(EntryHeader), initial,
               layout_.entry_size() - sizeof(EntryHeader));
  }
}

}  // namespace tidemark
