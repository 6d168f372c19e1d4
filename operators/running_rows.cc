#include "tidemark/operators/running_rows.h"

#include <algorithm>
#include <cstring>

namespace tidemark {

RunningRows::RunningRows(const AggregateLayout& layout, std::size_t parts,
                         std::pmr::memory_resource& memory)
    : layout_(layout),
      entry_size_(layout.entry_size()),
      parts_(parts),
      row_size_(parts * layout.entry_size()),
      rows_(&memory),
      entries_(&memory),
      live_place_(&memory),
      live_(&memory) {}

void RunningRows::cover(std::size_t slot_count) {
  const std::size_t covered = entries_.size();
  if (slot_count <= covered) return;
  const std::size_t grown = std::max(slot_count, covered + covered / 2);
  rows_.resize(grown * row_size_);
  entries_.resize(grown, 0);
  live_place_.resize(grown, 0);
  for (std::size_t slot = covered; slot < grown; ++slot) {
    for (std::size_t part = 0; part < parts_; ++part) {
      reset(static_cast<std::uint32_t>(slot), part);
    }
  }
}

void RunningRows::reset(std::uint32_t slot, std::size_t index) {
  std::byte* entry = part(slot, index);
  std::memcpy(entry, layout_.initial_entry().data(), entry_size_);
  entry_header(entry).slot = slot;
}

void RunningRows::add_live(std::uint32_t slot) {
  live_place_[slot] = static_cast<std::uint32_t>(live_.size());
  live_.push_back(slot);
}

void RunningRows::remove_live(std::uint32_t slot) {
  const std::uint32_t place = live_place_[slot];
  live_[place] = live_.back();
  live_place_[live_[place]] = place;
  live_.pop_back();
  for (std::size_t part = 0; part < parts_; ++part) reset(slot, part);
}

}  // namespace tidemark
