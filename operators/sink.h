// Where results and late rows go.
#pragma once

#include <string_view>

#include "tidemark/runtime/batch.h"

namespace tidemark {

// Receives result batches (see WindowQuery::result_schema; header.window tells which window
// specification). All calls come from one thread.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  // The batch is valid during the call only. Throws std::runtime_error with a sentence for people
  // when the output cannot be written.
  virtual void accept(const Batch& results) = 0;
  // No result with window_end - 1 + allowed lateness <= watermark comes after this, except those of
  // count windows. Calls have rising watermarks.
  virtual void on_watermark(EventTime watermark) { (void)watermark; }
  // No more calls.
  virtual void finish() {}
};

// Receives rows that no window accepted, as they were read.
class LateSink {
 public:
  virtual ~LateSink() = default;
  // Row `row` of `rows` came when its worker's watermark was `watermark`; its lateness is
  // watermark - time, in ms. The columns of `rows` are those of WindowQuery::row_schema() and one
  // more behind them, which is the pipeline's own: int64, the watermark of each row. Key hashes are
  // not filled. The batch is valid during the call only; all calls come from one thread.
  virtual void accept(const Batch& rows, std::size_t row, EventTime watermark) = 0;
  virtual void finish() {}
};

}  // namespace tidemark
