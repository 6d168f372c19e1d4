// What a command asks for more of than the machine gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::TemporaryFolder;
using testing::HasSubstr;

struct LimitedCommand {
  const char* name;
  const char* line;
};

class CoresLimitTest : public testing::TestWithParam<LimitedCommand> {};

TEST_P(CoresLimitTest, ManyMoreWorkersThanCoresAreRefusedWithBothNumbers) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command("taskset -c \"$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')\" " +
                      std::string(GetParam().line) + " --cores 9",
                  folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err,
              HasSubstr("--cores must be from 1 to 8: 8 for each core that may be used, of which "
                        "there are 1 (1 CPU in the affinity mask); but it is 9"));
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Commands, CoresLimitTest,
    testing::Values(LimitedCommand{"window",
                                   "tidemark window gen:orders?rows=1 --window 'tumbling size=1s'"},
                    LimitedCommand{"bench", "tidemark bench"},
                    LimitedCommand{"profile", "tidemark profile"}),
    [](const auto& test) { return std::string(test.param.name); });

class MemoryLimitTest : public testing::TestWithParam<LimitedCommand> {};

// Under a limit of the address space that is too low for the job, and too high to keep the program
// from starting.
TEST_P(MemoryLimitTest, MemoryThatRunsOutIsASentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer takes more address space than a limit can leave";
#endif
  const TemporaryFolder folder;
  const CommandResult result =
      run_command("ulimit -v 400000; " + std::string(GetParam().line), folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("tidemark: memory ran out"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("std::bad_alloc")));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, MemoryLimitTest,
    testing::Values(
        LimitedCommand{"window",
                       "tidemark window 'gen:orders?rows=20M&keys=10M' --key user_id --cores 1 "
                       "--window 'tumbling size=1d' --agg 'count, avg(amount)' --no-progress"},
        LimitedCommand{"results_that_wait",
                       "tidemark window 'gen:orders?rows=10M&keys=1000&rate=1000' --key user_id "
                       "--cores 1 --window 'count size=2' --agg count --no-progress "
                       "--output /dev/null"},
        LimitedCommand{"bench",
                       "tidemark bench --keys 20M --rows 20M --cores 1 --repeat 1 --rate max"},
        LimitedCommand{"profile",
                       "tidemark profile --keys 20M --rows 20M --slides 1m --strategies recompute "
                       "--memory 20GiB --repeat 1"}),
    [](const auto& test) { return std::string(test.param.name); });

// The rest of the input is one row of 150 MB, of which no more than the limit is held.
TEST(RowLimit, AQuoteThatIsNeverClosedIsOneBadRowOfFilesAndPipesAlike) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer takes more address space than a limit can leave";
#endif
  const TemporaryFolder folder;
  run_command("{ printf 'ts,k\\n1,a\\n2,a\\n3,\"b\\n'; yes 4,c | head -c 150000000; } > rows.csv",
              folder);
  for (const std::string input : {"window rows.csv", "window - < <(cat rows.csv)"}) {
    for (const std::string cores : {" --cores 1", " --cores 2"}) {
      const CommandResult result = run_command(
          "ulimit -v 500000; tidemark " + input + cores +
              " --time ts --time-unit ms --window 'tumbling size=2ms' --times ms --agg count",
          folder);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(result.out, "window_start,window_end,count\n0,2,1\n2,4,1\n");
      EXPECT_THAT(result.err, HasSubstr("bad row in line 4: a row of more than 67108864 bytes is "
                                        "passed over; is it CSV, and are its quotes closed?\n"));
      EXPECT_THAT(result.err, HasSubstr("3 rows read = 2 on time + 0 late + 1 bad"));
    }
  }
}

}  // namespace
}  // namespace tidemark
