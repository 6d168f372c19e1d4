// Timers of windows, at most one per window and queue.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <utility>
#include <vector>

#include "tidemark/operators/key_window.h"

namespace tidemark {

// A heap whose windows know their place, so that a window that ends takes its timer with it. Every
// step up or down writes to a window that is far away, so there are four children to a timer and
// half as many steps as with two (d-ary heap, Johnson 1975). Among equal times the order is not
// specified. Not thread-safe.
class TimerQueue {
 public:
  // `which` is the queue's place in KeyWindow::timer_place.
  TimerQueue(std::size_t which, std::pmr::memory_resource& memory)
      : which_(which), timers_(&memory) {}

  bool empty() const { return timers_.empty(); }
  EventTime first_time() const { return timers_.front().time; }
  KeyWindow& first() const { return *timers_.front().window; }

  bool has(const KeyWindow& window) const {
    return window.timer_place[which_] != KeyWindow::kNoTimer;
  }

  // Makes sure that the window's timer is at `time` or before. One that is due too early costs
  // little, since it is put back; sessions that grow with every row move none.
  void ask(KeyWindow& window, EventTime time) {
    std::size_t at = window.timer_place[which_];
    if (at == KeyWindow::kNoTimer) {
      at = timers_.size();
      timers_.push_back({time, &window});
      window.timer_place[which_] = at;
    } else if (time < timers_[at].time) {
      timers_[at].time = time;
    } else {
      return;
    }
    rise(at);
  }

  // Moves the window's timer, which is there, to `time`, which is not before it.
  void put_off(KeyWindow& window, EventTime time) {
    const std::size_t at = window.timer_place[which_];
    timers_[at].time = time;
    sink(at);
  }

  void remove(KeyWindow& window) {
    const std::size_t at = window.timer_place[which_];
    if (at == KeyWindow::kNoTimer) return;
    window.timer_place[which_] = KeyWindow::kNoTimer;
    const Timer last = timers_.back();
    timers_.pop_back();
    if (at < timers_.size()) {
      put(at, last);
      rise(at);
      sink(at);
    }
    if (timers_.size() < timers_.capacity() / 8) timers_.shrink_to_fit();
  }

  // Lets go of memory that is not in use.
  void trim() { timers_.shrink_to_fit(); }

 private:
  static constexpr std::size_t kChildren = 4;

  struct Timer {
    EventTime time;
    KeyWindow* window;
  };

  void put(std::size_t at, Timer timer) {
    timers_[at] = timer;
    timer.window->timer_place[which_] = at;
  }
  void rise(std::size_t at) {
    const Timer timer = timers_[at];
    while (at > 0) {
      const std::size_t parent = (at - 1) / kChildren;
      if (timers_[parent].time <= timer.time) break;
      put(at, timers_[parent]);
      at = parent;
    }
    put(at, timer);
  }
  void sink(std::size_t at) {
    const Timer timer = timers_[at];
    while (true) {
      const std::size_t first = kChildren * at + 1;
      if (first >= timers_.size()) break;
      const std::size_t end = std::min(first + kChildren, timers_.size());
      std::size_t child = first;
      for (std::size_t i = first + 1; i < end; ++i) {
        if (timers_[i].time < timers_[child].time) child = i;
      }
      if (timers_[child].time >= timer.time) break;
      put(at, timers_[child]);
      at = child;
    }
    put(at, timer);
  }

  std::size_t which_;
  std::pmr::vector<Timer> timers_;
};

}  // namespace tidemark
