#include "support/number_tasks.h"

#include <gtest/gtest.h>

namespace tidemark::test_support {

namespace {
const Schema kNumberSchema{{"number", ColumnType::kInt64}};
}

std::size_t scaled(std::size_t work) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return work / 10;
#else
  return work;
#endif
}

NumberSource::NumberSource(std::vector<Channel*> outputs, Numbers numbers, Route route)
    : outputs_(std::move(outputs)),
      pending_(outputs_.size(), nullptr),
      numbers_(numbers),
      route_(std::move(route)) {}

TaskStatus NumberSource::run() {
  return numbers_.first < numbers_.end ? send_numbers() : end_outputs();
}

// Up to one full batch.
TaskStatus NumberSource::send_numbers() {
  bool progress = false;
  while (numbers_.first < numbers_.end) {
    const std::size_t output = route_(numbers_.first);
    if (!has_room(output)) return progress ? TaskStatus::kProgress : TaskStatus::kWaiting;
    Batch* batch = pending_[output];
    batch->times()[batch->size()] = numbers_.first;
    batch->column(0).int64s()[batch->size()] = numbers_.first;
    batch->set_size(batch->size() + 1);
    numbers_.first += numbers_.step;
    progress = true;
    if (batch->full() && numbers_.first < numbers_.end) {
      send(output);
      break;
    }
  }
  return TaskStatus::kProgress;
}

TaskStatus NumberSource::end_outputs() {
  if (ended_outputs_ == outputs_.size()) return TaskStatus::kFinished;
  if (!has_room(ended_outputs_) && pending_[ended_outputs_] == nullptr) return TaskStatus::kWaiting;
  pending_[ended_outputs_]->header.end_of_stream = true;
  send(ended_outputs_++);
  return TaskStatus::kProgress;
}

// A batch with room for one more row is pending for the output.
bool NumberSource::has_room(std::size_t output) {
  if (pending_[output] == nullptr) pending_[output] = outputs_[output]->try_acquire();
  return pending_[output] != nullptr && !pending_[output]->full();
}

void NumberSource::send(std::size_t output) {
  outputs_[output]->send(pending_[output]);
  pending_[output] = nullptr;
}

NumberSink::NumberSink(Inbox& inbox, std::vector<Channel*> inputs, OnNumber on_number)
    : inbox_(inbox),
      inputs_(std::move(inputs)),
      on_number_(std::move(on_number)),
      ended_(inputs_.size(), false) {}

TaskStatus NumberSink::run() {
  if (stalled_until_) {
    if (Clock::now() < *stalled_until_) return TaskStatus::kWaiting;
    stalled_until_.reset();
  }
  Batch* batch = inbox_.try_receive();
  if (batch == nullptr) return TaskStatus::kWaiting;
  const std::uint32_t channel = batch->header.channel;
  EXPECT_FALSE(ended_.at(channel)) << "a batch came after the end of channel " << channel;
  for (std::size_t row = 0; row < batch->size(); ++row) {
    const std::int64_t number = batch->column(0).int64s()[row];
    EXPECT_EQ(batch->times()[row], number) << "the row is torn";
    on_number_(channel, number);
  }
  if (batch->header.end_of_stream) {
    ended_[channel] = true;
    ++ended_count_;
  }
  inputs_[channel]->release(batch);
  return ended_count_ == inputs_.size() ? TaskStatus::kFinished : TaskStatus::kProgress;
}

Forwarder::Forwarder(Inbox& inbox, Channel& input, Channel& output)
    : inbox_(inbox), input_(input), output_(output) {}

TaskStatus Forwarder::run() {
  if (received_ == nullptr) received_ = inbox_.try_receive();
  if (received_ == nullptr) return TaskStatus::kWaiting;
  Batch* out = output_.try_acquire();
  if (out == nullptr) return TaskStatus::kWaiting;
  const bool end = received_->header.end_of_stream;
  out->swap_rows(*received_);
  out->header.end_of_stream = end;
  output_.send(out);
  input_.release(received_);
  received_ = nullptr;
  return end ? TaskStatus::kFinished : TaskStatus::kProgress;
}

Inbox& Network::inbox(std::size_t consumer_core) {
  return inboxes_.emplace_back(scheduler_.parker(consumer_core));
}

Channel& Network::connect(Inbox& inbox, std::uint32_t index, std::size_t producer_core,
                          std::size_t rows, std::size_t credit) {
  return channels_.emplace_back(inbox, index, scheduler_.parker(producer_core), kNumberSchema, rows,
                                credit);
}

}  // namespace tidemark::test_support
