#include "tidemark/runtime/watermark_alignment.h"

#include <algorithm>
#include <stdexcept>

namespace tidemark {

WatermarkAlignment::WatermarkAlignment(std::size_t channels) : channels_(channels) {
  if (channels == 0) {
    throw std::invalid_argument("watermark alignment needs at least one channel");
  }
}

std::optional<EventTime> WatermarkAlignment::on_watermark(std::size_t channel,
                                                          EventTime watermark) {
  ChannelState& state = channels_[channel];
  if (state.state != State::kActive || watermark <= state.watermark) return std::nullopt;
  // An aligned channel that was above the result did not hold it back: the minimum stands.
  const bool held_result = !state.aligned || state.watermark <= watermark_;
  state.watermark = watermark;
  state.aligned = state.aligned || watermark >= watermark_;
  // The end of time is not a minimum that others could be measured by, so it is always looked at.
  return held_result || watermark == kEndOfTime ? reposition() : std::nullopt;
}

std::optional<EventTime> WatermarkAlignment::on_idle(std::size_t channel) {
  ChannelState& state = channels_[channel];
  if (state.state != State::kActive) return std::nullopt;
  state.state = State::kIdle;
  state.aligned = false;
  return reposition();
}

std::optional<EventTime> WatermarkAlignment::on_active(std::size_t channel) {
  ChannelState& state = channels_[channel];
  if (state.state != State::kIdle) return std::nullopt;
  state.state = State::kActive;
  state.aligned = state.watermark >= watermark_;
  return reposition();
}

std::optional<EventTime> WatermarkAlignment::on_finished(std::size_t channel) {
  ChannelState& state = channels_[channel];
  if (state.state == State::kFinished) return std::nullopt;
  state.state = State::kFinished;
  return reposition();
}

bool WatermarkAlignment::idle() const {
  bool all_complete = true;
  for (const ChannelState& state : channels_) {
    if (is_complete(state)) continue;
    if (state.state == State::kActive) return false;
    all_complete = false;
  }
  return !all_complete;
}

bool WatermarkAlignment::finished() const {
  return std::ranges::all_of(
      channels_, [](const ChannelState& state) { return state.state == State::kFinished; });
}

bool WatermarkAlignment::is_complete(const ChannelState& state) {
  return state.state == State::kFinished || state.watermark == kEndOfTime;
}

// The rules of the header in one pass over the channels.
std::optional<EventTime> WatermarkAlignment::reposition() {
  bool any_idle = false;
  bool any_active = false;
  EventTime highest_idle = kNoWatermark;
  // Stays at the end of time when no channel is aligned.
  EventTime lowest_aligned = kEndOfTime;
  for (const ChannelState& state : channels_) {
    if (is_complete(state)) continue;
    if (state.state == State::kIdle) {
      any_idle = true;
      highest_idle = std::max(highest_idle, state.watermark);
    } else {
      any_active = true;
      if (state.aligned) lowest_aligned = std::min(lowest_aligned, state.watermark);
    }
  }
  if (any_active) {
    // With no aligned channel nothing is known: the active ones have yet to catch up.
    return lowest_aligned == kEndOfTime ? std::nullopt : raise_to(lowest_aligned);
  }
  return raise_to(any_idle ? highest_idle : kEndOfTime);
}

std::optional<EventTime> WatermarkAlignment::raise_to(EventTime watermark) {
  if (watermark <= watermark_) return std::nullopt;
  watermark_ = watermark;
  return watermark_;
}

}  // namespace tidemark
