// Channels carry recycled batches from one producer task to one consumer task.
//
// Data moves as pointers through a lock-free queue, one per consumer (its inbox), into which many
// channels push with a producer token each, so order holds per channel. A return queue brings empty
// batches home. The number of batches a channel owns is its credit: memory is bounded, a slow
// consumer stops its producers, and nothing is dropped.
#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/channel_figures.h"
#include "tidemark/runtime/parker.h"

namespace tidemark {

// Where a consumer task receives the batches of all its channels. Received by one thread.
class Inbox {
 public:
  // `consumer` is unparked at every send.
  explicit Inbox(Parker& consumer);

  // The next batch, or nullptr when nothing is there now. Batches of one channel come in the order
  // they were sent. Consumer only; never blocks.
  Batch* try_receive();

 private:
  friend class Channel;
  Parker& consumer_;
  moodycamel::ConcurrentQueue<Batch*> queue_;
  moodycamel::ConsumerToken token_;
};

class Channel {
 public:
  // Makes `credit` batches (at least 1) of `batch_rows` rows each and connects to `inbox` as its
  // channel number `index`. `producer` is unparked whenever a batch comes home. `figures`, which
  // must outlive the channel, may be null.
  Channel(Inbox& inbox, std::uint32_t index, Parker& producer, const Schema& schema,
          std::size_t batch_rows, std::size_t credit, ChannelFigures* figures = nullptr);

  // An empty batch, or nullptr while all of them are on the way. Producer only; never blocks.
  Batch* try_acquire();

  // Hands over a batch from try_acquire(). Producer only; never blocks, never fails.
  void send(Batch* batch);

  // Gives a received batch back, cleared. Consumer only; never blocks.
  void release(Batch* batch);

  std::uint32_t index() const { return index_; }

 private:
  Inbox& inbox_;
  std::uint32_t index_;
  Parker& producer_;
  ChannelFigures* figures_;  // may be null
  std::vector<std::unique_ptr<Batch>> batches_;
  moodycamel::ProducerToken send_token_;
  moodycamel::ConcurrentQueue<Batch*> home_;
  moodycamel::ProducerToken home_token_;
};

}  // namespace tidemark
