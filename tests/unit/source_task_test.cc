// The source stage by itself: what it sends on, when it is idle, and what it does by the clock.
#include "tidemark/operators/source_task.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/runtime/channel.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Texts = std::vector<std::string>;

// Hands out what a test gives it; each list is one poll.
class GivenPartition : public SourcePartition {
 public:
  void give(std::vector<EventTime> times) { polls_.push_back(std::move(times)); }
  void end() { ended_ = true; }

  PollStatus poll(Batch& batch) override {
    if (polls_.empty()) return ended_ ? PollStatus::kEnd : PollStatus::kPending;
    for (const EventTime time : polls_.front()) {
      batch.times()[batch.size()] = time;
      batch.set_size(batch.size() + 1);
    }
    polls_.erase(polls_.begin());
    return PollStatus::kRows;
  }

 private:
  std::vector<std::vector<EventTime>> polls_;
  bool ended_ = false;
};

class SourceTaskTest : public testing::Test {
 protected:
  SourceTaskTest() {
    query_.windows = {tumbling(milliseconds(10))};
    query_.aggregates = {{AggregateFunction::kCount, -1, "count"}};
    options_.steady_clock = [this] { return steady_; };
    options_.wall_clock = [this] { return wall_; };
    options_.linger = milliseconds(5);
  }

  void start() {
    std::vector<Channel*> channels;
    for (std::uint32_t i = 0; i < consumers_; ++i) {
      channels_.push_back(std::make_unique<Channel>(inbox_, i, parker_, query_.row_schema(),
                                                    options_.batch_rows, 64));
      channels.push_back(channels_.back().get());
    }
    task_ =
        std::make_unique<SourceTask>(0, query_, partition_, channels, parker_, nullptr, options_);
  }

  // Runs the task until it waits, and says what it has sent: times of rows, with the watermark of
  // their arrival if they carry it, and signals.
  Texts run() {
    if (!task_) start();
    while (task_->run() == TaskStatus::kProgress) {
    }
    Texts sent;
    while (Batch* batch = inbox_.try_receive()) {
      for (std::size_t row = 0; row < batch->size(); ++row) {
        std::string text = fmt::format("{}", batch->times()[row]);
        if (query_.carries_watermarks()) {
          const EventTime watermark = batch->column(0).int64s()[row];
          text += "@" + (watermark == kNoWatermark ? "none" : fmt::format("{}", watermark));
        }
        sent.push_back(text);
      }
      if (batch->header.watermark != kNoWatermark) {
        sent.push_back(fmt::format("watermark {}", batch->header.watermark));
      }
      if (batch->header.idle) sent.emplace_back("idle");
      if (batch->header.end_of_stream) sent.emplace_back("end");
      channels_[batch->header.channel]->release(batch);
    }
    return sent;
  }

  void pass(milliseconds time) {
    steady_ += time;
    wall_ += time.count();
  }
  RunReport report() const {
    RunReport report;
    task_->report(report);
    return report;
  }

  WindowQuery query_;
  PipelineOptions options_;
  GivenPartition partition_;
  Clock::time_point steady_{seconds(1000)};
  EventTime wall_ = 50'003;
  Parker parker_;
  Inbox inbox_{parker_};
  std::uint32_t consumers_ = 1;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::unique_ptr<SourceTask> task_;
};

TEST_F(SourceTaskTest, CutsBatchesWhereTheWatermarkCompletesAWindow) {
  query_.delay = 2;
  partition_.give({1, 5, 12, 4, 13, 14, 40});
  EXPECT_THAT(run(), ElementsAre("1", "watermark -2", "5", "watermark 2", "12", "watermark 9", "4",
                                 "13", "14", "40", "watermark 37"));
  partition_.end();
  EXPECT_THAT(run(), ElementsAre("watermark 37", "end"));
}

TEST_F(SourceTaskTest, RowsOfWindowsWithoutKnownEdgesCarryTheWatermarkOfTheirArrival) {
  query_.windows = {session(milliseconds(10))};
  query_.delay = 2;
  partition_.give({1, 5, 12, 4, 13});
  EXPECT_THAT(run(),
              ElementsAre("1@none", "watermark -2", "5@-2", "12@2", "4@9", "13@9", "watermark 10"));
  partition_.give({11});
  // It has not risen, so it is not said again; what is left goes on after a while.
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(5));
  EXPECT_THAT(run(), ElementsAre("11@10"));
}

TEST_F(SourceTaskTest, RowsThatTrickleInDoNotMakeOthersLinger) {
  // Without keys all rows go to one consumer, in a batch that is shared out, not passed on whole.
  consumers_ = 2;
  partition_.give({1});
  EXPECT_THAT(run(), UnorderedElementsAre("1", "watermark 0", "watermark 0"));
  partition_.give({2});
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(3));
  partition_.give({3});
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(2));
  partition_.give({4});
  EXPECT_THAT(run(), ElementsAre("2", "3", "4"));
  partition_.give({5});
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(4));
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(1));
  EXPECT_THAT(run(), ElementsAre("5"));
}

TEST_F(SourceTaskTest, ARowFarAheadGoesNoFurtherAndMovesNothing) {
  query_.max_ahead = 100;
  partition_.give({1, 5000, 2, 102, 5001});
  EXPECT_THAT(run(), ElementsAre("1", "watermark 0", "2", "102", "watermark 101"));
  EXPECT_EQ(report().rows_read, 5U);
  EXPECT_EQ(report().rows_bad, 2U);
  EXPECT_EQ(report().largest_jump.ms, 100);
}

TEST_F(SourceTaskTest, ASourceWithRowsNowAndThenIsNeverIdle) {
  query_.idle_timeout = 1000;
  for (EventTime time = 0; time < 20'000; time += 100) {
    partition_.give({time});
    run();
    // Asked at every ms, with rows each 100 ms.
    for (int ms = 0; ms < 100; ++ms) {
      pass(milliseconds(1));
      ASSERT_THAT(run(), testing::Not(testing::Contains("idle")));
    }
  }
  EXPECT_EQ(report().idle_transitions, 0U);
}

TEST_F(SourceTaskTest, ASilentSourceIsIdleOnceUntilItsNextRow) {
  query_.idle_timeout = 1000;
  partition_.give({1});
  EXPECT_THAT(run(), ElementsAre("1", "watermark 0"));
  pass(milliseconds(999));
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(1));
  EXPECT_THAT(run(), ElementsAre("idle"));
  pass(milliseconds(5000));
  EXPECT_THAT(run(), IsEmpty());
  partition_.give({2});
  run();
  pass(milliseconds(1000));
  EXPECT_THAT(run(), ElementsAre("2", "idle"));
  EXPECT_EQ(report().idle_transitions, 2U);
}

// What has been quiet for long before it was asked again has been quiet.
TEST_F(SourceTaskTest, TheTimeInWhichItsRowsHaveNoRoomIsNoSilence) {
  query_.idle_timeout = 1000;
  options_.batch_rows = 1;
  start();
  for (EventTime time = 0; time < 1280; time += 10) partition_.give({time});
  // The consumer takes nothing, so all batches are on the way.
  for (int i = 0; i < 300; ++i) task_->run();
  pass(seconds(10));
  for (int i = 0; i < 300; ++i) task_->run();
  EXPECT_EQ(report().idle_transitions, 0U);
  while (!run().empty()) {
  }
  EXPECT_EQ(report().rows_read, 128U);
  EXPECT_EQ(report().idle_transitions, 0U);
}

TEST_F(SourceTaskTest, APartitionThatNeverHadARowIsNamed) {
  run();
  pass(seconds(2));
  partition_.end();
  run();
  EXPECT_THAT(report().silent_partitions, ElementsAre(0U));
}

TEST_F(SourceTaskTest, APartitionThatWasIdleHeldNobodyBack) {
  query_.idle_timeout = 1000;
  run();
  pass(seconds(2));
  run();
  partition_.end();
  run();
  EXPECT_THAT(report().silent_partitions, IsEmpty());
}

TEST_F(SourceTaskTest, ByTheClockWindowsAreCompleteWithoutRows) {
  query_.time_domain = TimeDomain::kProcessing;
  EXPECT_THAT(run(), ElementsAre("watermark 50002"));
  partition_.give({1, 2});
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(6));
  EXPECT_THAT(run(), ElementsAre("50003", "50003"));  // they have waited long enough for more
  // At 50010 the window [50000, 50010) is over, and nothing is to be done before.
  run();
  ASSERT_TRUE(task_->deadline().has_value());
  EXPECT_LE(*task_->deadline(), Clock::now() + milliseconds(1));
  pass(milliseconds(1));
  EXPECT_THAT(run(), ElementsAre("watermark 50009"));
  pass(milliseconds(25));
  partition_.give({3});
  EXPECT_THAT(run(), ElementsAre("watermark 50034"));
  partition_.end();
  EXPECT_THAT(run(), ElementsAre("50035", "watermark 50034", "end"));
}

TEST_F(SourceTaskTest, ByTheClockSessionsHearOfItEveryFewMilliseconds) {
  query_.time_domain = TimeDomain::kProcessing;
  query_.windows = {session(milliseconds(10))};
  EXPECT_THAT(run(), ElementsAre("watermark 50002"));
  partition_.give({1});
  pass(milliseconds(2));
  EXPECT_THAT(run(), ElementsAre("50005@50004", "watermark 50004"));
  pass(milliseconds(9));
  EXPECT_THAT(run(), IsEmpty());
  pass(milliseconds(1));
  EXPECT_THAT(run(), ElementsAre("watermark 50014"));
}

TEST_F(SourceTaskTest, WithoutWatermarksThereIsOnlyTheEnd) {
  query_.watermarks = WatermarkKind::kNone;
  partition_.give({1, 500, 3});
  partition_.end();
  EXPECT_THAT(run(), ElementsAre("1", "500", "3", "end"));
}

}  // namespace
}  // namespace tidemark
