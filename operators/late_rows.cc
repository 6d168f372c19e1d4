#include "tidemark/operators/late_rows.h"

namespace tidemark {

const std::byte* LateRows::add(const Row& late, const RowChunk& rows, std::size_t row) {
  rows_.push_back(late);
  const auto initial = layout_.initial_entry();
  contents_.insert(contents_.end(), initial.begin(), initial.end());
  std::byte* const entry = contents_.data() + contents_.size() - layout_.entry_size();
  entry_header(entry) = {rows.slots[row], rows.never_null};
  layout_.update(&entry, rows.batch, rows.first_value, rows.begin + row, 1);
  return entry;
}

void LateRows::pop() {
  if (++next_ < rows_.size()) return;
  next_ = 0;
  rows_.clear();
  contents_.clear();
}

}  // namespace tidemark
