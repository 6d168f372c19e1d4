#include "tidemark/connectors/csv_chunk.h"

namespace tidemark {

CsvChunk::CsvChunk(const CsvPlan& plan, std::size_t batch_rows)
    : plan_(plan), batch_rows_(batch_rows), decoder_(plan) {
  row_.fields.resize(plan.columns.size());
}

Batch& CsvChunk::batch_with_room() {
  if (used_ > 0 && !batches_[used_ - 1].full()) return batches_[used_ - 1];
  if (used_ == batches_.size()) batches_.emplace_back(plan_.schema, batch_rows_);
  Batch& batch = batches_[used_++];
  batch.clear();
  return batch;
}

void CsvChunk::parse() {
  used_ = 0;
  bad_rows_.clear();
  CsvScanner scanner(rows_, plan_.delimiter);
  Batch* batch = nullptr;
  while (scanner.next(row_)) {
    if (batch == nullptr || batch->full()) batch = &batch_with_room();
    if (!decoder_.decode(row_, *batch)) {
      bad_rows_.push_back({row_.line, decoder_.reason(), std::string(row_.raw)});
    }
  }
  if (used_ > 0 && batches_[used_ - 1].empty()) --used_;
  lines_ = scanner.lines();
}

}  // namespace tidemark
