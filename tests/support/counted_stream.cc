#include "support/counted_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tidemark/connectors/stream_expectation.h"

namespace tidemark::test_support {

StreamShape StreamOfRows::shape() const {
  StreamShape shape = expected_stream(keys, rate, skew, disorder);
  shape.different_values = {static_cast<double>(BenchStream::kLargestAmount)};
  return shape;
}

BenchStreamConfig StreamOfRows::config(EventTime start) const {
  BenchStreamConfig config;
  config.keys = keys;
  config.event_rate = rate;
  config.skew = skew;
  config.disorder = disorder;
  config.start = start;
  config.rows = UINT64_C(1) << 40;
  return config;
}

CountedStream::CountedStream(WindowQuery query, const StreamOfRows& stream, EventTime start)
    : stream_(stream.config(start)),
      query_(std::move(query)),
      stage_(query_, sink_, KeyCollection::kWhenDue),
      batch_(query_.row_schema()) {}

void CountedStream::go_on_to(EventTime end) {
  const std::uint64_t through = stream_.rows_due_before(end) + 1;
  while (rows_ < through) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(through - rows_, batch_.capacity()));
    std::vector<std::int64_t> amounts(n);
    batch_.clear();
    stream_.fill(rows_, 1, n, batch_.times(), batch_.column(0).int64s(), amounts.data());
    for (std::size_t i = 0; i < n; ++i) {
      if (batch_.column(1).type() == ColumnType::kDouble) {
        batch_.column(1).doubles()[i] = static_cast<double>(amounts[i]);
      } else {
        batch_.column(1).int64s()[i] = amounts[i];
      }
    }
    batch_.set_size(n);
    send();
    rows_ += n;
  }
  watermark_ = end - 1 - query_.delay;
  stage_.advance(watermark_);
}

void CountedStream::send() {
  if (!query_.carries_watermarks()) {
    stage_.add(batch_);
    return;
  }
  const std::vector<EventTime> watermarks(batch_.size(), watermark_);
  stage_.add_in_time(batch_, watermarks);
}

void CountedStream::start() {
  then_ = state();
  rows_then_ = rows_;
  results_then_ = sink_.count;
}

std::uint64_t CountedStream::peak_window_bytes() const {
  const StateCounters now = state();
  return now.peak_state_bytes - now.peak_key_table_bytes;
}

void expect_predicted(double counted, double predicted, const char* what) {
  constexpr double kTolerance = 0.1;
  EXPECT_NEAR(counted, predicted, kTolerance * std::max(std::abs(counted), 1e-9)) << what;
}

WindowQuery counted_query(const WindowSpec& window) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  query.windows = {window};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"}};
  return query;
}

}  // namespace tidemark::test_support
