// The watermark of a consumer with several channels: the minimum over its active, aligned channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tidemark/runtime/time.h"

namespace tidemark {

// The rules, for a watermark that never goes back:
//  - a channel counts while it is active and aligned; nothing is known until all such channels have
//    delivered a watermark;
//  - a watermark not above the channel's last one, or on an idle channel, is ignored;
//  - an idle channel is left out; one that becomes active again is left out until its own watermark
//    has caught up with the result;
//  - when the last active channel becomes idle the result rises to the highest watermark of all
//  idle
//    channels, and the result itself is idle;
//  - a finished channel is left out for good, and does not count as idle: it never drags the result
//    to the end while others merely pause. When all have finished the result is kEndOfTime;
//  - a channel whose watermark is kEndOfTime is complete: it is left out like a finished one.
// `channel` counts from 0. Cost: one pass over the channels for an event that can move the result.
// Not thread-safe.
class WatermarkAlignment {
 public:
  explicit WatermarkAlignment(std::size_t channels);

  // Each returns the new watermark if the event raised it.
  std::optional<EventTime> on_watermark(std::size_t channel, EventTime watermark);
  std::optional<EventTime> on_idle(std::size_t channel);
  std::optional<EventTime> on_active(std::size_t channel);
  std::optional<EventTime> on_finished(std::size_t channel);

  // kNoWatermark until there is one.
  EventTime watermark() const { return watermark_; }
  // True while some channels are idle and all others are complete or finished.
  bool idle() const;
  // Whether the channel's watermark counts: it is active and has caught up.
  bool counts(std::size_t channel) const {
    return channels_[channel].state == State::kActive && channels_[channel].aligned;
  }
  // True once on_finished() has been called for every channel.
  bool finished() const;

 private:
  enum class State : std::uint8_t { kActive, kIdle, kFinished };
  struct ChannelState {
    EventTime watermark = kNoWatermark;
    State state = State::kActive;
    bool aligned = true;
  };

  static bool is_complete(const ChannelState& state);
  std::optional<EventTime> reposition();
  std::optional<EventTime> raise_to(EventTime watermark);

  std::vector<ChannelState> channels_;
  EventTime watermark_ = kNoWatermark;
};

}  // namespace tidemark
