// What a channel holds, for other threads to look at while it is used.
#pragma once

#include <cstdint>

#include "tidemark/runtime/published_value.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// A line for each of the two sides, so that neither slows the other down.
struct ChannelFigures {
  // By the producer: batches handed over.
  alignas(64) PublishedValue<std::uint64_t> sent;
  // By the consumer: batches given back, and the last watermark and idleness that it took in.
  alignas(64) PublishedValue<std::uint64_t> released;
  PublishedValue<EventTime> watermark{kNoWatermark};
  PublishedValue<bool> idle{false};

  // Batches on the way or with the consumer.
  std::uint64_t filled() const {
    const std::uint64_t gone = released.get();
    const std::uint64_t all = sent.get();
    return all > gone ? all - gone : 0;
  }
};

}  // namespace tidemark
