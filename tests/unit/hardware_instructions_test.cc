#include "tidemark/perf/hardware_instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace tidemark {
namespace {

// A loop of at least `steps` instructions that the compiler has to keep.
void execute(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) asm volatile("" : : "r"(i));
}

TEST(HardwareInstructionsTest, CountsThisThreadAndThoseItStartsOrSaysWhyNot) {
  const Expected<HardwareInstructions> counter = HardwareInstructions::begin();
  if (!counter) {
    EXPECT_THAT(counter.error().message, testing::HasSubstr("counter is not available ("));
    return;
  }
  execute(1'000'000);
  const Expected<std::uint64_t> alone = counter->count();
  std::thread(execute, 5'000'000).join();
  const Expected<std::uint64_t> both = counter->count();
  // With other users of the counter there may be no whole count.
  if (!alone || !both) return;
  EXPECT_GE(*alone, 1'000'000U);
  EXPECT_GE(*both, *alone + 5'000'000);
}

}  // namespace
}  // namespace tidemark
