#include "tidemark/connectors/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/connectors/csv_chunk.h"
#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/json_boundary.h"
#include "tidemark/connectors/json_chunk.h"
#include "tidemark/connectors/json_plan.h"

namespace tidemark {

namespace {

Expected<std::unique_ptr<RowBoundary>> make_boundary(const FileSourceOptions& options) {
  switch (options.format) {
    case FileFormat::kCsv:
      break;
    case FileFormat::kJsonLines:
      return std::make_unique<JsonLineBoundary>();
    case FileFormat::kJson:
      Expected<std::vector<std::string>> steps = parse_json_pointer(options.json_rows);
      if (!steps) return tl::unexpected(steps.error());
      return std::make_unique<JsonArrayBoundary>(*std::move(steps));
  }
  return std::make_unique<CsvRowBoundary>(options.delimiter);
}

Expected<JsonPlan> plan_file(const FileSourceOptions& options, std::string_view sample,
                             const std::string& input_name) {
  if (options.format != FileFormat::kCsv) return plan_json(options, sample, input_name);
  Expected<CsvPlan> plan = plan_csv(options, sample, input_name);
  if (!plan) return tl::unexpected(plan.error());
  return JsonPlan{*std::move(plan), {}};
}

}  // namespace

Expected<std::unique_ptr<FileSource>> FileSource::open(FileSourceOptions options) {
  Expected<std::unique_ptr<RowBoundary>> boundary = make_boundary(options);
  if (!boundary) return tl::unexpected(boundary.error());
  Expected<std::unique_ptr<RowInput>> input = RowInput::open(options, *std::move(boundary));
  if (!input) return tl::unexpected(input.error());
  const Expected<std::string_view> sample = (*input)->sample();
  if (!sample) return tl::unexpected(sample.error());
  Expected<JsonPlan> plan = plan_file(options, *sample, (*input)->name());
  if (!plan) return tl::unexpected(plan.error());
  (*input)->skip(plan->rows.header_bytes);
  return std::unique_ptr<FileSource>(new FileSource(
      std::move(options), *std::move(input), std::move(plan->rows), std::move(plan->columns)));
}

FileSource::FileSource(FileSourceOptions options, std::unique_ptr<RowInput> input, CsvPlan plan,
                       JsonColumns json_columns)
    : options_(std::move(options)),
      input_(std::move(input)),
      plan_(std::move(plan)),
      json_columns_(std::move(json_columns)),
      read_ahead_(
          *input_, [this] { return make_chunk(); }, options_),
      next_line_(1 + plan_.header_lines) {
  if (options_.max_ahead && plan_.time_column) guard_.emplace(*options_.max_ahead);
}

std::unique_ptr<TextChunk> FileSource::make_chunk() const {
  if (options_.format == FileFormat::kCsv) {
    return std::make_unique<CsvChunk>(plan_, options_.batch_rows);
  }
  return std::make_unique<JsonChunk>(plan_, json_columns_, options_.format, options_.batch_rows);
}

PollStatus FileSource::poll(Batch& batch) {
  const std::size_t before = batch.size();
  while (!batch.full() && (chunk_ != nullptr || take_chunk())) {
    if (move_rows(batch)) break;
  }
  if (batch.size() > before) return PollStatus::kRows;
  return ended_ ? PollStatus::kEnd : PollStatus::kPending;
}

bool FileSource::take_chunk() {
  // Asked before the queue: what is queued in between is found then.
  const bool finished = read_ahead_.finished();
  chunk_ = read_ahead_.try_take();
  if (chunk_ != nullptr) {
    batch_index_ = 0;
    row_index_ = 0;
    if (guard_) chunk_->refuse_rows_ahead(*guard_);
    report_bad_rows();
    if (options_.bytes_taken != nullptr)
      options_.bytes_taken->add(chunk_->rows().size() + chunk_->run().skipped_bytes);
    return true;
  }
  if (!finished) return false;
  end();
  return false;
}

void FileSource::end() {
  if (std::exchange(ended_, true)) return;
  if (read_ahead_.failure()) std::rethrow_exception(read_ahead_.failure());
  if (!read_ahead_.at_end()) return;
  if (const std::optional<std::string> problem = input_->end_problem()) {
    report({next_line_, *problem, ""});
  }
}

void FileSource::report_bad_rows() {
  for (BadRow& row : chunk_->bad_rows()) {
    row.line += next_line_;
    report(row);
  }
  next_line_ += chunk_->lines();
}

void FileSource::report(const BadRow& row) {
  ++bad_rows_;
  if (options_.bad_rows) options_.bad_rows(row);
  if (options_.on_bad == OnBadRow::kFail) {
    throw std::runtime_error(fmt::format("line {} of {} is bad: {}", row.line, name(), row.reason));
  }
}

// Moves rows of the current parsed batch. True if `batch` should go as it is: its rows were
// exchanged for a whole parsed batch, and topping it up would mean to copy all that follow.
bool FileSource::move_rows(Batch& batch) {
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

void FileSource::next_batch() {
  ++batch_index_;
  row_index_ = 0;
}

}  // namespace tidemark
