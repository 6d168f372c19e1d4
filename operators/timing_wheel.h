// Timers that are nearly always put off: most sessions have grown when theirs comes up.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "tidemark/runtime/time.h"

namespace tidemark {

// The numbers in the buckets of a timing wheel, in blocks that all buckets share. Not thread-safe.
class TimerBuckets {
 public:
  static constexpr std::size_t kBuckets = 128;

  explicit TimerBuckets(std::pmr::memory_resource& memory) : blocks_(&memory), free_(&memory) {}

  // Adds a number behind those in the bucket; buckets beyond kBuckets start over.
  void push(std::int64_t bucket, std::uint32_t number);

  // Empties the bucket, and calls visit() with its numbers, some at a time, in the order in which
  // they came. They may go back into any bucket meanwhile.
  template <typename Visit>
  void take(std::int64_t bucket, const Visit& visit);

  // Replaces each number by `renamed(number)`; gives back memory that is not in use.
  template <typename Renamed>
  void rename(const Renamed& renamed);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Block {
    std::uint32_t next;
    std::uint32_t size;
    std::array<std::uint32_t, 62> numbers;
  };
  struct Bucket {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  Bucket& at(std::int64_t bucket) { return buckets_[static_cast<std::size_t>(bucket) % kBuckets]; }
  void add_block(Bucket& bucket);

  std::array<Bucket, kBuckets> buckets_;
  std::pmr::vector<Block> blocks_;
  std::pmr::vector<std::uint32_t> free_;
};

// A hashed timing wheel (Varghese and Lauck 1987): a ring of buckets, each for every kBuckets-th
// stretch of time. It holds 4 bytes per timer, the number of what is timed, and no time: that is
// asked for when the bucket comes up, and who is not due within the bucket goes on to a later one.
// The few that are wait in a heap, so that bucket width costs no precision. As in a calendar queue
// (Brown 1988) the width follows the timers: it is such that the mean timer lies a quarter to half
// a turn ahead.
//
// A timer costs a constant, and a look per turn that it lies ahead. Not thread-safe.
class TimingWheel {
 public:
  // `expected`: how far ahead timers will lie, ms; a guess that is corrected later.
  TimingWheel(std::int64_t expected, std::pmr::memory_resource& memory);

  // Adds the timer of `number`, due at `time`.
  void add(std::uint32_t number, EventTime time);

  // Takes out all timers that are due at `now`, which never goes back. `time_of(number)` says when
  // a timer is due by now, never before the time that it was added with; `take(number)` gets each
  // that is due, in an order that does not depend on numbers. `expect(number)` comes a while before
  // time_of().
  template <typename TimeOf, typename Take, typename Expect>
  void take_due(EventTime now, const TimeOf& time_of, const Take& take, const Expect& expect);

  // The time up to which take_due() has been, kNoWatermark before.
  EventTime now() const { return now_; }
  // Where to stop on the way to `target`, so that no more than a bucket is taken at a time;
  // `target` itself where that is near, or so far that steps do not pay.
  EventTime next_stop(EventTime target);

  // Replaces each number by `renamed(number)`; gives back memory that is not in use.
  template <typename Renamed>
  void rename(const Renamed& renamed);

  std::size_t size() const { return size_; }
  // How often a timer was looked at and put off.
  std::uint64_t put_off() const { return put_off_; }

 private:
  static constexpr std::int64_t kBuckets = TimerBuckets::kBuckets;
  // The width is looked at after so many timers, or as many as there are.
  static constexpr std::size_t kFewTimers = 1024;

  // Among equal times the first in comes out first.
  struct Near {
    EventTime time;
    std::uint32_t order;
    std::uint32_t number;
    friend bool operator>(const Near& a, const Near& b) {
      if (a.time != b.time) return a.time > b.time;
      return static_cast<std::int32_t>(a.order - b.order) > 0;
    }
  };

  static int shift_for(double ahead);
  int fitting_shift() const;
  std::int64_t bucket_of(EventTime time) const { return time >> shift_; }
  void put(std::uint32_t number, EventTime time);
  bool wants_other_width();
  template <typename TimeOf, typename Take, typename Expect>
  void turn(std::int64_t to, const TimeOf& time_of, const Take& take, const Expect& expect);
  // Takes a timer that has come up, or puts it off.
  template <typename TimeOf, typename Take>
  void look_at(std::uint32_t number, const TimeOf& time_of, const Take& take);
  template <typename TimeOf>
  void set_width(const TimeOf& time_of);

  int shift_;  // buckets are 2^shift_ ms wide
  TimerBuckets buckets_;
  std::pmr::vector<Near> near_;             // a heap, the earliest first
  std::pmr::vector<std::uint32_t> coming_;  // out of the heap
  std::int64_t steps_ = 0;                  // stops since the last target
  EventTime now_ = kNoWatermark;
  std::int64_t current_ = 0;  // the bucket of now_
  std::uint32_t order_ = 0;
  std::size_t size_ = 0;
  std::uint64_t put_off_ = 0;
  // How many timers were put ahead since the width was looked at, and the sum of how many buckets.
  std::size_t noted_ = 0;
  std::int64_t distances_ = 0;
};

template <typename Visit>
void TimerBuckets::take(std::int64_t bucket, const Visit& visit) {
  std::uint32_t next = std::exchange(at(bucket), Bucket{}).first;
  while (next != kNone) {
    const std::uint32_t now = next;
    // A copy: visit() may add blocks.
    const Block block = blocks_[now];
    visit(std::span(block.numbers.data(), block.size));
    next = block.next;
    free_.push_back(now);
  }
}

template <typename Renamed>
void TimerBuckets::rename(const Renamed& renamed) {
  const std::pmr::vector<Block> old =
      std::exchange(blocks_, std::pmr::vector<Block>(blocks_.get_allocator()));
  free_.clear();
  free_.shrink_to_fit();
  for (std::size_t i = 0; i < kBuckets; ++i) {
    std::uint32_t next = std::exchange(buckets_[i], Bucket{}).first;
    for (; next != kNone; next = old[next].next) {
      for (std::size_t at = 0; at < old[next].size; ++at) {
        push(static_cast<std::int64_t>(i), renamed(old[next].numbers[at]));
      }
    }
  }
}

template <typename TimeOf, typename Take, typename Expect>
void TimingWheel::take_due(EventTime now, const TimeOf& time_of, const Take& take,
                           const Expect& expect) {
  if (now <= now_) return;
  const std::int64_t target = bucket_of(now);
  // Once around is enough, and before there was a time, buckets are not in order.
  if (now_ == kNoWatermark || current_ < target - kBuckets) current_ = target - kBuckets;
  now_ = now;
  if (current_ < target) turn(target, time_of, take, expect);
  coming_.clear();
  while (!near_.empty() && near_.front().time <= now) {
    coming_.push_back(near_.front().number);
    expect(coming_.back());
    std::pop_heap(near_.begin(), near_.end(), std::greater<>{});
    near_.pop_back();
  }
  for (const std::uint32_t number : coming_) look_at(number, time_of, take);
  if (wants_other_width()) set_width(time_of);
}

template <typename TimeOf, typename Take, typename Expect>
void TimingWheel::turn(std::int64_t to, const TimeOf& time_of, const Take& take,
                       const Expect& expect) {
  const std::int64_t from = std::exchange(current_, to);
  for (std::int64_t step = 1; step <= to - from; ++step) {
    buckets_.take(from + step, [&](std::span<const std::uint32_t> numbers) {
      for (const std::uint32_t number : numbers) expect(number);
      for (const std::uint32_t number : numbers) look_at(number, time_of, take);
    });
  }
}

template <typename TimeOf, typename Take>
void TimingWheel::look_at(std::uint32_t number, const TimeOf& time_of, const Take& take) {
  const EventTime time = time_of(number);
  if (time <= now_) {
    --size_;
    take(number);
  } else {
    ++put_off_;
    put(number, time);
  }
}

template <typename TimeOf>
void TimingWheel::set_width(const TimeOf& time_of) {
  shift_ = fitting_shift();
  current_ = bucket_of(now_);
  std::vector<std::uint32_t> all;
  for (std::int64_t bucket = 0; bucket < kBuckets; ++bucket) {
    buckets_.take(bucket, [&](std::span<const std::uint32_t> numbers) {
      all.insert(all.end(), numbers.begin(), numbers.end());
    });
  }
  for (const std::uint32_t number : all) put(number, time_of(number));
  noted_ = 0;
  distances_ = 0;
}

template <typename Renamed>
void TimingWheel::rename(const Renamed& renamed) {
  buckets_.rename(renamed);
  for (Near& near : near_) near.number = renamed(near.number);
  near_.shrink_to_fit();
  coming_.clear();
  coming_.shrink_to_fit();
}

}  // namespace tidemark
