#include "tidemark/operators/pane_log.h"

#include <algorithm>
#include <cstring>

namespace tidemark {

namespace {
constexpr std::size_t kChunkAlignment = 64;
// With its alignment it fits into a block of 256 KiB; one byte more, and allocators whose sizes are
// a quarter apart would take 320 KiB for it.
constexpr std::size_t kChunkBytes = 256 * 1024 - kChunkAlignment;
}  // namespace

PaneLog::PaneLog(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : layout_(layout),
      entry_size_(layout.entry_size()),
      chunk_entries_(std::max<std::size_t>(kChunkBytes / entry_size_, 1)),
      memory_(memory) {}

PaneLog::~PaneLog() {
  visit(begin_, end_, [this](std::byte* entries, std::size_t n) { layout_.release(entries, n); });
  for (std::byte* chunk : chunks_) {
    memory_.deallocate(chunk, chunk_entries_ * entry_size_, kChunkAlignment);
  }
  free_all_but(0);
}

std::byte* PaneLog::take_chunk() {
  if (!free_.empty()) {
    std::byte* chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  return static_cast<std::byte*>(memory_.allocate(chunk_entries_ * entry_size_, kChunkAlignment));
}

void PaneLog::append(const std::byte* entries, std::size_t n) {
  while (n > 0) {
    const std::size_t in_chunk = end_ % chunk_entries_;
    if (end_ / chunk_entries_ - first_chunk_ == chunks_.size()) chunks_.push_back(take_chunk());
    const std::size_t run = std::min(n, chunk_entries_ - in_chunk);
    std::byte* const to = chunks_.back() + in_chunk * entry_size_;
    std::memcpy(to, entries, run * entry_size_);
    layout_.retain(to, run);
    entries += run * entry_size_;
    n -= run;
    end_ += run;
  }
}

void PaneLog::drop_before(std::uint64_t position) {
  if (!layout_.trivial()) {
    visit(begin_, position,
          [this](std::byte* entries, std::size_t n) { layout_.release(entries, n); });
  }
  begin_ = position;
  chunks_in_use_.note(chunks_.size());
  while (!chunks_.empty() && (first_chunk_ + 1) * chunk_entries_ <= begin_) {
    free_.push_back(chunks_.front());
    chunks_.pop_front();
    ++first_chunk_;
  }
  if (!chunks_in_use_.step()) return;
  // One more, since by how they lie to chunks the same entries need one more or less; and slices of
  // few entries take longer to fill one than is looked back.
  const std::size_t lately = chunks_in_use_.value() + 1;
  free_all_but(lately - chunks_.size());
}

void PaneLog::free_all_but(std::size_t kept) {
  while (free_.size() > kept) {
    memory_.deallocate(free_.back(), chunk_entries_ * entry_size_, kChunkAlignment);
    free_.pop_back();
  }
}

void PaneLog::release_free() {
  if (size() == 0 && !chunks_.empty()) {
    free_.push_back(chunks_.front());
    chunks_.pop_front();
    begin_ = end_ = ++first_chunk_ * chunk_entries_;
  }
  free_all_but(0);
}

}  // namespace tidemark
