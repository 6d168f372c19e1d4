// Blocks of states that grow lie where nobody else's do, and are used again.
#include "tidemark/operators/state_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <random>
#include <utility>
#include <vector>

namespace tidemark {
namespace {

class CountingMemory final : public std::pmr::memory_resource {
 public:
  std::uint64_t asked = 0;
  std::size_t held = 0;  // bytes

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++asked;
    held += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    held -= bytes;
    std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

struct Block {
  std::uint8_t* bytes;
  std::size_t size;
  std::uint8_t mark;
};

Block take(StateBlocks& blocks, std::size_t size, std::uint8_t mark) {
  auto* const bytes = static_cast<std::uint8_t*>(blocks.allocate(size, 8));
  std::memset(bytes, mark, size);
  return {bytes, size, mark};
}
bool is_whole(const Block& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    if (block.bytes[i] != block.mark) return false;
  }
  return true;
}

TEST(StateBlocksTest, NoTwoBlocksShareAByte) {
  CountingMemory memory;
  {
    StateBlocks blocks(memory);
    std::mt19937_64 random(5);
    std::vector<Block> held;
    for (int step = 0; step < 200'000; ++step) {
      const bool takes = held.size() < 100 || (held.size() < 3000 && random() % 2 == 0);
      if (takes) {
        const std::size_t size = random() % (std::size_t{1} << random() % 18) + 1;
        held.push_back(take(blocks, size, static_cast<std::uint8_t>(random())));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(held.back().bytes) % 16, 0U);
        continue;
      }
      std::swap(held[random() % held.size()], held.back());
      ASSERT_TRUE(is_whole(held.back()));
      blocks.deallocate(held.back().bytes, held.back().size, 8);
      held.pop_back();
    }
    for (const Block& block : held) {
      ASSERT_TRUE(is_whole(block));
      blocks.deallocate(block.bytes, block.size, 8);
    }
  }
  EXPECT_EQ(memory.held, 0U);
}

// Many states that all double at about the same time and are all dropped at last.
void grow_and_drop(StateBlocks& blocks, std::size_t states, std::size_t largest) {
  std::vector<void*> held(states, nullptr);
  for (std::size_t size = 64; size <= largest; size *= 2) {
    for (void*& block : held) {
      void* const larger = blocks.allocate(size, 8);
      if (block != nullptr) blocks.deallocate(block, size / 2, 8);
      block = larger;
    }
  }
  for (void* block : held) blocks.deallocate(block, largest, 8);
}

TEST(StateBlocksTest, WhatGoesOnAsBeforeAsksForNothing) {
  for (const std::size_t largest : std::vector<std::size_t>{64, 512, 32768, 524288, 1048576}) {
    CountingMemory memory;
    StateBlocks blocks(memory);
    const std::size_t states = 16'777'216 / largest;
    for (int turn = 0; turn < 3; ++turn) grow_and_drop(blocks, states, largest);
    const std::uint64_t asked = memory.asked;
    for (int turn = 0; turn < 20; ++turn) grow_and_drop(blocks, states, largest);
    EXPECT_EQ(memory.asked, asked) << largest;
  }
}

TEST(StateBlocksTest, HalvesThatAreFreeAreOneBlockAgain) {
  CountingMemory memory;
  StateBlocks blocks(memory);
  grow_and_drop(blocks, 1000, 4096);
  // With one slab's header and the last state that was copied.
  EXPECT_LE(memory.held, std::size_t{4096} * 1000 * 21 / 20 + 2 * StateBlocks::kSlab);
}

TEST(StateBlocksTest, WhatWasNeededOnceIsForgotten) {
  CountingMemory memory;
  StateBlocks blocks(memory);
  grow_and_drop(blocks, 10'000, 4096);
  const std::size_t after_the_peak = memory.held;
  for (int turn = 0; turn < 200; ++turn) grow_and_drop(blocks, 500, 4096);
  EXPECT_LT(memory.held, after_the_peak / 4);
  blocks.release_free();
  EXPECT_EQ(memory.held, 0U);
}

}  // namespace
}  // namespace tidemark
