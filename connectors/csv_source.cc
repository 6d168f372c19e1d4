#include "tidemark/connectors/csv_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tidemark {

Expected<std::unique_ptr<CsvSource>> CsvSource::open(CsvSourceOptions options) {
  Expected<std::unique_ptr<CsvInput>> input = CsvInput::open(options);
  if (!input) return tl::unexpected(input.error());
  const Expected<std::string_view> sample = (*input)->sample();
  if (!sample) return tl::unexpected(sample.error());
  Expected<CsvPlan> plan = plan_csv(options, *sample, (*input)->name());
  if (!plan) return tl::unexpected(plan.error());
  (*input)->skip(plan->header_bytes);
  return std::unique_ptr<CsvSource>(
      new CsvSource(std::move(options), *std::move(input), *std::move(plan)));
}

CsvSource::CsvSource(CsvSourceOptions options, std::unique_ptr<CsvInput> input, CsvPlan plan)
    : options_(std::move(options)),
      input_(std::move(input)),
      plan_(std::move(plan)),
      read_ahead_(*input_, plan_, options_),
      next_line_(1 + plan_.header_lines) {
  if (options_.max_ahead && plan_.time_column) guard_.emplace(*options_.max_ahead);
}

PollStatus CsvSource::poll(Batch& batch) {
  const std::size_t before = batch.size();
  while (!batch.full() && (chunk_ != nullptr || take_chunk())) {
    if (move_rows(batch)) break;
  }
  if (batch.size() > before) return PollStatus::kRows;
  return ended_ ? PollStatus::kEnd : PollStatus::kPending;
}

bool CsvSource::take_chunk() {
  // Asked before the queue: what is queued in between is found then.
  const bool finished = read_ahead_.finished();
  chunk_ = read_ahead_.try_take();
  if (chunk_ != nullptr) {
    batch_index_ = 0;
    row_index_ = 0;
    if (guard_) chunk_->refuse_rows_ahead(*guard_);
    report_bad_rows();
    return true;
  }
  if (!finished) return false;
  ended_ = true;
  if (read_ahead_.failure()) std::rethrow_exception(read_ahead_.failure());
  return false;
}

void CsvSource::report_bad_rows() {
  for (BadRow& row : chunk_->bad_rows()) {
    row.line += next_line_;
    ++bad_rows_;
    if (options_.bad_rows) options_.bad_rows(row);
    if (options_.on_bad == OnBadRow::kFail) {
      throw std::runtime_error(
          fmt::format("line {} of {} is bad: {}", row.line, name(), row.reason));
    }
  }
  next_line_ += chunk_->lines();
}

// Moves rows of the current parsed batch. True if `batch` should go as it is: its rows were
// exchanged for a whole parsed batch, and topping it up would mean to copy all that follow.
bool CsvSource::move_rows(Batch& batch) {
  if (batch_index_ == chunk_->batch_count()) {
    read_ahead_.give_back(std::exchange(chunk_, nullptr));
    return false;
  }
  Batch& parsed = chunk_->batch(batch_index_);
  if (batch.empty() && row_index_ == 0 && batch.capacity() == parsed.capacity()) {
    batch.swap_rows(parsed);
    next_batch();
    return true;
  }
  const std::size_t end = std::min(parsed.size(), row_index_ + (batch.capacity() - batch.size()));
  batch.append_range(parsed, row_index_, end);
  row_index_ = end;
  if (row_index_ == parsed.size()) next_batch();
  return false;
}

void CsvSource::next_batch() {
  ++batch_index_;
  row_index_ = 0;
}

}  // namespace tidemark
