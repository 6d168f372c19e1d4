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
      parts_(parts),
      row_size_(layout.undone_size() + parts * layout.other_size()),
      initial_(layout.initial_entry().begin(), layout.initial_entry().end()),
      chunks_(&memory),
      keys_(memory),
      live_(&memory) {
  const auto other = layout.initial_entry().subspan(layout.undone_size());
  while (initial_.size() < row_size_) initial_.insert(initial_.end(), other.begin(), other.end());
  initial_.resize(row_size_);
}

RunningRows::~RunningRows() {
  if (layout_.trivial()) return;
  for (std::size_t slot = 0; slot < keys_.size(); ++slot) release_parts(row_of(slot));
}

void RunningRows::release_parts(std::byte* row) const {
  for (std::size_t part = 0; part < parts_; ++part) {
    layout_.release(row + part * layout_.other_size(), 1);
  }
}

void RunningRows::cover(std::size_t slot_count) {
  const std::size_t covered = keys_.size();
  if (slot_count <= covered) return;
  resize_rows(slot_count);
  for (std::size_t slot = covered; slot < slot_count; ++slot) {
    keys_.append();
    copy_entry(row_of(slot), initial_.data(), row_size_);
  }
}

void RunningRows::resize_rows(std::size_t slots) {
  const std::size_t chunks = (slots + kChunk - 1) / kChunk;
  while (chunks_.size() < chunks) {
    if (!chunks_.empty()) chunks_.back().resize(lines(kChunk));
    chunks_.emplace_back();
    if (chunks_.size() > 1) chunks_.back().reserve(lines(kChunk));
  }
  chunks_.resize(chunks);
  if (chunks > 0) chunks_.back().resize(lines(slots - (chunks - 1) * kChunk));
}

void RunningRows::reset(std::uint32_t slot) {
  std::byte* const row = row_of(slot);
  const std::uint32_t before = tag(row);
  if (!layout_.trivial()) release_parts(row);
  copy_entry(row, initial_.data(), row_size_);
  tag(row) = before;
}

void RunningRows::reset_part(std::byte* row, std::size_t part) {
  std::byte* const entry = row + part * layout_.other_size();
  layout_.release(entry, 1);
  copy_entry(entry + layout_.undone_size(), initial_.data() + layout_.undone_size(),
             layout_.other_size());
}

void RunningRows::move_part(std::byte* row, std::size_t from, std::size_t to) {
  const std::size_t at = layout_.undone_size();
  std::byte* const source = row + from * layout_.other_size();
  std::byte* const target = row + to * layout_.other_size();
  layout_.release(target, 1);
  copy_entry(target + at, source + at, layout_.other_size());
  copy_entry(source + at, initial_.data() + at, layout_.other_size());
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
  reset(slot);
  return position;
}

void RunningRows::renumber(const SlotMap& map) {
  // Rows that are not live hold nothing, so that live ones may move over them.
  std::size_t kept = 0;
  map.for_each_below(keys_.size(), [&](std::uint32_t from, std::uint32_t to) {
    if (from != to) {
      std::memcpy(row_of(to), row_of(from), row_size_);
      keys_[to] = keys_[from];
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
