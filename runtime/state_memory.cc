#include "tidemark/runtime/state_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace tidemark {

void* StateMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (posix_memalign(&block, std::max(alignment, sizeof(void*)), bytes) != 0)
    throw std::bad_alloc();
  bytes_ += malloc_usable_size(block);
  peak_bytes_ = std::max(peak_bytes_, bytes_);
  return block;
}

void StateMemory::do_deallocate(void* block, std::size_t /*bytes*/, std::size_t /*alignment*/) {
  bytes_ -= malloc_usable_size(block);
  std::free(block);
}

bool StateMemory::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

}  // namespace tidemark
