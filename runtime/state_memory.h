// Memory whose size is read from the allocator, for state that the reports account for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace tidemark {

// Hands memory on from the process allocator and counts what each block really takes there. Large
// blocks come from the system in huge pages, where it has them: they are read at random, and then a
// page of 4 KiB costs a walk of the page table nearly every time. Smaller ones, of which the log of
// slices is made, are written and read from end to end, and do better with small pages: those are
// still in the cache from being cleared when they are written. From kFaultedBlock on their pages
// are asked for all at once, which takes little more than half as long as a fault for each. Not
// thread-safe: each window stage has its own.
class StateMemory final : public std::pmr::memory_resource {
 public:
  StateMemory() = default;
  StateMemory(const StateMemory&) = delete;
  StateMemory& operator=(const StateMemory&) = delete;

  std::size_t bytes() const { return bytes_; }
  std::size_t peak_bytes() const { return peak_bytes_; }

  // Blocks from this size on are mapped by themselves.
  static constexpr std::size_t kLargeBlock = std::size_t{1} << 20;
  static constexpr std::size_t kFaultedBlock = std::size_t{1} << 16;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  std::byte* map(std::size_t bytes);
  void unmap(std::byte* block, std::size_t bytes);
  void count(std::size_t bytes);

  std::size_t bytes_ = 0;
  std::size_t peak_bytes_ = 0;
};

}  // namespace tidemark
