#include "tidemark/operators/cell_blocks.h"

#include <algorithm>

namespace tidemark {

namespace {
constexpr std::size_t kCellAlignment = 64;
}

CellBlocks::CellBlocks(std::size_t columns, std::pmr::memory_resource& memory)
    : columns_(columns), memory_(memory), blocks_(&memory) {}

CellBlocks::~CellBlocks() { shrink(0); }

void CellBlocks::cover(std::size_t rows) {
  while (blocks_.size() * kRows < rows) {
    auto* block = static_cast<std::uint64_t*>(memory_.allocate(block_bytes(), kCellAlignment));
    std::fill_n(block, columns_ * kRows, 0);
    blocks_.push_back(block);
  }
}

void CellBlocks::shrink(std::size_t rows) {
  while (!blocks_.empty() && (blocks_.size() - 1) * kRows >= rows) {
    memory_.deallocate(blocks_.back(), block_bytes(), kCellAlignment);
    blocks_.pop_back();
  }
  blocks_.shrink_to_fit();
}

}  // namespace tidemark
