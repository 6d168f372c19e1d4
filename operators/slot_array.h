// One element per key slot, in an array that grows without moving more than a constant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <vector>

namespace tidemark {

// The first kChunk elements lie in one vector, which doubles; all others in chunks of kChunk that
// never move. Not thread-safe.
template <typename T>
class SlotArray {
 public:
  static constexpr std::size_t kChunk = std::size_t{1} << 16;

  explicit SlotArray(std::pmr::memory_resource& memory) : chunks_(&memory) {}

  std::size_t size() const { return size_; }
  T& operator[](std::size_t slot) { return chunks_[slot / kChunk][slot % kChunk]; }
  const T& operator[](std::size_t slot) const { return chunks_[slot / kChunk][slot % kChunk]; }

  // The first elements, kChunk of them at most, side by side; until the next append().
  const T* first_chunk() const { return chunks_.empty() ? nullptr : chunks_.front().data(); }
  bool is_one_chunk() const { return size_ <= kChunk; }

  // A new last element, as T{}.
  void append() {
    if (size_ % kChunk == 0) {
      chunks_.emplace_back();
      if (size_ > 0) chunks_.back().reserve(kChunk);
    }
    chunks_.back().emplace_back();
    ++size_;
  }

  // Forgets elements from `size` on, and lets go of all memory that the others do not need.
  void cut(std::size_t size) {
    size_ = size;
    chunks_.resize((size + kChunk - 1) / kChunk);
    if (chunks_.empty()) return;
    chunks_.back().resize(size - (chunks_.size() - 1) * kChunk);
    chunks_.back().shrink_to_fit();
    if (chunks_.size() > 1) chunks_.back().reserve(kChunk);
  }

 private:
  std::size_t size_ = 0;
  std::pmr::vector<std::pmr::vector<T>> chunks_;
};

}  // namespace tidemark
