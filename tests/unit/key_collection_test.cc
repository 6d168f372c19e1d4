#include "tidemark/operators/key_collection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace tidemark {
namespace {

using Figures = KeyCollectionSchedule::Figures;

// A stage that fires one window after the other; a collection leaves its live keys.
class Stage {
 public:
  explicit Stage(KeyCollection when = KeyCollection::kWhenDue) : schedule_(when) {}

  // A window with so many rows and live keys, some of them new, is about to fire. True if keys were
  // collected.
  bool window(std::size_t live, std::size_t new_keys, std::uint64_t rows) {
    now_.windows_fired += 1;
    now_.rows += rows;
    now_.results += live;
    now_.inserted += new_keys;
    now_.keys += new_keys;
    now_.slots = std::max(now_.slots, now_.keys);
    now_.most_live = now_.entries = live;
    if (!schedule_.due_before_firing(now_)) return false;
    steps_ += now_.slots + live;
    if (schedule_.worth_compacting(live, now_.slots)) now_.slots = live;
    now_.keys = live;
    schedule_.collected(now_, live, now_.slots + live);
    return true;
  }

  Figures& now() { return now_; }
  KeyCollectionSchedule& schedule() { return schedule_; }
  std::uint64_t steps() const { return steps_; }

 private:
  KeyCollectionSchedule schedule_;
  Figures now_;
  std::uint64_t steps_ = 0;
};

TEST(KeyCollection, NeverAndAlwaysMeanIt) {
  Stage never(KeyCollection::kNever);
  EXPECT_FALSE(never.window(1, 1'000'000, 1'000'000));
  EXPECT_FALSE(never.schedule().due_before_rows(10'000'000));
  EXPECT_FALSE(never.schedule().due_at_end());
  Stage always(KeyCollection::kAlways);
  EXPECT_TRUE(always.window(1, 1, 1));
  EXPECT_TRUE(always.schedule().due_before_rows(0));
}

TEST(KeyCollection, FewKeysAreNotWorthAThought) {
  Stage stage;
  EXPECT_FALSE(stage.window(0, 1000, 1000));
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(stage.window(0, 0, 1'000'000));
}

TEST(KeyCollection, KeysThatAreAlwaysNewAreHeldAsLongAsTheirWindowAndCostABoundedTimeEach) {
  Stage stage;
  for (int i = 0; i < 100; ++i) {
    stage.window(5000, 5000, 5000);
    ASSERT_LE(stage.now().keys, 2U * 5000);
  }
  EXPECT_LE(stage.steps(), 8 * stage.now().inserted);
}

TEST(KeyCollection, KeysThatStayCostNextToNothingPerRow) {
  Stage stage;
  EXPECT_TRUE(stage.window(100'000, 100'000, 1'000'000));
  for (int i = 0; i < 1000; ++i) stage.window(100'000, 0, 1'000'000);
  EXPECT_LE(stage.steps(), stage.now().rows / 20);
  EXPECT_EQ(stage.now().slots, 100'000U);
}

TEST(KeyCollection, AMillionKeysOfOneWindowAreDroppedAFewFiringsLater) {
  Stage stage;
  stage.window(2000, 2000, 2000);
  stage.window(1'000'000, 998'000, 1'000'000);
  int firings = 0;
  while (stage.now().keys > 2000 && firings < 100) {
    stage.window(2000, 0, 2000);
    ++firings;
  }
  EXPECT_GE(firings, 4);
  EXPECT_LE(firings, 9);
  EXPECT_EQ(stage.now().slots, 2000U);
}

TEST(KeyCollection, RoomForTwiceTheKeysGoesOnceItWasNotNeededForAWhile) {
  Stage stage;
  for (int i = 0; i < 50; ++i) stage.window(10'000, 5000, 10'000);
  EXPECT_GT(stage.now().slots, 14'000U);
  for (int i = 0; i < 50; ++i) stage.window(10'000, 0, 10'000);
  EXPECT_EQ(stage.now().slots, 10'000U);
}

TEST(KeyCollection, KeysOfLateRowsDoNotPileUpWhileNothingFires) {
  Stage stage;
  stage.window(2000, 2000, 2000);
  const std::uint64_t inserted = stage.now().inserted;
  EXPECT_FALSE(stage.schedule().due_before_rows(inserted + 2000));
  EXPECT_TRUE(stage.schedule().due_before_rows(inserted + 8000));
}

}  // namespace
}  // namespace tidemark
