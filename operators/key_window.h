// The state of one key in one window, where keys and windows end one by one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tidemark/operators/held_entry.h"
#include "tidemark/operators/trigger.h"
#include "tidemark/operators/window_rows.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// What a fired window had said before its bounds changed.
struct TakenBack {
  EventTime start;
  EventTime end;
  HeldEntry content;
};

// What only windows that can fire more than once have.
struct FiringState {
  std::unique_ptr<Trigger> trigger;
  std::vector<EventTime> event_timers;  // asked for by the trigger
  std::vector<EventTime> processing_timers;
  HeldEntry reported;  // the content of the last firing; empty: none
  std::vector<TakenBack> taken_back;
  std::unique_ptr<WindowRows> rows;  // for evictors
};

struct KeyWindow {
  EventTime start = 0;
  EventTime end = 0;
  std::int64_t number = 0;  // of windows with edges known ahead
  std::byte* content = nullptr;
  std::uint64_t rows = 0;  // in the content
  std::uint32_t slot = 0;
  std::uint32_t firings = 0;
  EventTime last_row = kNoWatermark;  // highest event time in it
  bool end_passed = false;            // the watermark has passed end - 1 and it has fired for that
  std::size_t place = 0;              // in the list of all
  // Place in the queue of event time timers and in that of processing time timers.
  std::array<std::size_t, 2> timer_place{kNoTimer, kNoTimer};
  KeyWindow* next_of_key = nullptr;
  std::unique_ptr<FiringState> firing;  // null where nothing of it is needed

  static constexpr std::size_t kNoTimer = ~std::size_t{0};

  // The last ms that belongs to it.
  EventTime last_ms() const { return end == kEndOfTime ? kEndOfTime : end - 1; }
};

}  // namespace tidemark
