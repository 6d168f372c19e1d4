#include "tidemark/runtime/watermark_drift.h"

#include <algorithm>

namespace tidemark {

WatermarkDrift::WatermarkDrift(std::int64_t limit, std::vector<Parker*> parkers)
    : limit_(limit), count_(parkers.size()), sources_(std::make_unique<Source[]>(parkers.size())) {
  for (std::size_t i = 0; i < count_; ++i) sources_[i].parker = parkers[i];
}

// Both sides write one word and then read the other's: sequential consistency makes sure that at
// least one of them sees the other, so a source never waits for a step that has already been made.

void WatermarkDrift::publish(std::size_t source, EventTime watermark) {
  sources_[source].watermark.store(watermark, std::memory_order_seq_cst);
  for (std::size_t other = 0; other < count_; ++other) {
    if (other == source || !sources_[other].waiting.load(std::memory_order_seq_cst)) continue;
    if (!within_limit(other)) continue;
    sources_[other].waiting.store(false, std::memory_order_seq_cst);
    sources_[other].parker->unpark();
  }
}

bool WatermarkDrift::may_read(std::size_t source) {
  if (within_limit(source)) return true;
  sources_[source].waiting.store(true, std::memory_order_seq_cst);
  if (!within_limit(source)) return false;
  sources_[source].waiting.store(false, std::memory_order_seq_cst);
  return true;
}

bool WatermarkDrift::within_limit(std::size_t source) const {
  EventTime slowest = kEndOfTime;
  for (std::size_t other = 0; other < count_; ++other) {
    if (other == source) continue;
    slowest = std::min(slowest, sources_[other].watermark.load(std::memory_order_seq_cst));
  }
  const EventTime own = sources_[source].watermark.load(std::memory_order_seq_cst);
  // A source that has read nothing yet holds nobody back before they have read anything either.
  return own == kNoWatermark || own <= saturating_add(slowest, limit_);
}

}  // namespace tidemark
