#include "tidemark/operators/running_rows.h"

#include <algorithm>
#include <cstring>

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
      chunks_(&memory),
      keys_(memory),
      live_(&memory) {}

RunningRows::~RunningRows() {
  for (std::pmr::vector<std::byte>& rows : chunks_) {
    layout_.release(rows.data(), rows.size() / entry_size_);
  }
}

void RunningRows::cover(std::size_t slot_count) {
  const std::size_t covered = keys_.size();
  if (slot_count <= covered) return;
  resize_rows(slot_count);
  for (std::size_t slot = covered; slot < slot_count; ++slot) {
    keys_.append();
    for (std::size_t part = 0; part < parts_; ++part) {
      write_initial(static_cast<std::uint32_t>(slot), part);
    }
  }
}

void RunningRows::resize_rows(std::size_t slots) {
  const std::size_t chunks = (slots + kChunk - 1) / kChunk;
  while (chunks_.size() < chunks) {
    if (!chunks_.empty()) chunks_.back().resize(kChunk * row_size_);
    chunks_.emplace_back();
    if (chunks_.size() > 1) chunks_.back().reserve(kChunk * row_size_);
  }
  chunks_.resize(chunks);
  if (chunks > 0) chunks_.back().resize((slots - (chunks - 1) * kChunk) * row_size_);
}

void RunningRows::reset(std::uint32_t slot, std::size_t index) {
  layout_.release(part(slot, index), 1);
  write_initial(slot, index);
}

void RunningRows::write_initial(std::uint32_t slot, std::size_t index) {
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

void RunningRows::renumber(const SlotMap& map) {
  // Rows that are not live hold nothing, so that live ones may move over them.
  std::size_t kept = 0;
  map.for_each_below(keys_.size(), [&](std::uint32_t from, std::uint32_t to) {
    if (from != to) {
      std::memcpy(part(to, 0), part(from, 0), row_size_);
      keys_[to] = keys_[from];
      for (std::size_t i = 0; i < parts_; ++i) entry_header(part(to, i)).slot = to;
    }
    kept = std::size_t{to} + 1;
  });
  keys_.cut(kept);
  resize_rows(kept);
  if (kept > 0) chunks_.back().shrink_to_fit();
  for (std::uint32_t& slot : live_) slot = map[slot];
  live_.shrink_to_fit();
}

}  // namespace tidemark
