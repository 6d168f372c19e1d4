#include "tidemark/operators/two_stacks_sharing.h"

#include <algorithm>
#include <array>

namespace tidemark {

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
      sharing_.prefetch(entries, n);
      for (std::size_t i = 0; i < n; ++i) {
        into[i] = sharing_.rows_.part(entry_header(entries + i * entry_size).slot, kFront);
      }
      sharing_.layout_.fold(into.data(), entries, n);
    }
    sharing_.merges_ += run.size;
  }

 private:
  TwoStacksSharing& sharing_;
};

TwoStacksSharing::TwoStacksSharing(const WindowSpec& window, const AggregateLayout& layout,
                                   std::pmr::memory_resource& memory)
    : RunningSharing(layout, 2, memory),
      slicing_(window),
      period_(std::max<std::int64_t>(window.size / window.slide, 1)),
      loose_(layout, memory),
      loose_runs_(&memory) {}

TwoStacksSharing::~TwoStacksSharing() {
  layout_.release(loose_copies_.data(), loose_copies_.size() / layout_.entry_size());
}

void TwoStacksSharing::begin_expiry(std::int64_t window) {
  next_window_ = window;
  const std::int64_t periods = floor_div(window, period_);
  flip_due_ = periods_passed_ != periods;
  periods_passed_ = periods;
}

// Slices that one flip has folded leave at the latest now, when the next is due: their entries
// could not be folded again, since they no longer hold their own states.
void TwoStacksSharing::expire(const EntryRun& run, SealedSlices& sealed) {
  if (flip_due_ && run.slice > front_through_) flip(sealed);
  if (!loose_runs_.empty() && is_loose(run)) {
    expire_loose(run);
  } else {
    restore(run);
  }
}

void TwoStacksSharing::end_expiry(SealedSlices& sealed) {
  if (flip_due_) flip(sealed);
}

void TwoStacksSharing::flip(SealedSlices& sealed) {
  flip_due_ = false;
  for (const std::uint32_t slot : rows_.live()) {
    rows_.reset(slot, kFront);
    rows_.reset(slot, kBack);
  }
  // Loose entries still hold their own states, so they are folded with the others.
  loose_.clear();
  loose_runs_.clear();
  Folder folder(*this);
  sealed.visit_backward(folder);
  front_through_ = slicing_.last_slice(next_window_ - 1);
}

void TwoStacksSharing::restore(const EntryRun& run) {
  const std::size_t entry_size = layout_.entry_size();
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    prefetch(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::byte* entry = entries + i * entry_size;
      const std::uint32_t slot = entry_header(entry).slot;
      layout_.assign(rows_.part(slot, kFront), entry);
      leave(slot);
    }
    entries_left(entries, n);
  }
  merges_ += run.size;
}

void TwoStacksSharing::add_stragglers(const EntryRun& run) {
  if (run.slice <= front_through_) {
    add_loose(run);
  } else {
    merge_into(kBack, run);
  }
}

void TwoStacksSharing::add_loose(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::byte* entry = run.entries + i * layout_.entry_size();
    enter(entry_header(entry).slot);
    loose_.add(run.slice, entry);
  }
  loose_runs_.push_back(run.entries);
  merges_ += run.size;
}

void TwoStacksSharing::expire_loose(const EntryRun& run) {
  for (std::size_t i = 0; i < run.size; ++i) {
    const std::uint32_t slot = entry_header(run.entries + i * layout_.entry_size()).slot;
    merges_ += loose_.expire(run.slice, slot);
    leave(slot);
  }
  std::erase(loose_runs_, run.entries);
}

void TwoStacksSharing::renumber(const SlotMap& map) {
  RunningSharing::renumber(map);
  loose_.renumber(map);
}

bool TwoStacksSharing::is_loose(const EntryRun& run) const {
  return std::find(loose_runs_.begin(), loose_runs_.end(), run.entries) != loose_runs_.end();
}

bool TwoStacksSharing::result_states(std::span<const std::uint32_t> slots, const std::byte** a,
                                     const std::byte** b) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    a[i] = rows_.part(slots[i], kFront);
    b[i] = rows_.part(slots[i], kBack);
  }
  if (!loose_.empty()) include_loose(slots, a);
  return true;
}

void TwoStacksSharing::include_loose(std::span<const std::uint32_t> slots,
                                     const std::byte** states) {
  const std::size_t entry_size = layout_.entry_size();
  loose_copies_.resize(kChunk * entry_size);  // of no handles
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::byte* total = loose_.total(slots[i]);
    if (total == nullptr) continue;
    std::byte* copy = loose_copies_.data() + i * entry_size;
    layout_.assign(copy, states[i]);
    layout_.merge(&copy, total, 1);
    states[i] = copy;
  }
}

}  // namespace tidemark
