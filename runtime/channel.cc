#include "tidemark/runtime/channel.h"

#include <new>
#include <stdexcept>
#include <string>

namespace tidemark {

namespace {

using Queue = moodycamel::ConcurrentQueue<Batch*>;

// The queue keeps a ring of blocks per producer token and reuses the oldest block once all of its
// entries have been taken. With `credit` batches at most credit - 1 earlier entries are still in
// the queue when one more is put in, so this many blocks always hold one that is free.
std::size_t blocks_needed(std::size_t credit) {
  return 1 + (credit - 1 + Queue::BLOCK_SIZE - 1) / Queue::BLOCK_SIZE;
}

// Makes the ring of blocks now, so that try_enqueue() with this token never needs memory.
void reserve_ring(Queue& queue, const moodycamel::ProducerToken& token, std::size_t credit) {
  const std::size_t entries = blocks_needed(credit) * Queue::BLOCK_SIZE;
  for (std::size_t i = 0; i < entries; ++i) {
    if (!queue.enqueue(token, nullptr)) throw std::bad_alloc();
  }
  Batch* none = nullptr;
  while (queue.try_dequeue_from_producer(token, none)) {
  }
}

std::size_t checked_credit(std::size_t credit, std::uint32_t index) {
  if (credit > 0) return credit;
  throw std::invalid_argument("channel " + std::to_string(index) +
                              " has no credit; it needs at least one batch");
}

}  // namespace

Inbox::Inbox(Parker& consumer) : consumer_(consumer), token_(queue_) {}

Batch* Inbox::try_receive() {
  Batch* batch = nullptr;
  // The queue acquires what the producer's enqueue released, so the batch's contents are seen.
  return queue_.try_dequeue(token_, batch) ? batch : nullptr;
}

Channel::Channel(Inbox& inbox, std::uint32_t index, Parker& producer, const Schema& schema,
                 std::size_t batch_rows, std::size_t credit, ChannelFigures* figures)
    : inbox_(inbox),
      index_(index),
      producer_(producer),
      figures_(figures),
      send_token_(inbox.queue_),
      home_(blocks_needed(checked_credit(credit, index)) * Queue::BLOCK_SIZE),
      home_token_(home_) {
  reserve_ring(inbox_.queue_, send_token_, credit);
  reserve_ring(home_, home_token_, credit);
  batches_.reserve(credit);
  for (std::size_t i = 0; i < credit; ++i) {
    batches_.push_back(std::make_unique<Batch>(schema, batch_rows));
    home_.enqueue(home_token_, batches_.back().get());
  }
}

Batch* Channel::try_acquire() {
  Batch* batch = nullptr;
  return home_.try_dequeue_from_producer(home_token_, batch) ? batch : nullptr;
}

void Channel::send(Batch* batch) {
  batch->header.channel = index_;
  if (figures_ != nullptr) figures_->sent.add(1);
  // There is always room for the batches that the channel owns: see blocks_needed().
  if (!inbox_.queue_.try_enqueue(send_token_, batch)) {
    throw std::logic_error("channel " + std::to_string(index_) +
                           " was given more batches than it owns; send each acquired batch once");
  }
  inbox_.consumer_.unpark();
}

void Channel::release(Batch* batch) {
  batch->clear();
  if (!home_.try_enqueue(home_token_, batch)) {
    throw std::logic_error("channel " + std::to_string(index_) +
                           " got back more batches than it owns; release each received batch once");
  }
  if (figures_ != nullptr) figures_->released.add(1);
  producer_.unpark();
}

}  // namespace tidemark
