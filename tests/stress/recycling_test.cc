#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "support/number_tasks.h"
#include "tidemark/runtime/channel.h"

namespace tidemark {
namespace {

// A free list that hands out the same batch twice, or forgets one, shows here: each batch carries a
// mark of who holds it, which both sides check and change. The marks are not atomic on purpose: the
// channel's hand-over is all that keeps them in order.
TEST(Recycling, EveryBatchHasOneHolderAndAllComeHome) {
  constexpr std::size_t kCredit = 4;
  constexpr std::int64_t kProducer = 1;
  constexpr std::int64_t kConsumer = 2;
  const auto rounds = static_cast<std::int64_t>(test_support::scaled(400'000));
  Parker producer_parker;
  Parker consumer_parker;
  Inbox inbox(consumer_parker);
  const Schema schema = {{"holder", ColumnType::kInt64}};
  Channel channel(inbox, 0, producer_parker, schema, 1, kCredit);

  std::int64_t wrong_holders = 0;
  std::thread consumer([&] {
    for (std::int64_t round = 0; round < rounds;) {
      Batch* batch = inbox.try_receive();
      if (batch == nullptr) {
        consumer_parker.park();
        continue;
      }
      std::int64_t& holder = batch->column(0).int64s()[0];
      wrong_holders += holder != kProducer ? 1 : 0;
      holder = kConsumer;
      channel.release(batch);
      ++round;
    }
  });
  std::int64_t wrongly_handed_out = 0;
  std::set<Batch*> seen;
  for (std::int64_t round = 0; round < rounds;) {
    Batch* batch = channel.try_acquire();
    if (batch == nullptr) {
      producer_parker.park();
      continue;
    }
    std::int64_t& holder = batch->column(0).int64s()[0];
    const bool is_new = seen.insert(batch).second;
    wrongly_handed_out += !is_new && holder != kConsumer ? 1 : 0;
    holder = kProducer;
    channel.send(batch);
    ++round;
  }
  consumer.join();

  EXPECT_EQ(wrong_holders, 0);
  EXPECT_EQ(wrongly_handed_out, 0);
  std::set<Batch*> home;
  while (Batch* batch = channel.try_acquire()) home.insert(batch);
  EXPECT_EQ(home.size(), kCredit);
  EXPECT_EQ(home, seen);
}

}  // namespace
}  // namespace tidemark
