#include "tidemark/perf/progress_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace tidemark {
namespace {

using Seconds = std::chrono::duration<double>;

struct ShownProgress {
  Progress progress;
  const char* text;
};
class ProgressTextTest : public testing::TestWithParam<ShownProgress> {};

TEST_P(ProgressTextTest, SaysWhatIsKnown) {
  EXPECT_EQ(progress_text(GetParam().progress), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, ProgressTextTest,
    testing::Values(ShownProgress{{"", 950, 0, kNoWatermark, 0, {}}, "950 rows, 0 rows/s, 0 late"},
                    ShownProgress{
                        {"", 12'300'000, 4.1e6, 1'790'812'800'000, 17, Seconds(40.2)},
                        "12.3 M rows, 4.1 M rows/s, watermark 2026-10-01T00:00:00.000Z, 17 late, "
                        "41 s left"},
                    ShownProgress{{"repeat 2 of 5", 1'000, 500, kEndOfTime, 0, Seconds(125)},
                                  "repeat 2 of 5: 1.0 k rows, 500 rows/s, 0 late, 2 min 05 s left"},
                    ShownProgress{{"", 1, 1, kNoWatermark, 0, Seconds(3 * 3600 + 20 * 60)},
                                  "1 rows, 1 rows/s, 0 late, 3 h 20 min left"}));

TEST(TimeLeftTest, GoesByTheShareThatIsDone) {
  EXPECT_EQ(time_left(0.25, Seconds(10)), std::optional(Seconds(30)));
  EXPECT_EQ(time_left(1, Seconds(10)), std::optional(Seconds(0)));
}

TEST(RunsProgressTextTest, CountsFromOneAndSaysHowLongAllWillTake) {
  EXPECT_EQ(runs_progress_text(0, 22, Seconds(0)), "run 1 of 22");
  EXPECT_EQ(runs_progress_text(2, 22, Seconds(4.1)), "run 3 of 22, 41 s left");
  EXPECT_EQ(runs_progress_text(21, 22, Seconds(21)), "run 22 of 22, 1 s left");
}

TEST(TimeLeftTest, IsNotGuessedAtTheStartOrBelowZero) {
  EXPECT_EQ(time_left(0, Seconds(10)), std::nullopt);
  EXPECT_EQ(time_left(0.001, Seconds(10)), std::nullopt);
  EXPECT_EQ(time_left(1.2, Seconds(10)), std::optional(Seconds(0)));
}

}  // namespace
}  // namespace tidemark
