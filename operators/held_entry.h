// A copy of one entry that outlives its original.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"

namespace tidemark {

// Keeps what an entry owes its layout (see AggregateLayout) by itself. Not thread-safe.
class HeldEntry {
 public:
  explicit HeldEntry(std::pmr::memory_resource& memory = *std::pmr::get_default_resource())
      : bytes_(&memory) {}
  HeldEntry(HeldEntry&& other) noexcept
      : layout_(std::exchange(other.layout_, nullptr)), bytes_(std::move(other.bytes_)) {
    other.bytes_.clear();
  }
  HeldEntry& operator=(HeldEntry&& other) noexcept {
    if (this == &other) return *this;
    clear();
    layout_ = std::exchange(other.layout_, nullptr);
    bytes_ = std::move(other.bytes_);
    other.bytes_.clear();
    return *this;
  }
  ~HeldEntry() { clear(); }

  bool empty() const { return bytes_.empty(); }
  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }

  // `entry` may be one that shares states with what is held now.
  void assign(const AggregateLayout& layout, const std::byte* entry) {
    if (bytes_.empty()) {
      bytes_.assign(entry, entry + layout.entry_size());
      layout.retain(bytes_.data(), 1);
    } else {
      layout.assign(bytes_.data(), entry);
    }
    layout_ = &layout;
  }
  void clear() {
    if (!bytes_.empty()) layout_->release(bytes_.data(), 1);
    bytes_.clear();
  }

 private:
  const AggregateLayout* layout_ = nullptr;
  std::pmr::vector<std::byte> bytes_;
};

}  // namespace tidemark
