#include "tidemark/operators/live_slots.h"

#include "tidemark/operators/aggregate_kernel.h"

namespace tidemark {

void LiveSlots::mark_entries(const std::byte* entries, std::size_t n, std::size_t entry_size) {
  for (std::size_t i = 0; i < n; ++i) mark(entry_header(entries + i * entry_size).slot);
}

std::size_t LiveSlots::count() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

SlotMap::SlotMap(const LiveSlots& live) : live_(live), before_(live.words().get_allocator()) {
  before_.reserve(live.words().size());
  for (const std::uint64_t word : live.words()) {
    before_.push_back(static_cast<std::uint32_t>(new_size_));
    new_size_ += static_cast<std::size_t>(std::popcount(word));
  }
}

void SlotMap::renumber_entries(std::byte* entries, std::size_t n, std::size_t entry_size) const {
  for (std::size_t i = 0; i < n; ++i) {
    EntryHeader& header = entry_header(entries + i * entry_size);
    header.slot = (*this)[header.slot];
  }
}

}  // namespace tidemark
