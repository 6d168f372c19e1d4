#include "tidemark/connectors/row_cutter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark {

namespace {

// So much of a row that is too long goes into the messages about it.
constexpr std::size_t kShownBytes = 4096;

std::uint64_t line_ends_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

// Parts of a row are taken up to their last byte, so one byte is not enough.
RowCutter::RowCutter(std::unique_ptr<RowBoundary> boundary, const FileSourceOptions& options)
    : boundary_(std::move(boundary)),
      max_row_bytes_(std::max<std::size_t>(2, options.max_row_bytes)) {}

bool RowCutter::find(std::string_view text, bool complete) {
  complete_ = complete;
  if (in_long_row_) return text.size() > 1 || (complete && !text.empty());
  // No further, so that a row is too long by its own length and not by what came along with it.
  const std::size_t looked_at = std::min(text.size(), max_row_bytes_);
  const bool to_the_end = complete && looked_at == text.size();
  rows_end_ = boundary_->scan(text.substr(0, looked_at), to_the_end);
  if (to_the_end) rows_end_ = text.size();
  return rows_end_ > 0 || text.size() > max_row_bytes_;
}

std::size_t RowCutter::take(std::string_view text, RowRun& run) {
  run.row_at = run.skipped_bytes = 0;
  run.skipped_lines = 0;
  run.problem.clear();
  if (in_long_row_) return take_part(text, run);
  if (rows_end_ == 0) return take_start(text, run);
  run.rows = boundary_->rows_of(text.substr(0, rows_end_));
  boundary_->consume(rows_end_);
  return rows_end_;
}

void RowCutter::skip(std::string_view text, std::size_t bytes) {
  boundary_->scan(text.substr(0, bytes), false);
  boundary_->consume(bytes);
}

std::size_t RowCutter::take_start(std::string_view text, RowRun& run) {
  in_long_row_ = true;
  // The last byte looked at stays: what it means may depend on the next one, and the other way
  // round.
  const std::size_t passed = max_row_bytes_ - 1;
  run.row_at = std::min(boundary_->row_begin(), passed);
  run.rows = text.substr(0, std::min(run.row_at + kShownBytes, passed));
  run.problem = fmt::format("a row of more than {} bytes is passed over; {}", max_row_bytes_,
                            boundary_->doubt());
  run.skipped_bytes = passed - run.rows.size();
  run.skipped_lines = line_ends_in(text.substr(run.rows.size(), run.skipped_bytes));
  boundary_->consume(passed);
  return passed;
}

std::size_t RowCutter::take_part(std::string_view text, RowRun& run) {
  const std::unique_ptr<RowBoundary> before = boundary_->clone();
  const bool ends = boundary_->scan(text, complete_) > 0;
  const std::size_t passed = ends        ? find_first_end(*before, text)
                             : complete_ ? text.size()
                                         : text.size() - 1;
  in_long_row_ = !ends && !complete_;
  boundary_->consume(passed);
  run.rows = text.substr(passed, 0);
  run.skipped_bytes = passed;
  run.skipped_lines = line_ends_in(text.substr(0, passed));
  return passed;
}

// Boundaries tell the last row end of a text; so the shortest text with one is looked for. The
// boundary then is behind that.
std::size_t RowCutter::find_first_end(const RowBoundary& before, std::string_view text) {
  std::size_t none_in = 0;
  std::size_t one_in = text.size();
  while (one_in - none_in > 1) {
    const std::size_t middle = none_in + (one_in - none_in) / 2;
    const bool found = before.clone()->scan(text.substr(0, middle), false) > 0;
    (found ? one_in : none_in) = middle;
  }
  boundary_ = before.clone();
  return boundary_->scan(text.substr(0, one_in), complete_ && one_in == text.size());
}

}  // namespace tidemark
