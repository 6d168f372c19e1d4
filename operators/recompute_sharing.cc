#include "tidemark/operators/recompute_sharing.h"

#include <algorithm>
#include <array>

namespace tidemark {

namespace {
constexpr std::size_t kMergeChunk = 256;
}

// Merges runs into the pane of the window that fires.
class RecomputeSharing::Merger final : public SealedSlices::Visitor {
 public:
  explicit Merger(RecomputeSharing& sharing) : sharing_(sharing) {}

  void visit(const EntryRun& run) override {
    const std::size_t entry_size = sharing_.layout_.entry_size();
    std::array<std::byte*, kMergeChunk> into;
    for (std::size_t from = 0; from < run.size; from += kMergeChunk) {
      const std::size_t n = std::min(kMergeChunk, run.size - from);
      const std::byte* entries = run.entries + from * entry_size;
      sharing_.window_.prepare(++sharing_.stamp_, n, sharing_.slot_count_);
      for (std::size_t i = 0; i < n; ++i) {
        into[i] = sharing_.window_.find_or_add(entry_header(entries + i * entry_size).slot);
      }
      sharing_.layout_.merge(into.data(), entries, n);
    }
    sharing_.merges_ += run.size;
  }

 private:
  RecomputeSharing& sharing_;
};

class RecomputeSharing::Marker final : public SealedSlices::Visitor {
 public:
  Marker(std::size_t entry_size, LiveSlots& live) : entry_size_(entry_size), live_(live) {}

  void visit(const EntryRun& run) override {
    live_.mark_entries(run.entries, run.size, entry_size_);
  }

 private:
  std::size_t entry_size_;
  LiveSlots& live_;
};

RecomputeSharing::RecomputeSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : layout_(layout), window_(layout, memory) {}

void RecomputeSharing::expire(const EntryRun& run, SealedSlices& /*sealed*/) {
  live_entries_ -= run.size;
}

void RecomputeSharing::seal(const EntryRun& run) { live_entries_ += run.size; }

void RecomputeSharing::add_stragglers(const EntryRun& run) { live_entries_ += run.size; }

void RecomputeSharing::begin_window(SealedSlices& sealed) {
  window_entries_.note(window_.size());
  window_.clear();
  if (window_entries_.step()) window_.trim(window_entries_.value(), slot_count_);
  emitted_ = 0;
  Merger merger(*this);
  sealed.visit_forward(merger);
}

bool RecomputeSharing::emit(ResultEmitter& emitter) {
  emitted_ = emitter.emit_entries(layout_, window_.entries(), window_.size(), emitted_);
  return emitted_ == window_.size();
}

void RecomputeSharing::mark_live(SealedSlices& sealed, LiveSlots& live) {
  Marker marker(layout_.entry_size(), live);
  sealed.visit_forward(marker);
}

// The pane holds the last window until the next begins.
void RecomputeSharing::renumber(const SlotMap& map) {
  window_.release();
  slot_count_ = map.new_size();
}

}  // namespace tidemark
