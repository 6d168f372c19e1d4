#include "tidemark/runtime/worker_figures.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tidemark {
namespace {

using std::chrono::milliseconds;

Clock::time_point at(int ms) { return Clock::time_point(milliseconds(1'000'000 + ms)); }

void expect_time(const WorkerTime& time, int busy, int idle, int blocked) {
  EXPECT_EQ(time.busy, milliseconds(busy));
  EXPECT_EQ(time.idle, milliseconds(idle));
  EXPECT_EQ(time.blocked, milliseconds(blocked));
}

TEST(WorkerFiguresTest, NothingBeforeTheBeginning) {
  expect_time(WorkerFigures().time(at(5)), 0, 0, 0);
}

TEST(WorkerFiguresTest, PartsSumToTheTimeSinceTheBeginningAtAnyMoment) {
  WorkerFigures figures;
  figures.begin(at(0));
  expect_time(figures.time(at(10)), 10, 0, 0);
  figures.begin_wait(at(30), false);
  expect_time(figures.time(at(30)), 30, 0, 0);
  expect_time(figures.time(at(45)), 30, 15, 0);
  figures.end_wait(at(50));
  expect_time(figures.time(at(60)), 40, 20, 0);
  figures.begin_wait(at(70), true);
  expect_time(figures.time(at(75)), 50, 20, 5);
  figures.end_wait(at(80));
  expect_time(figures.time(at(100)), 70, 20, 10);
}

TEST(WorkerFiguresTest, StandStillAfterTheEnd) {
  WorkerFigures figures;
  figures.begin(at(0));
  figures.begin_wait(at(10), false);
  figures.end_wait(at(20));
  figures.end(at(25));
  expect_time(figures.time(at(1'000)), 15, 10, 0);
}

// A reader's clock may have been read before the worker's.
TEST(WorkerFiguresTest, NothingIsNegativeForAReaderThatIsBehind) {
  WorkerFigures figures;
  figures.begin(at(10));
  expect_time(figures.time(at(5)), 0, 0, 0);
  figures.begin_wait(at(20), true);
  expect_time(figures.time(at(15)), 5, 0, 0);
}

}  // namespace
}  // namespace tidemark
