// The three latencies of a result, kept apart.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "tidemark/perf/latency_recorder.h"

namespace tidemark {

// Each is the time from an instant to the sink's having the result. The newest row of a window is
// the last one whose turn comes before the window's end; of a session the last before its gap.
struct ResultLatencies {
  // From when the schedule had the newest row due, whenever it was sent: what a user sees.
  LatencyRecorder event_time_to_result;
  // From when the newest row was really handed to the engine.
  LatencyRecorder hand_over_to_result;
  // From when the watermark that completes the window had entered the engine on all partitions:
  // with the first row of each at or after the window's end + delay.
  LatencyRecorder watermark_to_result;

  void merge(const ResultLatencies& other) {
    event_time_to_result.merge(other.event_time_to_result);
    hand_over_to_result.merge(other.hand_over_to_result);
    watermark_to_result.merge(other.watermark_to_result);
  }

  // With their names in reports.
  std::array<std::pair<std::string_view, const LatencyRecorder*>, 3> all() const {
    return {{{"event_time_to_result", &event_time_to_result},
             {"hand_over_to_result", &hand_over_to_result},
             {"watermark_to_result", &watermark_to_result}}};
  }
};

}  // namespace tidemark
