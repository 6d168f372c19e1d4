#include "tidemark/runtime/state_memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace tidemark {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::byte* align_up(std::byte* at) {
  return at + (kHugePage - reinterpret_cast<std::uintptr_t>(at) % kHugePage) % kHugePage;
}

// Has the whole pages in a block made now. Where the system cannot, each comes when it is written.
void fault_in(void* block, std::size_t bytes) {
  auto* const begin = static_cast<std::byte*>(block);
  const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
  if (bytes < before + kPage) return;
  madvise(begin + before, (bytes - before) / kPage * kPage, MADV_POPULATE_WRITE);
}

}  // namespace

void StateMemory::count(std::size_t bytes) {
  bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, bytes_);
}

// Mapped with room to spare, so that it can begin where a huge page does; the rest goes back.
std::byte* StateMemory::map(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  void* const mapped = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(mapped);
  std::byte* const block = align_up(begin);
  if (block != begin) munmap(begin, static_cast<std::size_t>(block - begin));
  std::byte* const end = begin + size + kHugePage;
  if (block + size != end) {
    munmap(block + size, static_cast<std::size_t>(end - (block + size)));
  }
  // Where there are no huge pages, small ones will do.
  madvise(block, size, MADV_HUGEPAGE);
  return block;
}

void StateMemory::unmap(std::byte* block, std::size_t bytes) { munmap(block, whole_pages(bytes)); }

void* StateMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes >= kLargeBlock) {
    std::byte* const block = map(bytes);
    count(whole_pages(bytes));
    return block;
  }
  void* block = nullptr;
  if (posix_memalign(&block, std::max(alignment, sizeof(void*)), bytes) != 0)
    throw std::bad_alloc();
  if (bytes >= kFaultedBlock) fault_in(block, bytes);
  count(malloc_usable_size(block));
  return block;
}

void StateMemory::do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) {
  if (bytes >= kLargeBlock) {
    unmap(static_cast<std::byte*>(block), bytes);
    bytes_ -= whole_pages(bytes);
    return;
  }
  bytes_ -= malloc_usable_size(block);
  std::free(block);
}

bool StateMemory::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

}  // namespace tidemark
