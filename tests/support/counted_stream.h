// A stage over the stream of benchmarks, and what it has counted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/window_stage.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/perf/bench_stream.h"

namespace tidemark::test_support {

// What a stream is like that begins at a whole second and does not end.
struct StreamOfRows {
  std::uint64_t keys;
  std::uint64_t rate;
  Skew skew{};
  std::int64_t disorder = 0;

  StreamShape shape() const;
  BenchStreamConfig config(EventTime start) const;
};

// `query` has the columns of BenchStream; its delay is at least the disorder. As in a run, the row
// that raises the watermark is in before windows fire.
class CountedStream {
 public:
  CountedStream(WindowQuery query, const StreamOfRows& stream, EventTime start);

  // All rows before `end` and one more; the watermark is then the delay and 1 ms behind `end`.
  void go_on_to(EventTime end);
  // Forgets what was counted before; peaks stay.
  void start();

  std::uint64_t rows() const { return rows_ - rows_then_; }
  std::uint64_t results() const { return sink_.count - results_then_; }
  std::uint64_t updates() const { return state().updates - then_.updates; }
  std::uint64_t merges() const { return state().merges - then_.merges; }
  // Of all that has run, peaks of the whole stream.
  StateCounters state() const { return stage_.state(); }
  std::uint64_t peak_window_bytes() const;

 private:
  struct Counting final : public ResultSink {
    void accept(const Batch& results) override { count += results.size(); }
    void on_watermark(EventTime /*watermark*/) override {}
    void finish() override {}
    std::uint64_t count = 0;
  };

  void send();

  BenchStream stream_;
  WindowQuery query_;
  Counting sink_;
  WindowStage stage_;
  Batch batch_;
  std::uint64_t rows_ = 0;
  EventTime watermark_ = kNoWatermark;
  std::uint64_t rows_then_ = 0;
  std::uint64_t results_then_ = 0;
  StateCounters then_;
};

// `counted` is within a tenth of `predicted`.
void expect_predicted(double counted, double predicted, const char* what);

// The query that measurements are about: count and sum of the amounts by key.
WindowQuery counted_query(const WindowSpec& window);

}  // namespace tidemark::test_support
