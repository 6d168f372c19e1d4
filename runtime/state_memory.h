// Memory whose size is read from the allocator, for state that the reports account for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <set>

namespace tidemark {

// Hands memory on from the process allocator and counts what each block really takes there. Large
// blocks come from the system in huge pages, where it has them: state is read at random, and then a
// page of 4 KiB costs a walk of the page table nearly every time, and a page fault at first. Not
// thread-safe: each window stage has its own.
class StateMemory final : public std::pmr::memory_resource {
 public:
  StateMemory() = default;
  ~StateMemory() override;
  StateMemory(const StateMemory&) = delete;
  StateMemory& operator=(const StateMemory&) = delete;

  std::size_t bytes() const { return bytes_; }
  std::size_t peak_bytes() const { return peak_bytes_; }

  // Blocks from this size on are mapped by themselves.
  static constexpr std::size_t kLargeBlock = std::size_t{1} << 20;
  // Blocks of about this size share a huge page, once there is so much state that one page more
  // does not matter.
  static constexpr std::size_t kPiece = std::size_t{1} << 18;
  static constexpr std::size_t kMuchState = std::size_t{1} << 25;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  std::byte* map(std::size_t bytes);
  void unmap(std::byte* block, std::size_t bytes);
  void* take_piece();
  // False: the block is not a piece.
  bool give_back_piece(std::byte* block);
  void count(std::size_t bytes);

  std::size_t bytes_ = 0;
  std::size_t peak_bytes_ = 0;
  // Huge pages that are dealt out in pieces: one bit for each piece that is free.
  std::map<std::byte*, std::uint8_t> pages_;
  std::set<std::byte*> pages_with_room_;
};

}  // namespace tidemark
