// Memory for states that grow: blocks of a stage, used again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/recent_peak.h"

namespace tidemark {

// A buddy system (Knowlton 1965): slabs of 1 MiB, halved as often as a block needs it and put
// together again when both halves are free. So what many small states have been serves the larger
// ones that they become, and the next slice's small ones after that. Blocks that are larger than
// half a slab are kept by size. What is free is kept as far as it has lately been in use: a stream
// that goes on as before asks for nothing. Not thread-safe: each window stage has its own.
class StateBlocks final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t kSmallest = 32;
  // As large as StateMemory maps by itself: with its alignment, smaller ones take up to twice as
  // much.
  static constexpr std::size_t kSlab = std::size_t{1} << 20;
  static constexpr std::size_t kLargestInSlab = kSlab / 2;

  explicit StateBlocks(std::pmr::memory_resource& memory) : memory_(memory) {}
  // All blocks have been given back before.
  ~StateBlocks() override;
  StateBlocks(const StateBlocks&) = delete;
  StateBlocks& operator=(const StateBlocks&) = delete;

  // Lets go of the memory that is kept.
  void release_free();

  // What a block of `bytes` takes: the next power of two.
  static std::size_t block_size(std::size_t bytes);

 private:
  // Sizes are kSmallest * 2^order.
  static constexpr std::size_t kSlabOrders = 15;
  static constexpr std::size_t kLargeOrders = 48;
  static constexpr std::size_t kUnits = kSlab / kSmallest;
  // The first blocks of a slab hold what is known of the others.
  static constexpr std::size_t kHeaderOrder = 10;

  struct FreeBlock {
    FreeBlock* next;
    FreeBlock* previous;
  };
  // A byte for each unit: of those where a block begins its order, with a bit more if it is free.
  // The bytes of the header's own units are not needed for that, but the first, which is no free
  // block's.
  struct Slab {
    union {
      std::array<std::uint8_t, kUnits> units;
      std::array<std::size_t, 2> words;
    };
    std::size_t& blocks_in_use() { return words[1]; }
  };
  static_assert(sizeof(Slab) == kSmallest << kHeaderOrder);

  struct Large {
    std::vector<void*> free;
    RecentNeed need;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  static std::size_t order_of(std::size_t bytes);
  void* take_in_slab(std::size_t order);
  void give_back_in_slab(void* block, std::size_t order);
  void add_slab();
  void remove_slab(Slab& slab);
  void push(Slab& slab, std::size_t unit, std::size_t order);
  void unlink(Slab& slab, std::size_t unit, std::size_t order);
  void* take_large(std::size_t order);
  void give_back_large(void* block, std::size_t order);

  std::pmr::memory_resource& memory_;
  std::array<FreeBlock*, kSlabOrders> free_{};
  std::vector<Slab*> free_slabs_;
  RecentNeed slabs_;
  std::array<Large, kLargeOrders> large_;
};

}  // namespace tidemark
