#include "support/window_stage.h"

#include "tidemark/operators/key_hash.h"

namespace tidemark::test_support {

WindowStage::WindowStage(const WindowQuery& query, ResultSink& sink, KeyCollection collection,
                         std::size_t result_rows, bool refusals, const WallClock& clock)
    : query_(query),
      sink_(sink),
      results_(query.result_schema(), result_rows),
      refusals_(refusals),
      operator_(query, plan_query(query), *this, collection, clock) {}

void WindowStage::add(Batch& rows) {
  hash_keys(rows, query_.keys.size(), 0, rows.size());
  late_.clear();
  while (!operator_.add(rows, late_)) {
  }
  late_count_ += late_.size();
}

void WindowStage::add_in_time(Batch& rows, std::span<const EventTime> watermarks) {
  hash_keys(rows, query_.keys.size(), 0, rows.size());
  late_.clear();
  late_watermarks_.clear();
  while (!operator_.add_in_time(rows, watermarks, late_, late_watermarks_)) {
  }
  late_count_ += late_.size();
}

void WindowStage::advance(EventTime watermark) {
  operator_.advance(watermark);
  follow_clock();
}

void WindowStage::follow_clock() {
  while (!operator_.fire()) {
  }
  operator_.emitter().flush();
}

StateCounters WindowStage::state() const {
  RunReport report;
  operator_.report(report);
  return report.state;
}

Batch* WindowStage::acquire() {
  refused_ = refusals_ && !refused_;
  return refused_ ? nullptr : &results_;
}

void WindowStage::deliver(Batch* results) {
  if (!results->empty()) sink_.accept(*results);
  results->clear();
}

}  // namespace tidemark::test_support
