// Cuts the text of an input into runs of whole rows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/row_boundary.h"
#include "tidemark/connectors/row_run.h"

namespace tidemark {

// Rows longer than options.max_row_bytes are passed piece by piece, so that memory is bounded even
// where a quote is never closed: there comes a run with the row's start and what is wrong, at once,
// and then runs without rows until the row ends. Which rows these are depends on the text alone and
// not on how it arrives. Used by one thread at a time.
class RowCutter {
 public:
  // `boundary` is at the start of the input.
  RowCutter(std::unique_ptr<RowBoundary> boundary, const FileSourceOptions& options);

  // Looks for a run in `text`, which begins behind the last run, grows at its end from call to call
  // and ends there if `complete`. False if more has to come first, or at the end.
  bool find(std::string_view text, bool complete);

  // Takes the run that find() has found in the same text: sets all of `run` but its storage, and
  // returns how many bytes of the text it takes.
  std::size_t take(std::string_view text, RowRun& run);

  // Passes `bytes`, up to a row end within the sample, before the first run.
  void skip(std::string_view text, std::size_t bytes);

  const RowBoundary& boundary() const { return *boundary_; }

 private:
  std::size_t take_start(std::string_view text, RowRun& run);
  std::size_t take_part(std::string_view text, RowRun& run);
  std::size_t find_first_end(const RowBoundary& before, std::string_view text);

  std::unique_ptr<RowBoundary> boundary_;
  std::size_t max_row_bytes_;
  std::size_t rows_end_ = 0;  // of what find() has found; 0: a part of a row that is too long
  bool complete_ = false;
  bool in_long_row_ = false;
};

}  // namespace tidemark
