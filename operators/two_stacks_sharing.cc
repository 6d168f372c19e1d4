#include "tidemark/operators/two_stacks_sharing.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tidemark {

namespace {
constexpr std::size_t kChunk = 256;
}

// Folds runs, new to old, into the front parts.
class TwoStacksSharing::Folder final : public SealedSlices::Visitor {
 public:
  explicit Folder(TwoStacksSharing& sharing) : sharing_(sharing) {}

  void visit(const EntryRun& run) override {
    const std::size_t entry_size = sharing_.layout_.entry_size();
    std::array<std::byte*, kChunk> into;
    for (std::size_t from = 0; from < run.size; from += kChunk) {
      const std::size_t n = std::min(kChunk, run.size - from);
      std::byte* entries = run.entries + from * entry_size;
      for (std::size_t i = 0; i < n; ++i) {
        into[i] = sharing_.rows_.part(entry_header(entries + i * entry_size).slot, kFront);
      }
      sharing_.layout_.fold(into.data(), entries, n);
    }
    sharing_.merges_ += run.size;
    if (!newest_) newest_ = run.slice;
  }

  std::optional<std::int64_t> newest() const { return newest_; }

 private:
  TwoStacksSharing& sharing_;
  std::optional<std::int64_t> newest_;
};

TwoStacksSharing::TwoStacksSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : layout_(layout), rows_(layout, 2, memory), loose_(layout) {}

void TwoStacksSharing::seal(const EntryRun& run) {
  const std::size_t entry_size = layout_.entry_size();
  std::array<std::byte*, kChunk> into;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slot = entry_header(entries + i * entry_size).slot;
      rows_.enter(slot);
      into[i] = rows_.part(slot, kBack);
    }
    layout_.merge(into.data(), entries, n);
  }
  merges_ += run.size;
}

void TwoStacksSharing::add_stragglers(const EntryRun& run) {
  if (front_through_ && run.slice <= *front_through_) {
    add_loose(run);
  } else {
    seal(run);
  }
}

void TwoStacksSharing::add_loose(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::byte* entry = run.entries + i * layout_.entry_size();
    rows_.enter(entry_header(entry).slot);
    loose_.add(run.slice, entry);
  }
  loose_runs_.push_back(run.entries);
  merges_ += run.size;
}

bool TwoStacksSharing::is_loose(const EntryRun& run) const {
  return std::find(loose_runs_.begin(), loose_runs_.end(), run.entries) != loose_runs_.end();
}

void TwoStacksSharing::expire(const EntryRun& run, SealedSlices& sealed) {
  if (!front_through_ || run.slice > *front_through_) flip(sealed);
  if (!loose_runs_.empty() && is_loose(run)) {
    for (std::size_t i = 0; i < run.size; ++i) {
      const std::uint32_t slot = entry_header(run.entries + i * layout_.entry_size()).slot;
      merges_ += loose_.expire(run.slice, slot);
      rows_.leave(slot);
    }
    std::erase(loose_runs_, run.entries);
  } else {
    restore(run);
  }
}

void TwoStacksSharing::restore(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::byte* entry = run.entries + i * layout_.entry_size();
    const std::uint32_t slot = entry_header(entry).slot;
    std::memcpy(rows_.part(slot, kFront), entry, layout_.entry_size());
    rows_.leave(slot);
  }
  merges_ += run.size;
}

void TwoStacksSharing::flip(SealedSlices& sealed) {
  for (const std::uint32_t slot : rows_.live()) {
    rows_.reset(slot, kFront);
    rows_.reset(slot, kBack);
  }
  loose_.clear();
  loose_runs_.clear();
  Folder folder(*this);
  sealed.visit_backward(folder);
  front_through_ = folder.newest();
}

void TwoStacksSharing::begin_window(SealedSlices& /*sealed*/) { emitted_ = 0; }

bool TwoStacksSharing::emit(ResultEmitter& emitter) {
  std::array<const std::byte*, kChunk> front;
  std::array<const std::byte*, kChunk> back;
  const std::span<const std::uint32_t> live = rows_.live();
  while (emitted_ < live.size()) {
    const std::size_t n = std::min({live.size() - emitted_, emitter.room(), kChunk});
    if (n == 0) return false;
    const std::span<const std::uint32_t> slots = live.subspan(emitted_, n);
    for (std::size_t i = 0; i < n; ++i) {
      front[i] = rows_.part(slots[i], kFront);
      back[i] = rows_.part(slots[i], kBack);
    }
    if (!loose_.empty()) include_loose(slots, front.data());
    emitter.emit(layout_, slots, front.data(), back.data());
    emitted_ += n;
  }
  return true;
}

void TwoStacksSharing::include_loose(std::span<const std::uint32_t> slots,
                                     const std::byte** states) {
  const std::size_t entry_size = layout_.entry_size();
  loose_copies_.resize(kChunk * entry_size);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::byte* total = loose_.total(slots[i]);
    if (total == nullptr) continue;
    std::byte* copy = loose_copies_.data() + i * entry_size;
    std::memcpy(copy, states[i], entry_size);
    layout_.merge(&copy, total, 1);
    states[i] = copy;
  }
}

}  // namespace tidemark
