#include "tidemark/runtime/watermark_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace tidemark {
namespace {

enum class Kind { kWatermark, kIdle, kActive, kFinished };

constexpr std::optional<EventTime> kNothing = std::nullopt;

// One event, and what it must raise the result to.
struct Step {
  Kind kind;
  std::size_t channel;
  EventTime watermark;
  std::optional<EventTime> expected;
  std::optional<bool> expected_idle = std::nullopt;
};

Step watermark(EventTime value, std::size_t channel, std::optional<EventTime> expected) {
  return {Kind::kWatermark, channel, value, expected};
}
Step idle(std::size_t channel, std::optional<EventTime> expected, bool result_idle = false) {
  return {Kind::kIdle, channel, 0, expected, result_idle};
}
Step active(std::size_t channel, std::optional<EventTime> expected) {
  return {Kind::kActive, channel, 0, expected, false};
}
Step finished(std::size_t channel, std::optional<EventTime> expected) {
  return {Kind::kFinished, channel, 0, expected};
}

std::optional<EventTime> apply(WatermarkAlignment& alignment, const Step& step) {
  switch (step.kind) {
    case Kind::kWatermark:
      return alignment.on_watermark(step.channel, step.watermark);
    case Kind::kIdle:
      return alignment.on_idle(step.channel);
    case Kind::kActive:
      return alignment.on_active(step.channel);
    case Kind::kFinished:
      return alignment.on_finished(step.channel);
  }
  return std::nullopt;
}

struct Case {
  std::string name;
  std::size_t channels;
  std::vector<Step> steps;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

std::string case_name(const testing::TestParamInfo<Case>& parameter) {
  return parameter.param.name;
}

class WatermarkAlignmentCase : public testing::TestWithParam<Case> {};

TEST_P(WatermarkAlignmentCase, RaisesTheResultAsTheRulesSay) {
  WatermarkAlignment alignment(GetParam().channels);
  EventTime last = kNoWatermark;
  for (std::size_t i = 0; i < GetParam().steps.size(); ++i) {
    const Step& step = GetParam().steps[i];
    EXPECT_EQ(apply(alignment, step), step.expected) << "step " << i;
    EXPECT_EQ(alignment.idle(), step.expected_idle.value_or(alignment.idle())) << "step " << i;
    last = step.expected.value_or(last);
    EXPECT_EQ(alignment.watermark(), last) << "step " << i;
  }
}

// The valve of Flink's StatusWatermarkValveTest.
const std::vector<Case> kValveCases{
    {"OneChannelPassesRisingWatermarksOnly",
     1,
     {watermark(0, 0, 0), watermark(25, 0, 25), watermark(18, 0, kNothing),
      watermark(25, 0, kNothing), watermark(42, 0, 42)}},
    {"WatermarksOfAnIdleChannelAreIgnored",
     1,
     {watermark(25, 0, 25), idle(0, kNothing, true), watermark(50, 0, kNothing),
      active(0, kNothing), watermark(50, 0, 50)}},
    {"NothingUntilAllChannelsHaveDelivered",
     3,
     {watermark(0, 0, kNothing), watermark(0, 1, kNothing), watermark(0, 2, 0)}},
    {"MinimumOverChannels",
     3,
     {watermark(0, 0, kNothing), watermark(0, 1, kNothing), watermark(0, 2, 0),
      watermark(12, 0, kNothing), watermark(8, 2, kNothing), watermark(10, 2, kNothing),
      watermark(15, 1, 10), watermark(17, 2, 12), watermark(20, 0, 15)}},
    {"DecreasingWatermarksOfOneOfSeveralChannelsAreIgnored",
     3,
     {watermark(25, 0, kNothing), watermark(10, 1, kNothing), watermark(17, 2, 10),
      watermark(12, 0, kNothing), watermark(8, 1, kNothing), watermark(15, 2, kNothing)}},
    {"IdleChannelNoLongerHoldsBack",
     3,
     {watermark(25, 0, kNothing), watermark(10, 1, kNothing), watermark(17, 2, 10), idle(1, 17),
      idle(2, 25)}},
    {"AllIdleFlushesTheHighestThenIsIdle",
     3,
     {watermark(10, 0, kNothing), watermark(5, 1, kNothing), watermark(3, 2, 3), idle(0, kNothing),
      idle(1, kNothing), idle(2, 10, true)}},
    {"ReturningChannelIsLeftOutUntilItHasCaughtUp",
     3,
     {watermark(10, 0, kNothing), watermark(7, 1, kNothing), watermark(3, 2, 3), idle(2, 7),
      active(2, kNothing), watermark(5, 2, kNothing), watermark(9, 2, kNothing),
      watermark(12, 1, 9)}},
    {"OnlyActiveChannelIsBehindAndOthersAreIdle",
     3,
     {watermark(10, 0, kNothing), watermark(7, 1, kNothing), idle(2, 7), active(2, kNothing),
      idle(0, kNothing), idle(1, kNothing)}},
    {"StatusFollowsTheChannels",
     2,
     {idle(1, kNothing), idle(0, kNothing, true), active(1, kNothing), active(0, kNothing)}},
};
INSTANTIATE_TEST_SUITE_P(Valve, WatermarkAlignmentCase, testing::ValuesIn(kValveCases), case_name);

// Public fault reports: WM-01, WM-02, WM-03, WM-06, WM-15, WM-16 of the fault cases.
const std::vector<Case> kFaultCases{
    {"MinimumNeverGoesBack",
     2,
     {watermark(100, 0, kNothing), watermark(50, 1, 50), watermark(120, 1, 100),
      watermark(90, 1, kNothing)}},
    {"ChannelReturningBehindNeitherLowersNorHolds",
     2,
     {watermark(100, 0, kNothing), idle(1, 100), active(1, kNothing), watermark(80, 1, kNothing),
      watermark(130, 0, 130), watermark(110, 1, kNothing), watermark(140, 1, kNothing),
      watermark(150, 0, 140)}},
    {"AllIdleHigherChannelFirst",
     2,
     {watermark(5, 0, kNothing), watermark(4, 1, 4), idle(0, kNothing), idle(1, 5, true)}},
    {"AllIdleLowerChannelFirst",
     2,
     {watermark(5, 0, kNothing), watermark(4, 1, 4), idle(1, 5), idle(0, kNothing, true)}},
    {"ResumedChannelIsActiveAtOnceAndRaisesTheResult",
     2,
     {watermark(30, 0, kNothing), watermark(10, 1, 10), idle(0, kNothing), idle(1, 30, true),
      active(1, kNothing), watermark(32, 1, 32)}},
    {"WatermarksOneMillisecondApart",
     4,
     {watermark(20'000, 0, kNothing), watermark(20'001, 1, kNothing),
      watermark(20'001, 2, kNothing), watermark(20'002, 3, 20'000), watermark(20'001, 0, 20'001),
      watermark(20'002, 0, kNothing), watermark(20'002, 1, kNothing),
      watermark(20'002, 2, 20'002)}},
    {"ChannelThatNeverDeliversHoldsUntilItIsIdle",
     3,
     {watermark(9, 0, kNothing), watermark(9, 1, kNothing), idle(2, 9), watermark(19, 0, kNothing),
      watermark(19, 1, 19)}},
};
INSTANTIATE_TEST_SUITE_P(Fault, WatermarkAlignmentCase, testing::ValuesIn(kFaultCases), case_name);

const std::vector<Case> kFinishedCases{
    {"AllFinishedEndsTime",
     2,
     {watermark(5, 0, kNothing), watermark(4, 1, 4), finished(1, 5), finished(0, kEndOfTime)}},
    {"EmptyInputEndsTime", 1, {finished(0, kEndOfTime)}},
    {"FinishedChannelNoLongerHoldsBack",
     2,
     {watermark(50, 0, kNothing), finished(1, 50), watermark(60, 0, 60)}},
    {"PauseOfTheOthersDoesNotEndTime",
     2,
     {watermark(50, 0, kNothing), watermark(40, 1, 40), finished(0, kNothing),
      idle(1, kNothing, true), active(1, kNothing), watermark(45, 1, 45), finished(1, kEndOfTime)}},
    {"LastActiveFinishesWhileOthersPause",
     3,
     {watermark(10, 0, kNothing), watermark(30, 1, kNothing), watermark(20, 2, 10),
      idle(1, kNothing), idle(0, 20), finished(2, 30), active(0, kNothing), watermark(31, 0, 31)}},
    {"IdleChannelMayFinish",
     2,
     {watermark(10, 0, kNothing), watermark(5, 1, 5), idle(1, 10), finished(1, kNothing),
      watermark(11, 0, 11), finished(0, kEndOfTime)}},
    {"IdleChannelsThatAllFinishEndTime",
     2,
     {watermark(10, 0, kNothing), watermark(5, 1, 5), idle(0, kNothing), idle(1, 10, true),
      finished(0, kNothing), finished(1, kEndOfTime)}},
    {"NothingRevivesAFinishedChannel",
     2,
     {watermark(10, 0, kNothing), finished(1, 10), watermark(5, 1, kNothing), active(1, kNothing),
      idle(1, kNothing), finished(1, kNothing), watermark(12, 0, 12)}},
    {"EndOfTimeAheadOfFinishDoesNotEndTimeForThePaused",
     2,
     {watermark(50, 0, kNothing), watermark(40, 1, 40), idle(1, 50),
      watermark(kEndOfTime, 0, kNothing), finished(0, kNothing), active(1, kNothing),
      watermark(60, 1, 60)}},
    {"EndOfTimeOnAllChannelsEndsTime",
     2,
     {watermark(50, 0, kNothing), watermark(40, 1, 40), watermark(kEndOfTime, 0, kNothing),
      watermark(45, 1, 45), watermark(kEndOfTime, 1, kEndOfTime), finished(0, kNothing),
      finished(1, kNothing)}},
    {"ActiveChannelThatIsBehindHoldsAfterOthersFinished",
     2,
     {watermark(50, 0, kNothing), idle(1, 50), active(1, kNothing), finished(0, kNothing),
      watermark(20, 1, kNothing), watermark(55, 1, 55)}},
};
INSTANTIATE_TEST_SUITE_P(Finished, WatermarkAlignmentCase, testing::ValuesIn(kFinishedCases),
                         case_name);

TEST(WatermarkAlignment, NeedsAChannel) {
  EXPECT_THROW(WatermarkAlignment(0), std::invalid_argument);
}

TEST(WatermarkAlignment, StartsActiveAndUnknown) {
  const WatermarkAlignment alignment(2);
  EXPECT_EQ(alignment.watermark(), kNoWatermark);
  EXPECT_FALSE(alignment.idle());
  EXPECT_FALSE(alignment.finished());
}

TEST(WatermarkAlignment, IsFinishedNotIdleOnceAllChannelsHaveFinished) {
  WatermarkAlignment alignment(2);
  alignment.on_idle(0);
  alignment.on_finished(1);
  EXPECT_TRUE(alignment.idle());
  EXPECT_FALSE(alignment.finished());
  alignment.on_finished(0);
  EXPECT_FALSE(alignment.idle());
  EXPECT_TRUE(alignment.finished());
}

// The rules word by word, with sets of channels and no thought for cost.
class NaiveAlignment {
 public:
  explicit NaiveAlignment(std::size_t channels) {
    for (std::size_t i = 0; i < channels; ++i) {
      counting_.insert(i);
      watermarks_[i] = kNoWatermark;
    }
  }

  EventTime apply(const Step& step) {
    const std::size_t channel = step.channel;
    const bool active = counting_.contains(channel) || catching_up_.contains(channel);
    if (step.kind == Kind::kWatermark && active) {
      watermarks_[channel] = std::max(watermarks_[channel], step.watermark);
    } else if (step.kind == Kind::kIdle && active) {
      move(channel, idle_);
    } else if (step.kind == Kind::kActive && idle_.contains(channel)) {
      move(channel, catching_up_);
    } else if (step.kind == Kind::kFinished) {
      move(channel, finished_);
    }
    settle();
    return result_;
  }

  bool idle() const { return counting_.empty() && catching_up_.empty() && !idle_.empty(); }
  bool finished() const { return counting_.empty() && catching_up_.empty() && idle_.empty(); }

 private:
  void move(std::size_t channel, std::set<std::size_t>& to) {
    for (auto* from : {&counting_, &catching_up_, &idle_, &finished_}) from->erase(channel);
    to.insert(channel);
  }

  std::vector<EventTime> watermarks_of(const std::set<std::size_t>& channels) {
    std::vector<EventTime> result;
    for (const std::size_t channel : channels) result.push_back(watermarks_[channel]);
    return result;
  }

  void settle() {
    for (const std::size_t channel : std::set<std::size_t>(catching_up_)) {
      if (watermarks_[channel] >= result_) move(channel, counting_);
    }
    if (finished()) {
      result_ = kEndOfTime;
    } else if (idle()) {
      result_ = std::max(result_, std::ranges::max(watermarks_of(idle_)));
    } else if (!counting_.empty()) {
      result_ = std::max(result_, std::ranges::min(watermarks_of(counting_)));
    }
  }

  std::set<std::size_t> counting_;
  std::set<std::size_t> catching_up_;
  std::set<std::size_t> idle_;
  std::set<std::size_t> finished_;
  std::map<std::size_t, EventTime> watermarks_;
  EventTime result_ = kNoWatermark;
};

Step random_step(std::mt19937& random, std::size_t channels, EventTime time) {
  const std::size_t channel = random() % channels;
  const auto dice = random() % 100;
  if (dice < 60) {
    return watermark(time + static_cast<EventTime>(random() % 20) - 10, channel, kNothing);
  }
  if (dice < 78) return idle(channel, kNothing);
  if (dice < 97) return active(channel, kNothing);
  return finished(channel, kNothing);
}

TEST(WatermarkAlignment, AgreesWithTheNaiveModelAndNeverGoesBack) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const std::size_t channels = 1 + random() % 5;
    WatermarkAlignment alignment(channels);
    NaiveAlignment model(channels);
    for (EventTime time = 0; time < 100; ++time) {
      const EventTime before = alignment.watermark();
      const Step step = random_step(random, channels, time);
      const std::optional<EventTime> raised = apply(alignment, step);
      const EventTime expected = model.apply(step);
      ASSERT_EQ(alignment.watermark(), expected) << "seed " << seed << " step " << time;
      ASSERT_EQ(raised, expected > before ? std::optional(expected) : std::nullopt)
          << "seed " << seed << " step " << time;
      ASSERT_EQ(alignment.idle(), model.idle()) << "seed " << seed << " step " << time;
      ASSERT_EQ(alignment.finished(), model.finished()) << "seed " << seed << " step " << time;
    }
  }
}

}  // namespace
}  // namespace tidemark
