#include "tidemark/operators/running_sharing.h"

#include <algorithm>
#include <utility>

namespace tidemark {

RunningSharing::RunningSharing(const AggregateLayout& layout, std::size_t parts,
                               std::pmr::memory_resource& memory)
    : layout_(layout), rows_(layout, parts, memory), results_(layout, memory) {}

void RunningSharing::enter(std::uint32_t slot) {
  ++changes_;
  const bool is_new = rows_.enter(slot);
  if (!keeps_results_) return;
  if (is_new) results_.append();
  results_.mark(rows_.position(slot));
}

void RunningSharing::leave(std::uint32_t slot) {
  ++changes_;
  const auto position = rows_.leave(slot);
  if (!keeps_results_) return;
  if (position) {
    results_.remove(*position);
  } else {
    results_.mark(rows_.position(slot));
  }
}

void RunningSharing::enter_chunk(const std::byte* entries, std::span<std::byte*> rows) {
  prefetch(entries, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t slot = entry_header(entries + i * layout_.entry_size()).slot;
    enter(slot);
    rows[i] = rows_.row(slot);
  }
}

void RunningSharing::begin_window(SealedSlices& /*sealed*/) {
  emitted_ = 0;
  choose_way();
  changes_ = 0;
}

// The two bounds lie apart, so that a stream near one of them does not go to and fro.
void RunningSharing::choose_way() {
  if (layout_.has_text_results()) return;  // which have no cells of their own to keep
  const std::span<const std::uint32_t> live = rows_.live();
  if (keeps_results_) {
    keeps_results_ = changes_ * 2 < live.size();
    if (!keeps_results_) results_.resize(0);
    windows_computed_ = 0;
  } else if (changes_ * 4 < live.size()) {
    keeps_results_ = true;
    results_.resize(live.size());
  } else if (++windows_computed_ == kForgotten) {
    results_.trim();
  }
}

void RunningSharing::refresh(std::size_t from, std::size_t to) {
  std::array<std::uint32_t, kChunk> positions;
  std::size_t n = 0;
  results_.for_each_marked(from, to, [&](std::size_t position) {
    positions[n++] = static_cast<std::uint32_t>(position);
    if (n == kChunk) refresh({positions.data(), std::exchange(n, 0)});
  });
  refresh({positions.data(), n});
}

void RunningSharing::refresh(std::span<const std::uint32_t> positions) {
  const std::size_t n = positions.size();
  if (n == 0) return;
  std::array<std::uint32_t, kChunk> slots;
  std::array<std::byte*, kChunk> rows;
  std::array<const std::byte*, kChunk> a;
  std::array<const std::byte*, kChunk> b;
  for (std::size_t i = 0; i < n; ++i) slots[i] = rows_.live()[positions[i]];
  find_rows({slots.data(), n}, rows.data());
  const bool two_parts = result_states({slots.data(), n}, rows.data(), a.data(), b.data());
  results_.refresh(positions, a.data(), two_parts ? b.data() : nullptr);
}

void RunningSharing::prefetch_changed(std::size_t from, std::size_t to) const {
  if (rows_.live().size() <= kCachedKeys) return;
  results_.for_each_marked(
      from, to, [this](std::size_t position) { rows_.prefetch_row(rows_.live()[position]); });
}

bool RunningSharing::emit(ResultEmitter& emitter) {
  return keeps_results_ ? emit_kept(emitter) : emit_computed(emitter);
}

bool RunningSharing::emit_kept(ResultEmitter& emitter) {
  const std::size_t size = rows_.live().size();
  prefetch_changed(emitted_, std::min(size, emitted_ + LiveResults::run_from(emitted_)));
  while (emitted_ < size) {
    const std::size_t to = std::min(size, emitted_ + LiveResults::run_from(emitted_));
    prefetch_changed(to, std::min(size, to + LiveResults::kRun));
    refresh(emitted_, to);
    emitted_ = emitter.emit_live(rows_.live(), results_, emitted_, to);
    if (emitted_ < to) return false;
  }
  return true;
}

bool RunningSharing::emit_computed(ResultEmitter& emitter) {
  std::array<std::byte*, kChunk> rows;
  std::array<const std::byte*, kChunk> a;
  std::array<const std::byte*, kChunk> b;
  const std::span<const std::uint32_t> live = rows_.live();
  while (emitted_ < live.size()) {
    const std::size_t n = std::min({live.size() - emitted_, emitter.room(), kChunk});
    if (n == 0) return false;
    const std::span<const std::uint32_t> slots = live.subspan(emitted_, n);
    find_rows(slots, rows.data());
    const bool two_parts = result_states(slots, rows.data(), a.data(), b.data());
    emitter.emit(layout_, slots, a.data(), two_parts ? b.data() : nullptr);
    emitted_ += n;
  }
  return true;
}

// The keys of sealed entries are the live ones.
void RunningSharing::mark_live(SealedSlices& /*sealed*/, LiveSlots& live) {
  for (const std::uint32_t slot : rows_.live()) live.mark(slot);
}

void RunningSharing::renumber(const SlotMap& map) {
  rows_.renumber(map);
  results_.trim();
}

}  // namespace tidemark
