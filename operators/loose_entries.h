// Stragglers for slices that the front stack has already folded, kept per key until they expire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/held_entry.h"
#include "tidemark/operators/live_slots.h"

namespace tidemark {

// Per slot a total over its loose entries, and the entries by slice: an expiring one leaves the
// total to be summed up afresh from what stays. Meant for few entries. Not thread-safe.
class LooseEntries {
 public:
  LooseEntries(const AggregateLayout& layout, std::pmr::memory_resource& memory)
      : layout_(layout), slots_(&memory) {}

  bool empty() const { return slots_.empty(); }
  void clear() { slots_.clear(); }
  void add(std::int64_t slice, const std::byte* entry);
  // Forgets all entries of `slot` up to `slice`; returns how many merges that took.
  std::uint64_t expire(std::int64_t slice, std::uint32_t slot);

  // The total of a slot, or nullptr if it has no loose entry. Its header does not tell the slot.
  const std::byte* total(std::uint32_t slot) const;

  // All slots that have entries are live.
  void renumber(const SlotMap& map);

 private:
  struct SlotEntries {
    explicit SlotEntries(std::pmr::memory_resource* memory) : total(*memory), by_slice(memory) {}
    HeldEntry total;
    std::pmr::multimap<std::int64_t, HeldEntry> by_slice;
  };

  const AggregateLayout& layout_;
  std::pmr::map<std::uint32_t, SlotEntries> slots_;
};

}  // namespace tidemark
