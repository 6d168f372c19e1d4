#include "tidemark/operators/job_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark {

void JobDescription::tell_panes() {
  query.reports_panes = query.lateness > 0 || query.trigger != nullptr ||
                        query.early.kind != EarlyFiring::Kind::kNone ||
                        query.accumulation != Accumulation::kAccumulating;
}

std::string JobDescription::free_name(std::string_view name) const {
  const Schema taken = query.result_schema();
  const auto is_taken = [&taken](std::string_view candidate) {
    return std::ranges::any_of(taken,
                               [candidate](const Field& field) { return field.name == candidate; });
  };
  std::string candidate(name);
  for (int number = 2; is_taken(candidate); ++number)
    candidate = fmt::format("{}_{}", name, number);
  return candidate;
}

void JobDescription::add_key(std::string name, ColumnType type, bool is_unsigned) {
  if (name.empty()) name = free_name("key");
  query.keys.push_back({std::move(name), type});
  unsigned_keys.push_back(is_unsigned);
}

void JobDescription::add_aggregate(AggregateSpec aggregate) {
  if (aggregate.name.empty()) aggregate.name = free_name(to_string(aggregate.function));
  query.aggregates.push_back(std::move(aggregate));
}

void SinkFanOut::accept(const Batch& results) {
  for (ResultSink* sink : sinks_) sink->accept(results);
}

void SinkFanOut::on_watermark(EventTime watermark) {
  for (ResultSink* sink : sinks_) sink->on_watermark(watermark);
}

void SinkFanOut::finish() {
  for (ResultSink* sink : sinks_) sink->finish();
}

void LateSinkFanOut::accept(const Batch& rows, std::size_t row, EventTime watermark) {
  for (LateSink* sink : sinks_) sink->accept(rows, row, watermark);
}

void LateSinkFanOut::finish() {
  for (LateSink* sink : sinks_) sink->finish();
}

}  // namespace tidemark
