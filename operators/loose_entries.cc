#include "tidemark/operators/loose_entries.h"

#include <utility>

namespace tidemark {

void LooseEntries::add(std::int64_t slice, const std::byte* entry) {
  const auto [place, added] =
      slots_.try_emplace(entry_header(entry).slot, slots_.get_allocator().resource());
  SlotEntries& entries = place->second;
  if (added) {
    entries.total.assign(layout_, entry);
  } else {
    std::byte* into = entries.total.data();
    layout_.merge(&into, entry, 1);
  }
  HeldEntry held(*slots_.get_allocator().resource());
  held.assign(layout_, entry);
  entries.by_slice.emplace(slice, std::move(held));
}

std::uint64_t LooseEntries::expire(std::int64_t slice, std::uint32_t slot) {
  const auto place = slots_.find(slot);
  if (place == slots_.end()) return 0;
  SlotEntries& entries = place->second;
  const auto stays = entries.by_slice.upper_bound(slice);
  if (stays == entries.by_slice.begin()) return 0;
  entries.by_slice.erase(entries.by_slice.begin(), stays);
  if (entries.by_slice.empty()) {
    slots_.erase(place);
    return 0;
  }
  auto entry = entries.by_slice.begin();
  entries.total.assign(layout_, entry->second.data());
  std::byte* into = entries.total.data();
  for (++entry; entry != entries.by_slice.end(); ++entry) {
    layout_.merge(&into, entry->second.data(), 1);
  }
  return entries.by_slice.size() - 1;
}

const std::byte* LooseEntries::total(std::uint32_t slot) const {
  const auto place = slots_.find(slot);
  return place == slots_.end() ? nullptr : place->second.total.data();
}

// The order of slots stays, so each node goes back to the end.
void LooseEntries::renumber(const SlotMap& map) {
  std::pmr::map<std::uint32_t, SlotEntries> renumbered(slots_.get_allocator());
  while (!slots_.empty()) {
    auto node = slots_.extract(slots_.begin());
    node.key() = map[node.key()];
    renumbered.insert(renumbered.end(), std::move(node));
  }
  slots_ = std::move(renumbered);
}

}  // namespace tidemark
