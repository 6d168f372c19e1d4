#include "tidemark/operators/running_rows.h"

#include <algorithm>

namespace tidemark {

namespace {
constexpr std::uint32_t kPositionMask = 0x7fffffff;
}

RunningRows::RunningRows(const AggregateLayout& layout, std::size_t parts,
                         std::pmr::memory_resource& memory)
    : layout_(layout),
      entry_size_(layout.entry_size()),
      parts_(parts),
      row_size_(parts * layout.entry_size()),
      rows_(&memory),
      keys_(&memory),
      live_(&memory) {}

void RunningRows::cover(std::size_t slot_count) {
  const std::size_t covered = keys_.size();
  if (slot_count <= covered) return;
  const std::size_t grown = std::max(slot_count, covered + covered / 2);
  rows_.resize(grown * row_size_);
  keys_.resize(grown);
  for (std::size_t slot = covered; slot < grown; ++slot) {
    for (std::size_t part = 0; part < parts_; ++part) {
      reset(static_cast<std::uint32_t>(slot), part);
    }
  }
}

void RunningRows::reset(std::uint32_t slot, std::size_t index) {
  std::byte* entry = part(slot, index);
  copy_entry(entry, layout_.initial_entry().data(), entry_size_);
  entry_header(entry).slot = slot;
}

void RunningRows::add_live(std::uint32_t slot) {
  keys_[slot].position = static_cast<std::uint32_t>(live_.size()) & kPositionMask;
  live_.push_back(slot);
}

std::uint32_t RunningRows::remove_live(std::uint32_t slot) {
  const std::uint32_t position = keys_[slot].position;
  live_[position] = live_.back();
  keys_[live_[position]].position = position & kPositionMask;
  live_.pop_back();
  for (std::size_t part = 0; part < parts_; ++part) reset(slot, part);
  return position;
}

}  // namespace tidemark
