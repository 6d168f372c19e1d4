#include "tidemark/operators/key_partition.h"

#include <algorithm>

#include "tidemark/operators/key_hash.h"

namespace tidemark {

KeyPartition::KeyPartition(const std::vector<Channel*>& channels) {
  for (Channel* channel : channels) lanes_.push_back({channel, nullptr, {}, 0, false});
}

void KeyPartition::route(Batch& rows, std::size_t begin, std::size_t end) {
  rows_ = &rows;
  begin_ = begin;
  end_ = end;
  picked_ = false;
  if (lanes_.size() == 1) return;
  deal(end - begin, [begin](std::size_t i) { return static_cast<std::uint16_t>(begin + i); });
}

void KeyPartition::route(Batch& rows, std::span<const std::uint16_t> which) {
  rows_ = &rows;
  picked_ = lanes_.size() == 1;
  if (picked_) {
    lanes_[0].selected.assign(which.begin(), which.end());
    lanes_[0].taken = 0;
  } else {
    deal(which.size(), [which](std::size_t i) { return which[i]; });
  }
}

// No branch on a hash, and no store that the next row must wait for: each pass fills two lanes.
template <typename RowOf>
void KeyPartition::deal(std::size_t n, const RowOf& row_of) {
  const std::uint64_t* const hashes = rows_->hashes();
  const auto consumers = static_cast<std::uint32_t>(lanes_.size());
  for (Lane& lane : lanes_) {
    lane.selected.resize(n);
    lane.taken = 0;
  }
  for (std::uint32_t even = 0; even < consumers; even += 2) {
    const bool paired = even + 1 < consumers;
    std::vector<std::uint16_t>& first = lanes_[even].selected;
    std::vector<std::uint16_t>& second = paired ? lanes_[even + 1].selected : spare_;
    second.resize(n);
    std::uint16_t* const first_rows = first.data();
    std::uint16_t* const second_rows = second.data();
    std::size_t firsts = 0;
    std::size_t seconds = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint16_t row = row_of(i);
      const std::uint32_t consumer = consumer_of(hashes[row], consumers);
      first_rows[firsts] = second_rows[seconds] = row;
      firsts += static_cast<std::size_t>(consumer == even);
      seconds += static_cast<std::size_t>(consumer == even + 1);
    }
    first.resize(firsts);
    second.resize(seconds);
  }
}

bool KeyPartition::push() {
  if (lanes_.size() == 1 && !picked_) return push_whole();
  bool all = true;
  for (Lane& lane : lanes_) all &= push_selected(lane);
  return all;
}

bool KeyPartition::push_whole() {
  Lane& lane = lanes_[0];
  while (begin_ < end_) {
    const bool whole = begin_ == 0 && end_ == rows_->size();
    // What is left from before a cut goes first, so that whole batches are never copied.
    if (whole && lane.batch != nullptr && !lane.batch->empty()) send(lane);
    Batch* batch = batch_of(lane);
    if (batch == nullptr) return false;
    if (whole && rows_->capacity() == batch->capacity() && rows_->state_size() == 0) {
      batch->swap_rows(*rows_);
      begin_ = end_;
    } else {
      const std::size_t n = std::min(batch->capacity() - batch->size(), end_ - begin_);
      batch->append_range(*rows_, begin_, begin_ + n);
      begin_ += n;
    }
    if (batch->full()) send(lane);
  }
  return true;
}

bool KeyPartition::push_selected(Lane& lane) {
  while (lane.taken < lane.selected.size()) {
    Batch* batch = batch_of(lane);
    if (batch == nullptr) return false;
    const std::size_t n =
        std::min(batch->capacity() - batch->size(), lane.selected.size() - lane.taken);
    batch->append_selected(*rows_, std::span(lane.selected).subspan(lane.taken, n));
    lane.taken += n;
    if (batch->full()) send(lane);
  }
  return true;
}

// A batch is of rows or of partial states.
Batch* KeyPartition::batch_of(Lane& lane) {
  const bool differs = lane.batch != nullptr && !lane.batch->empty() &&
                       lane.batch->state_size() != rows_->state_size();
  if (differs) send(lane);
  return acquire(lane) ? lane.batch : nullptr;
}

bool KeyPartition::acquire(Lane& lane) {
  if (lane.batch == nullptr) lane.batch = lane.channel->try_acquire();
  return lane.batch != nullptr;
}

void KeyPartition::send(Lane& lane) {
  ++batches_sent_;
  lane.channel->send(lane.batch);
  lane.batch = nullptr;
}

bool KeyPartition::flush(const BatchHeader& header) {
  const bool says_something =
      header.watermark != kNoWatermark || header.idle || header.end_of_stream;
  bool all = true;
  for (Lane& lane : lanes_) {
    if (lane.flushed) continue;
    const bool empty = lane.batch == nullptr || lane.batch->empty();
    if (!empty || says_something) {
      if (!acquire(lane)) {
        all = false;
        continue;
      }
      BatchHeader& sent = lane.batch->header;
      sent.watermark = header.watermark;
      sent.idle = header.idle;
      sent.end_of_stream = header.end_of_stream;
      sent.cancelled = header.cancelled;
      send(lane);
    }
    lane.flushed = true;
  }
  if (all) {
    for (Lane& lane : lanes_) lane.flushed = false;
  }
  return all;
}

bool KeyPartition::holds_rows() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.batch != nullptr && !lane.batch->empty();
  });
}

}  // namespace tidemark
