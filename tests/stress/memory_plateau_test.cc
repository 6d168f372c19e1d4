// Memory that producers fill and one consumer empties comes home: it reaches a plateau.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/number_tasks.h"
#include "tidemark/runtime/channel.h"

namespace tidemark {
namespace {

// What the whole process has in use, in all arenas; 0 where a sanitizer's allocator does not tell.
std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Sends `batches` of `rows` records each, whose length goes up and down.
void produce(Channel& channel, Parker& parker, std::size_t batches, std::size_t rows) {
  std::string record(592, 'r');
  for (std::size_t sent = 0; sent < batches;) {
    Batch* batch = channel.try_acquire();
    if (batch == nullptr) {
      parker.park();
      continue;
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t length = record.size() - (sent + row) % 64;
      batch->times()[row] = static_cast<EventTime>(sent);
      batch->column(0).set_string(row, std::string_view(record).substr(0, length));
    }
    batch->set_size(rows);
    channel.send(batch);
    ++sent;
  }
}

TEST(MemoryPlateau, ManyProducersAndOneConsumerHoldNoMoreThanTheirCredit) {
  if (bytes_in_use() == 0) GTEST_SKIP() << "this allocator does not tell what is in use";
  constexpr std::size_t kProducers = 16;
  constexpr std::size_t kRows = 50;
  constexpr std::size_t kCredit = 20;  // batches: 1,000 records of each producer
  const std::size_t batches = test_support::scaled(2'000);
  const std::size_t all = kProducers * batches;

  Parker consumer_parker;
  Inbox inbox(consumer_parker);
  const Schema schema = {{"record", ColumnType::kString}};
  std::vector<Parker> parkers(kProducers);
  std::vector<std::unique_ptr<Channel>> channels;
  for (std::size_t i = 0; i < kProducers; ++i) {
    channels.push_back(std::make_unique<Channel>(inbox, static_cast<std::uint32_t>(i), parkers[i],
                                                 schema, kRows, kCredit));
  }
  std::vector<std::thread> producers;
  for (std::size_t i = 0; i < kProducers; ++i) {
    producers.emplace_back(produce, std::ref(*channels[i]), std::ref(parkers[i]), batches, kRows);
  }
  std::size_t half_way = 0;
  std::size_t most_before = 0;
  std::size_t most_after = 0;
  for (std::size_t received = 0; received < all;) {
    Batch* batch = inbox.try_receive();
    if (batch == nullptr) {
      consumer_parker.park();
      continue;
    }
    channels[batch->header.channel]->release(batch);
    ++received;
    if (received % 500 != 0) continue;
    std::size_t& most = received <= all / 2 ? most_before : most_after;
    most = std::max(most, bytes_in_use());
    half_way = std::max(half_way, received <= all / 2 ? received : 0);
  }
  for (std::thread& producer : producers) producer.join();
  ASSERT_GT(half_way, 0U);
  EXPECT_LT(static_cast<double>(most_after), 1.05 * static_cast<double>(most_before));
  // Records that are on the way, twice over: a column's bytes grow by doubling.
  EXPECT_LT(most_after, most_before + 2 * kProducers * kCredit * kRows * 592);
}

}  // namespace
}  // namespace tidemark
