// What callbacks of the typed face receive: results and late rows with keys in the user's types.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "tidemark/operators/firing.h"
#include "tidemark/operators/sink.h"
#include "tidemark/operators/typed_aggregates.h"
#include "tidemark/operators/typed_cells.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// `Keys` and `Values` are std::tuple: keys in the types of the row (text as std::string), and for
// each aggregate an int64 for a count, else std::optional of int64 or double.
template <typename Keys, typename Values>
struct Result {
  std::size_t window = 0;  // which of the job's windows, from 0
  SysTimeMs window_start;
  SysTimeMs window_end;  // exclusive
  Keys keys;
  Values values;
  // Of jobs whose windows may fire several times; otherwise the only firing.
  PaneInfo pane{};

  // The key, of a job with one.
  const auto& key() const {
    static_assert(std::tuple_size_v<Keys> == 1, "key() is for jobs with one key: use keys");
    return std::get<0>(keys);
  }
  template <std::size_t kIndex>
  const auto& value() const {
    return std::get<kIndex>(values);
  }
};

// A row that no window accepted.
template <typename Keys>
struct LateRow {
  SysTimeMs event_time;
  Keys keys;
  SysTimeMs watermark;  // of its worker, when it came

  std::chrono::milliseconds lateness() const { return watermark - event_time; }
};

inline SysTimeMs to_sys_time(EventTime time) { return SysTimeMs(std::chrono::milliseconds(time)); }

// The keys of row `row`, in columns from `first` on.
template <typename Keys>
Keys keys_at(const Batch& rows, std::size_t row, std::size_t first) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return Keys{key_at<std::tuple_element_t<kIndex, Keys>>(rows.column(first + kIndex), row)...};
  }
  (std::make_index_sequence<std::tuple_size_v<Keys>>{});
}

template <typename Values>
Values values_at(const Batch& rows, std::size_t row, std::size_t first) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return Values{
        aggregate_at<std::tuple_element_t<kIndex, Values>>(rows.column(first + kIndex), row)...};
  }
  (std::make_index_sequence<std::tuple_size_v<Values>>{});
}

// The pane of row `row`, in columns from `first` on, if the results have one.
PaneInfo pane_at(const Batch& results, std::size_t row, std::size_t first);

template <typename Keys, typename Values, typename Callback>
class CallbackSink final : public ResultSink {
 public:
  explicit CallbackSink(std::shared_ptr<Callback> callback) : callback_(std::move(callback)) {}

  void accept(const Batch& results) override {
    constexpr std::size_t kFirstKey = 2;
    constexpr std::size_t kFirstValue = kFirstKey + std::tuple_size_v<Keys>;
    for (std::size_t row = 0; row < results.size(); ++row) {
      std::invoke(*callback_,
                  Result<Keys, Values>{
                      .window = results.header.window,
                      .window_start = to_sys_time(results.column(0).int64s()[row]),
                      .window_end = to_sys_time(results.column(1).int64s()[row]),
                      .keys = keys_at<Keys>(results, row, kFirstKey),
                      .values = values_at<Values>(results, row, kFirstValue),
                      .pane = pane_at(results, row, kFirstValue + std::tuple_size_v<Values>)});
    }
  }

 private:
  std::shared_ptr<Callback> callback_;
};

template <typename Keys, typename Callback>
class CallbackLateSink final : public LateSink {
 public:
  explicit CallbackLateSink(std::shared_ptr<Callback> callback) : callback_(std::move(callback)) {}

  void accept(const Batch& rows, std::size_t row, EventTime watermark) override {
    std::invoke(*callback_, LateRow<Keys>{.event_time = to_sys_time(rows.times()[row]),
                                          .keys = keys_at<Keys>(rows, row, 0),
                                          .watermark = to_sys_time(watermark)});
  }

 private:
  std::shared_ptr<Callback> callback_;
};

}  // namespace tidemark
