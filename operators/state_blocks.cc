#include "tidemark/operators/state_blocks.h"

#include <algorithm>
#include <bit>

namespace tidemark {

namespace {

constexpr std::uint8_t kFreeBlock = 0x80;
constexpr std::size_t kLargeBlockAlignment = 64;
// So many slabs are kept in any case.
constexpr std::size_t kFewSlabs = 2;

}  // namespace

StateBlocks::~StateBlocks() { release_free(); }

std::size_t StateBlocks::order_of(std::size_t bytes) {
  return static_cast<std::size_t>(
      std::bit_width((std::max(bytes, kSmallest) + kSmallest - 1) / kSmallest - 1));
}

std::size_t StateBlocks::block_size(std::size_t bytes) { return kSmallest << order_of(bytes); }

void* StateBlocks::do_allocate(std::size_t bytes, std::size_t /*alignment*/) {
  const std::size_t order = order_of(bytes);
  return order < kSlabOrders ? take_in_slab(order) : take_large(order);
}

void StateBlocks::do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) {
  const std::size_t order = order_of(bytes);
  if (order < kSlabOrders) {
    give_back_in_slab(block, order);
  } else {
    give_back_large(block, order);
  }
}

void* StateBlocks::take_in_slab(std::size_t order) {
  std::size_t found = order;
  while (found < kSlabOrders && free_[found] == nullptr) ++found;
  if (found == kSlabOrders) {
    add_slab();
    found = kSlabOrders - 1;
  }
  auto* const block = reinterpret_cast<std::byte*>(free_[found]);
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(block) % kSlab;
  Slab& slab = *reinterpret_cast<Slab*>(block - offset);
  const std::size_t unit = offset / kSmallest;
  unlink(slab, unit, found);
  while (found > order) {
    --found;
    push(slab, unit + (std::size_t{1} << found), found);
  }
  slab.units[unit] = static_cast<std::uint8_t>(order);
  ++slab.blocks_in_use();
  return block;
}

void StateBlocks::give_back_in_slab(void* block, std::size_t order) {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(block) % kSlab;
  Slab& slab = *reinterpret_cast<Slab*>(static_cast<std::byte*>(block) - offset);
  std::size_t unit = offset / kSmallest;
  while (order + 1 < kSlabOrders) {
    const std::size_t buddy = unit ^ (std::size_t{1} << order);
    if (slab.units[buddy] != (kFreeBlock | order)) break;
    unlink(slab, buddy, order);
    unit = std::min(unit, buddy);
    ++order;
  }
  push(slab, unit, order);
  if (--slab.blocks_in_use() == 0) remove_slab(slab);
}

void StateBlocks::push(Slab& slab, std::size_t unit, std::size_t order) {
  auto* const block =
      reinterpret_cast<FreeBlock*>(reinterpret_cast<std::byte*>(&slab) + unit * kSmallest);
  block->next = free_[order];
  block->previous = nullptr;
  if (block->next != nullptr) block->next->previous = block;
  free_[order] = block;
  slab.units[unit] = static_cast<std::uint8_t>(kFreeBlock | order);
}

void StateBlocks::unlink(Slab& slab, std::size_t unit, std::size_t order) {
  const auto* const block =
      reinterpret_cast<FreeBlock*>(reinterpret_cast<std::byte*>(&slab) + unit * kSmallest);
  (block->previous == nullptr ? free_[order] : block->previous->next) = block->next;
  if (block->next != nullptr) block->next->previous = block->previous;
  slab.units[unit] = 0;
}

// All of it but the header is free: one block of each order from the header's on.
void StateBlocks::add_slab() {
  Slab* slab = nullptr;
  if (free_slabs_.empty()) {
    slab = static_cast<Slab*>(memory_.allocate(kSlab, kSlab));
    slab->units.fill(0);
  } else {
    slab = free_slabs_.back();
    free_slabs_.pop_back();
  }
  slabs_.take();
  slab->blocks_in_use() = 0;
  for (std::size_t order = kHeaderOrder; order < kSlabOrders; ++order) {
    push(*slab, std::size_t{1} << order, order);
  }
}

void StateBlocks::remove_slab(Slab& slab) {
  for (std::size_t order = kHeaderOrder; order < kSlabOrders; ++order) {
    unlink(slab, std::size_t{1} << order, order);
  }
  slabs_.give_back();
  free_slabs_.push_back(&slab);
  for (; free_slabs_.size() > slabs_.worth_keeping(kFewSlabs); free_slabs_.pop_back()) {
    memory_.deallocate(free_slabs_.back(), kSlab, kSlab);
  }
}

void* StateBlocks::take_large(std::size_t order) {
  Large& large = large_[order - kSlabOrders];
  large.need.take();
  if (large.free.empty()) return memory_.allocate(kSmallest << order, kLargeBlockAlignment);
  void* const block = large.free.back();
  large.free.pop_back();
  return block;
}

void StateBlocks::give_back_large(void* block, std::size_t order) {
  Large& large = large_[order - kSlabOrders];
  large.need.give_back();
  large.free.push_back(block);
  for (; large.free.size() > large.need.worth_keeping(); large.free.pop_back()) {
    memory_.deallocate(large.free.back(), kSmallest << order, kLargeBlockAlignment);
  }
}

void StateBlocks::release_free() {
  for (Slab* slab : free_slabs_) memory_.deallocate(slab, kSlab, kSlab);
  free_slabs_.clear();
  for (std::size_t i = 0; i < kLargeOrders; ++i) {
    for (void* block : large_[i].free) {
      memory_.deallocate(block, kSmallest << (i + kSlabOrders), kLargeBlockAlignment);
    }
    large_[i].free.clear();
  }
}

}  // namespace tidemark
