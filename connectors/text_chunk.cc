#include "tidemark/connectors/text_chunk.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tidemark/connectors/message_text.h"
#include "tidemark/connectors/time_formatter.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

std::string reason_text(const MaxAheadGuard::Refusal& row, std::int64_t limit,
                        const std::string& column) {
  TimeFormatter formatter(TimeStyle::kIso);
  fmt::memory_buffer time;
  formatter.append(row.time, time);
  fmt::memory_buffer highest;
  formatter.append(row.highest, highest);
  return fmt::format(
      "column {}: {} is {} ahead of {}, the latest time before it; at most {} is allowed",
      in_quotes(column), fmt::to_string(time), format_duration(row.time - row.highest),
      fmt::to_string(highest), format_duration(limit));
}

}  // namespace

TextChunk::TextChunk(const CsvPlan& plan, std::size_t batch_rows)
    : plan_(plan), decoder_(plan), batch_rows_(batch_rows) {}

Batch& TextChunk::next_batch() {
  if (used_ == batches_.size()) batches_.emplace_back(plan_.schema, batch_rows_);
  Batch& batch = batches_[used_++];
  batch.clear();
  return batch;
}

void TextChunk::parse() {
  used_ = 0;
  bad_rows_.clear();
  bad_begins_.clear();
  if (run_.problem.empty()) {
    lines_ = parse_rows();
  } else {
    refuse_run();
  }
  lines_ += run_.skipped_lines;
  if (used_ > 0 && batches_[used_ - 1].empty()) --used_;
}

// The run is one row, or the start of one.
void TextChunk::refuse_run() {
  const std::string_view rows = run_.rows;
  const auto line_ends = [](std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  };
  CsvRow row;
  row.raw = rows.substr(run_.row_at);
  refuse(row, line_ends(rows.substr(0, run_.row_at)), run_.problem);
  lines_ = line_ends(rows);
}

void TextChunk::refuse_rows_ahead(MaxAheadGuard& guard) {
  std::vector<RowAhead> ahead;
  std::size_t rows_before = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const std::size_t rows = batches_[i].size();
    for (const MaxAheadGuard::Refusal& row : guard.drop_refused(batches_[i])) {
      ahead.push_back({rows_before + row.row,
                       reason_text(row, guard.limit(), plan_.columns[*plan_.time_column])});
    }
    rows_before += rows;
  }
  if (ahead.empty()) return;
  find_texts(ahead);
  const auto used_end = batches_.begin() + static_cast<std::ptrdiff_t>(used_);
  const auto end = std::stable_partition(batches_.begin(), used_end,
                                         [](const Batch& batch) { return !batch.empty(); });
  used_ = static_cast<std::size_t>(end - batches_.begin());
}

// Scans the rows again, which costs nothing as long as no row is refused: batches hold neither
// lines nor, usually, texts.
void TextChunk::find_texts(const std::vector<RowAhead>& rows) {
  std::vector<BadRow> bad;
  auto next = rows.begin();
  auto next_bad = bad_rows_.begin();
  auto next_begin = bad_begins_.begin();
  std::size_t number = 0;
  scan_rows([&](const CsvRow& row) {
    if (next_begin != bad_begins_.end() && *next_begin == row.raw.data()) {
      ++next_begin;
      bad.push_back(std::move(*next_bad++));
    } else if (number++ == next->number) {
      bad.push_back({row.line, next->reason, std::string(row.raw)});
      ++next;
    }
    return next != rows.end();
  });
  bad.insert(bad.end(), std::make_move_iterator(next_bad),
             std::make_move_iterator(bad_rows_.end()));
  bad_rows_ = std::move(bad);
}

}  // namespace tidemark
