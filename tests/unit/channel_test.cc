#include "tidemark/runtime/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <stdexcept>

namespace tidemark {
namespace {

const Schema kSchema{{"value", ColumnType::kInt64}};
constexpr std::size_t kRows = 4;

TEST(Channel, OwnsExactlyItsCreditInDifferentBatches) {
  for (const std::size_t credit : {1U, 2U, 3U, 31U, 32U, 33U, 64U, 65U, 100U}) {
    Parker consumer;
    Parker producer;
    Inbox inbox(consumer);
    Channel channel(inbox, 0, producer, kSchema, kRows, credit);
    std::set<Batch*> batches;
    while (Batch* batch = channel.try_acquire()) batches.insert(batch);
    EXPECT_EQ(batches.size(), credit);
    for (const Batch* batch : batches) {
      EXPECT_EQ(batch->capacity(), kRows);
      EXPECT_TRUE(batch->empty());
    }
  }
}

TEST(Channel, NoCreditIsRefused) {
  Parker parker;
  Inbox inbox(parker);
  EXPECT_THROW(Channel(inbox, 0, parker, kSchema, kRows, 0), std::invalid_argument);
}

TEST(Channel, NothingSentIsNothingReceived) {
  Parker parker;
  Inbox inbox(parker);
  EXPECT_EQ(inbox.try_receive(), nullptr);
  const Channel channel(inbox, 0, parker, kSchema, kRows, 40);
  EXPECT_EQ(inbox.try_receive(), nullptr);
}

TEST(Channel, BatchCarriesItsChannelRowsAndHeader) {
  Parker parker;
  Inbox inbox(parker);
  Channel other(inbox, 6, parker, kSchema, kRows, 1);
  Channel channel(inbox, 7, parker, kSchema, kRows, 1);
  Batch* batch = channel.try_acquire();
  batch->times()[0] = 5;
  batch->column(0).int64s()[0] = 42;
  batch->set_size(1);
  batch->header.watermark = 9;
  channel.send(batch);

  Batch* received = inbox.try_receive();
  ASSERT_EQ(received, batch);
  EXPECT_EQ(received->header.channel, 7U);
  EXPECT_EQ(received->header.watermark, 9);
  EXPECT_EQ(received->times()[0], 5);
  EXPECT_EQ(received->column(0).int64s()[0], 42);
}

TEST(Channel, ReleasedBatchComesHomeCleared) {
  Parker parker;
  Inbox inbox(parker);
  Channel channel(inbox, 3, parker, kSchema, kRows, 1);
  Batch* batch = channel.try_acquire();
  batch->set_size(2);
  batch->column(0).set_null(1);
  batch->header.watermark = 1;
  batch->header.idle = batch->header.end_of_stream = batch->header.cancelled = true;
  channel.send(batch);
  EXPECT_EQ(channel.try_acquire(), nullptr) << "the only batch is on the way";
  channel.release(inbox.try_receive());

  const Batch* home = channel.try_acquire();
  ASSERT_EQ(home, batch);
  EXPECT_TRUE(home->empty());
  EXPECT_FALSE(home->column(0).has_nulls());
  EXPECT_EQ(home->header.watermark, kNoWatermark);
  EXPECT_FALSE(home->header.idle || home->header.end_of_stream || home->header.cancelled);
}

TEST(Channel, SendUnparksTheConsumerAndReleaseTheProducer) {
  Parker consumer;
  Parker producer;
  Inbox inbox(consumer);
  Channel channel(inbox, 0, producer, kSchema, kRows, 1);
  channel.send(channel.try_acquire());
  consumer.park();  // would hang otherwise
  channel.release(inbox.try_receive());
  producer.park();
}

TEST(Channel, BatchReleasedTwiceIsRefusedBeforeMemoryGrows) {
  Parker parker;
  Inbox inbox(parker);
  Channel channel(inbox, 0, parker, kSchema, kRows, 1);
  Batch* batch = channel.try_acquire();
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i) channel.release(batch);
      },
      std::logic_error);
}

// A model of many channels into one inbox, driven at random from one thread: whatever the order of
// sending, receiving and giving back, every channel delivers its own batches in order.
TEST(Channel, ManyChannelsKeepTheirOrderAndLoseNothing) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const std::size_t channels = 1 + random() % 40;
    Parker parker;
    Inbox inbox(parker);
    std::deque<Channel> all;
    for (std::uint32_t i = 0; i < channels; ++i) {
      all.emplace_back(inbox, i, parker, kSchema, kRows, 1 + random() % 70);
    }
    std::vector<std::int64_t> sent(channels);
    std::vector<std::int64_t> received(channels);
    std::vector<Batch*> held;
    const auto release_one = [&] {
      std::swap(held[random() % held.size()], held.back());
      all[held.back()->header.channel].release(held.back());
      held.pop_back();
    };
    const auto receive_one = [&] {
      Batch* batch = inbox.try_receive();
      if (batch == nullptr) return false;
      EXPECT_EQ(batch->times()[0], received[batch->header.channel]++);
      held.push_back(batch);
      return true;
    };
    for (int step = 0; step < 20'000; ++step) {
      const auto what = random() % 3;
      const std::size_t i = random() % channels;
      if (what == 0) {
        if (Batch* batch = all[i].try_acquire()) {
          batch->times()[0] = sent[i]++;
          batch->set_size(1);
          all[i].send(batch);
        }
      } else if (what == 1) {
        receive_one();
      } else if (!held.empty()) {
        release_one();
      }
    }
    while (receive_one()) {
    }
    EXPECT_EQ(received, sent) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark
