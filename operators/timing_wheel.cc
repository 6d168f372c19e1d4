#include "tidemark/operators/timing_wheel.h"

#include <bit>

namespace tidemark {

namespace {
// Buckets: a few timers that lie years ahead do not set the width for all.
constexpr std::int64_t kFarthest = std::int64_t{1} << 20;
}  // namespace

void TimerBuckets::push(std::int64_t bucket, std::uint32_t number) {
  Bucket& place = at(bucket);
  if (place.last == kNone || blocks_[place.last].size == blocks_[place.last].numbers.size()) {
    add_block(place);
  }
  Block& block = blocks_[place.last];
  block.numbers[block.size++] = number;
}

void TimerBuckets::add_block(Bucket& bucket) {
  auto block = static_cast<std::uint32_t>(blocks_.size());
  if (free_.empty()) {
    blocks_.emplace_back();
  } else {
    block = free_.back();
    free_.pop_back();
  }
  blocks_[block].next = kNone;
  blocks_[block].size = 0;
  if (bucket.last == kNone) {
    bucket.first = block;
  } else {
    blocks_[bucket.last].next = block;
  }
  bucket.last = block;
}

TimingWheel::TimingWheel(std::int64_t expected, std::pmr::memory_resource& memory)
    : shift_(shift_for(static_cast<double>(expected))),
      buckets_(memory),
      near_(&memory),
      coming_(&memory) {}

int TimingWheel::shift_for(double ahead) {
  const double width = std::max(ahead / (static_cast<double>(kBuckets) / 4), 1.0);
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(width))) - 1;
}

void TimingWheel::add(std::uint32_t number, EventTime time) {
  ++size_;
  put(number, time);
}

void TimingWheel::put(std::uint32_t number, EventTime time) {
  const std::int64_t bucket = bucket_of(time);
  if (now_ != kNoWatermark) {
    ++noted_;
    if (bucket <= current_) {
      near_.push_back({time, order_++, number});
      std::push_heap(near_.begin(), near_.end(), std::greater<>{});
      return;
    }
    distances_ += std::min(bucket - current_, kFarthest);
  }
  buckets_.push(bucket, number);
}

EventTime TimingWheel::next_stop(EventTime target) {
  if (now_ == kNoWatermark || bucket_of(target) <= current_ + 1 || steps_ == kBuckets) {
    steps_ = 0;
    return target;
  }
  ++steps_;
  return ((current_ + 2) << shift_) - 1;
}

int TimingWheel::fitting_shift() const {
  return shift_for(static_cast<double>(distances_) / static_cast<double>(noted_) *
                   static_cast<double>(std::int64_t{1} << shift_));
}

bool TimingWheel::wants_other_width() {
  if (noted_ < std::max(kFewTimers, size_)) return false;
  const int shift = fitting_shift();
  if (shift >= shift_ + 2 || shift <= shift_ - 2) return true;
  noted_ = 0;
  distances_ = 0;
  return false;
}

}  // namespace tidemark
