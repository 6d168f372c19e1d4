// Memory whose size is read from the allocator, for state that the reports account for.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace tidemark {

// Hands memory on from the process allocator and counts what each block really takes there. Not
// thread-safe: each window stage has its own.
class StateMemory final : public std::pmr::memory_resource {
 public:
  std::size_t bytes() const { return bytes_; }
  std::size_t peak_bytes() const { return peak_bytes_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  std::size_t bytes_ = 0;
  std::size_t peak_bytes_ = 0;
};

}  // namespace tidemark
