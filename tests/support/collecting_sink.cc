#include "support/collecting_sink.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::test_support {

namespace {

bool has(const WindowQuery& query, WindowKind kind) {
  return std::any_of(query.windows.begin(), query.windows.end(),
                     [kind](const WindowSpec& spec) { return spec.kind == kind; });
}

}  // namespace

// A session that takes back what it said early under older bounds may do so behind their end.
CollectingSink::CollectingSink(const WindowQuery& query)
    : key_count_(query.keys.size()),
      is_on_time_(
          query.lateness == 0 && !has(query, WindowKind::kCount) &&
          !(query.accumulation == Accumulation::kRetracting && has(query, WindowKind::kSession))) {}

void CollectingSink::accept(const Batch& results) {
  check_alive("accept");
  for (std::size_t row = 0; row < results.size(); ++row) {
    ResultRow result;
    result.window = results.header.window;
    result.start = results.column(0).int64s()[row];
    result.end = results.column(1).int64s()[row];
    for (std::size_t i = 2; i < results.column_count(); ++i) {
      auto& cells = i < 2 + key_count_ ? result.keys : result.aggregates;
      cells.push_back(cell_at(results.column(i), row));
    }
    if (results.times()[row] != result.end - 1) {
      faults_.push_back("event time is not window end - 1: " + to_text(result));
    }
    if (is_on_time_ && result.end - 1 <= watermark_) {
      faults_.push_back(fmt::format("result after watermark {}: {}", watermark_, to_text(result)));
    }
    results_.push_back(std::move(result));
  }
}

void CollectingSink::on_watermark(EventTime watermark) {
  check_alive("on_watermark");
  if (watermark < watermark_) {
    faults_.push_back(fmt::format("watermark fell from {} to {}", watermark_, watermark));
  }
  watermark_ = watermark;
}

void CollectingSink::check_alive(const char* call) {
  if (finished_ > 0) faults_.push_back(fmt::format("{} after finish", call));
}

std::vector<Row> CollectingLateSink::rows() const {
  std::vector<Row> rows;
  rows.reserve(late_.size());
  for (const LateRow& late : late_) rows.push_back(late.row);
  return rows;
}

}  // namespace tidemark::test_support
