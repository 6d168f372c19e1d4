#include "tidemark/runtime/parker.h"

#include <gtest/gtest.h>

#include <thread>

namespace tidemark {
namespace {

using std::chrono::milliseconds;

TEST(Parker, TokenLeftBeforeParkingMakesParkReturnAtOnce) {
  Parker parker;
  parker.unpark();
  parker.park();  // would hang otherwise
}

TEST(Parker, TokenIsTakenOnce) {
  Parker parker;
  parker.unpark();
  parker.park();
  const Clock::time_point deadline = Clock::now() + milliseconds(20);
  parker.park(deadline);
  EXPECT_GE(Clock::now(), deadline);
}

TEST(Parker, TwoTokensAreOne) {
  Parker parker;
  parker.unpark();
  parker.unpark();
  parker.park();
  const Clock::time_point deadline = Clock::now() + milliseconds(20);
  parker.park(deadline);
  EXPECT_GE(Clock::now(), deadline);
}

TEST(Parker, PastDeadlineDoesNotSleepAndStillTakesTheToken) {
  Parker parker;
  parker.park(Clock::time_point::min());
  parker.unpark();
  parker.park(Clock::now() - milliseconds(1));
  const Clock::time_point deadline = Clock::now() + milliseconds(10);
  parker.park(deadline);
  EXPECT_GE(Clock::now(), deadline);
}

TEST(Parker, FarthestDeadlineIsWokenByToken) {
  Parker parker;
  std::thread waker([&] { parker.unpark(); });
  parker.park(Clock::time_point::max());
  waker.join();
}

TEST(Parker, WhatWasWrittenBeforeUnparkIsSeenAfterPark) {
  Parker parker;
  int plain = 0;
  std::thread waker([&] {
    plain = 42;
    parker.unpark();
  });
  parker.park();
  EXPECT_EQ(plain, 42);
  waker.join();
}

TEST(Parker, SeesTheWritesOfEveryWakerThatLeftTheTokenFirst) {
  // Two wakers may write over each other's token; the owner must see both.
  Parker parker;
  std::atomic<int> done{0};
  int first = 0;
  int second = 0;
  const auto wake = [&](int& value) {
    value = 1;
    parker.unpark();
    done.fetch_add(1, std::memory_order_relaxed);
  };
  std::thread a([&] { wake(first); });
  std::thread b([&] { wake(second); });
  while (done.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
  parker.park();
  EXPECT_EQ(first + second, 2);
  a.join();
  b.join();
}

TEST(Parker, EveryHandoverOfAPingPongArrives) {
  constexpr int kRounds = 20'000;
  Parker left;
  Parker right;
  std::atomic<int> ball{0};
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      while (ball.load(std::memory_order_relaxed) != 2 * i + 1) right.park();
      ball.store(2 * i + 2, std::memory_order_relaxed);
      left.unpark();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    ball.store(2 * i + 1, std::memory_order_relaxed);
    right.unpark();
    while (ball.load(std::memory_order_relaxed) != 2 * i + 2) left.park();
  }
  other.join();
  EXPECT_EQ(ball.load(), 2 * kRounds);
}

}  // namespace
}  // namespace tidemark
