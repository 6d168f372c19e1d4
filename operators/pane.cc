#include "tidemark/operators/pane.h"

#include <algorithm>
#include <bit>

namespace tidemark {

namespace {
constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};
// Up to this many keys a dense index costs next to nothing.
constexpr std::size_t kAlwaysDense = 4096;
// A dense index pays while at least one key in this many is in the pane.
constexpr std::size_t kDenseShare = 16;
// Memory beyond this many times what is needed is given back, unless it is next to nothing.
constexpr std::size_t kSlack = 4;
// As many as a chunk of rows makes room for, whatever comes of them.
constexpr std::size_t kFewEntries = 128;
// A dense index starts afresh before its cells could wrap around: a pane has fewer entries.
constexpr std::uint32_t kHighestBase = std::uint32_t{1} << 31;

// Grows to 2^n or 3 * 2^n elements, so that what a pane takes depends on how much was in it, and
// not on the way there.
template <typename Vector>
void grow(Vector& vector, std::size_t needed) {
  constexpr std::size_t kSmallest = 64;
  const std::size_t unit = std::max(std::bit_floor(needed) / 2, kSmallest);
  const std::size_t size = (needed + unit - 1) / unit * unit;
  vector.reserve(size);
  vector.resize(size);
}
}  // namespace

Pane::Pane(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : layout_(layout), entry_size_(layout.entry_size()), entries_(&memory), index_(&memory) {}

void Pane::prepare(std::uint64_t stamp, std::size_t rows, std::size_t slot_count) {
  if (stamp == stamp_) return;
  stamp_ = stamp;
  slot_count_ = slot_count;
  const std::size_t needed = (size_ + rows) * entry_size_;
  if (needed > entries_.size()) grow(entries_, needed);
  if (slot_count <= std::max(kAlwaysDense, size_ * kDenseShare)) {
    use_dense(slot_count);
  } else if (!dense_ || index_.size() < slot_count) {
    use_hash(size_ + rows);
  }
}

void Pane::use_dense(std::size_t slot_count) {
  if (dense_ && index_.size() >= slot_count) return;
  if (index_.size() < slot_count) grow(index_, slot_count);
  if (dense_) return;
  dense_ = true;
  forget_index();
  fill_index();
}

void Pane::forget_index() {
  std::fill(index_.begin(), index_.end(), std::uint32_t{0});
  index_base_ = 1;
}

void Pane::use_hash(std::size_t entries) {
  const std::size_t cells = std::bit_ceil(std::max<std::size_t>(entries * 2, 64));
  if (!dense_ && index_.size() >= cells) return;
  dense_ = false;
  index_.assign(cells, kNoEntry);
  hash_shift_ = 64 - std::countr_zero(cells);
  fill_index();
}

// A hash table is empty before, and a packed pane has no index.
void Pane::fill_index() {
  if (index_.empty()) return;
  const std::size_t mask = index_.size() - 1;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::uint32_t slot = entry_header(entries_.data() + i * entry_size_).slot;
    const auto entry = static_cast<std::uint32_t>(i);
    if (dense_) {
      index_[slot] = index_base_ + entry;
      continue;
    }
    std::size_t place = hash_place(slot);
    while (index_[place] != kNoEntry) place = (place + 1) & mask;
    index_[place] = entry;
  }
}

void Pane::renumber(const SlotMap& map) {
  map.renumber_entries(entries_.data(), size_, entry_size_);
  if (dense_) {
    if (index_.size() > map.new_size()) index_.resize(map.new_size());
    index_.shrink_to_fit();
    forget_index();
  } else {
    std::fill(index_.begin(), index_.end(), kNoEntry);
  }
  fill_index();
  slot_count_ = map.new_size();
  shrink_entries(size_);
}

void Pane::shrink_entries(std::size_t entries) {
  entries_.resize(entries * entry_size_);
  entries_.shrink_to_fit();
}

void Pane::trim(std::size_t entries, std::size_t index_cells) {
  if (entries_.size() / kSlack > std::max(entries, kFewEntries) * entry_size_) {
    shrink_entries(entries);
  }
  if (index_.size() / kSlack > std::max(index_cells, kAlwaysDense)) drop_index();
}

void Pane::pack() {
  if (entries_.size() / kSlack > size_ * entry_size_) shrink_entries(size_);
  if (index_.size() / kSlack > size_) drop_index();
}

void Pane::release() {
  clear();
  shrink_entries(0);
  drop_index();
}

void Pane::drop_index() {
  index_ = std::pmr::vector<std::uint32_t>(index_.get_allocator());
  dense_ = true;
}

std::byte* Pane::add(std::uint32_t slot) {
  std::byte* entry = entries_.data() + size_ * entry_size_;
  copy_entry(entry, layout_.initial_entry().data(), entry_size_);
  entry_header(entry) = {slot, 0};
  ++size_;
  common_valid_ = 0;
  return entry;
}

std::byte* Pane::find_or_add_hashed(std::uint32_t slot) {
  const std::size_t mask = index_.size() - 1;
  std::size_t place = hash_place(slot);
  while (index_[place] != kNoEntry) {
    std::byte* entry = entries_.data() + index_[place] * entry_size_;
    if (entry_header(entry).slot == slot) return entry;
    place = (place + 1) & mask;
  }
  index_[place] = static_cast<std::uint32_t>(size_);
  return add(slot);
}

std::byte* Pane::find_or_add_dense(std::uint32_t slot) {
  const std::uint32_t index = index_[slot] - index_base_;
  if (index < size_) return entries_.data() + index * entry_size_;
  index_[slot] = index_base_ + static_cast<std::uint32_t>(size_);
  return add(slot);
}

std::byte* Pane::find_or_add(std::uint32_t slot) {
  return dense_ ? find_or_add_dense(slot) : find_or_add_hashed(slot);
}

std::byte* Pane::find_or_add(std::uint32_t slot, std::uint32_t valid) {
  const std::size_t before = size_;
  const std::uint32_t common_before = common_valid_;
  std::byte* const entry = find_or_add(slot);
  entry_header(entry).valid |= valid;
  if (size_ > before) common_valid_ = common_before & valid;
  return entry;
}

void Pane::find_or_add(std::span<const std::uint32_t> slots, std::uint32_t valid,
                       std::byte** entries) {
  if (dense_) {
    find_or_add_all_dense(slots, valid, entries);
    return;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    entries[i] = find_or_add(slots[i], valid);
  }
}

// Whether a key is new to the pane is as good as random, so the loop has no branch on it: every row
// writes the header of the next new entry, which stands if its key is new, and is written over if
// not. Entries are written through bytes, which may alias anything: what the loop needs is in
// locals.
void Pane::find_or_add_all_dense(std::span<const std::uint32_t> slots, std::uint32_t valid,
                                 std::byte** entries) {
  const std::size_t entry_size = entry_size_;
  std::byte* const first_entry = entries_.data();
  std::uint32_t* const index = index_.data();
  const std::uint32_t base = index_base_;
  const std::size_t n = slots.size();
  if (index_.size() > kAlwaysDense) {
    for (std::size_t i = 0; i < n; ++i) __builtin_prefetch(&index[slots[i]]);
  }
  auto size = static_cast<std::uint32_t>(size_);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t slot = slots[i];
    const std::uint32_t known = index[slot] - base;
    const bool is_known = known < size;
    entry_header(first_entry + size * entry_size) = {slot, valid};
    // By a mask: a choice of two becomes a branch.
    const std::uint32_t place =
        size ^ ((known ^ size) & (0 - static_cast<std::uint32_t>(is_known)));
    index[slot] = base + place;
    entries[i] = first_entry + place * entry_size;
    size += static_cast<std::uint32_t>(!is_known);
  }
  write_initial_states(size_, size);
  size_ = size;
  if ((valid & ~common_valid_) != 0) {
    for (std::size_t i = 0; i < n; ++i) entry_header(entries[i]).valid |= valid;
  }
  common_valid_ &= valid;
}

void Pane::write_initial_states(std::size_t from, std::size_t to) {
  const std::size_t bytes = entry_size_ - sizeof(EntryHeader);
  const std::byte* const initial = layout_.initial_entry().data() + sizeof(EntryHeader);
  std::byte* state = entries_.data() + from * entry_size_ + sizeof(EntryHeader);
  for (std::size_t i = from; i < to; ++i, state += entry_size_) copy_entry(state, initial, bytes);
}

void Pane::clear() {
  layout_.release(entries_.data(), size_);
  if (!dense_) {
    std::fill(index_.begin(), index_.end(), kNoEntry);
  } else if (index_base_ > kHighestBase) {
    forget_index();
  } else {
    index_base_ += static_cast<std::uint32_t>(size_);
  }
  size_ = 0;
  stamp_ = 0;
  common_valid_ = ~std::uint32_t{0};
}

Pane* PanePool::take() {
  if (free_.empty()) {
    panes_.push_back(std::make_unique<Pane>(layout_, memory_));
    return panes_.back().get();
  }
  Pane* pane = free_.back();
  free_.pop_back();
  return pane;
}

void PanePool::give_back(Pane* pane) {
  panes_in_use_.note(panes_.size() - free_.size());
  pane_entries_.note(pane->size());
  pane_index_cells_.note(pane->index_cells());
  pane->clear();
  free_.push_back(pane);
  const bool due = panes_in_use_.step();
  pane_entries_.step();
  pane_index_cells_.step();
  if (due) trim();
}

void PanePool::trim() {
  const std::size_t in_use = panes_.size() - free_.size();
  const std::size_t spare = panes_in_use_.value() - std::min(in_use, panes_in_use_.value());
  if (free_.size() > spare) drop_free(free_.size() - spare);
  for (Pane* pane : free_) pane->trim(pane_entries_.value(), pane_index_cells_.value());
}

void PanePool::drop_free(std::size_t count) {
  const auto end = free_.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(free_.begin(), end);
  std::erase_if(panes_, [&](const std::unique_ptr<Pane>& pane) {
    return std::binary_search(free_.begin(), end, pane.get());
  });
  free_.erase(free_.begin(), end);
}

void PanePool::release_free() { drop_free(free_.size()); }

}  // namespace tidemark
