// An output overwrites neither an input nor another output, whatever names they have.
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

struct SharedFile {
  const char* name;
  const char* line;
  const char* message;
};
class SharedFileTest : public testing::TestWithParam<SharedFile> {};

TEST_P(SharedFileTest, IsRefusedBeforeItIsTouched) {
  const TemporaryFolder folder;
  const std::string text = "ts,x\n1,2\n";
  folder.write("in.csv", text);
  run_command("ln -s in.csv link; ln in.csv hard; ln -s not/yet dangling; mkdir sub not", folder);
  const CommandResult result = run_command(std::string("tidemark ") + GetParam().line, folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(folder.read("in.csv"), text);
  EXPECT_FALSE(folder.has("f"));
  EXPECT_FALSE(folder.has("not/yet"));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, SharedFileTest,
    testing::Values(
        SharedFile{"window_input", "window in.csv --window 'tumbling size=1s' --output ./in.csv",
                   "--output ./in.csv would overwrite the input in.csv"},
        SharedFile{"window_link", "window in.csv --window 'tumbling size=1s' --summary link",
                   "--summary link would overwrite the input in.csv"},
        SharedFile{"window_hard_link", "window in.csv --window 'tumbling size=1s' --output hard",
                   "--output hard would overwrite the input in.csv"},
        SharedFile{"window_standard_input",
                   "window - --window 'tumbling size=1s' --output in.csv <in.csv",
                   "--output in.csv would overwrite the input"},
        SharedFile{"window_outputs",
                   "window in.csv --window 'tumbling size=1s' --output f --bad-output sub/../f",
                   "--output and --bad-output cannot both go to sub/../f"},
        SharedFile{"bench_outputs", "bench --json f --html f",
                   "--json and --html cannot both go to f"},
        SharedFile{"bench_link_to_nothing_yet", "bench --json dangling --html not/yet",
                   "--json and --html cannot both go to not/yet"},
        SharedFile{"bench_percentiles", "bench --json f.watermark.hgrm --hgrm f.hgrm",
                   "--json and --hgrm cannot both go to f.watermark.hgrm"},
        SharedFile{"bench_standard_output", "bench --json - --html -",
                   "--json and --html cannot both go to standard output"},
        SharedFile{"suite_outputs", "bench --suite ci --json f --html f",
                   "--json and --html cannot both go to f"},
        SharedFile{"profile_outputs", "profile --json f --html f",
                   "--json and --html cannot both go to f"},
        SharedFile{"report_input", "report in.csv --html link",
                   "--html link would overwrite the input in.csv"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SharedFilesTest, ADeviceKeepsNothingAndMayBeShared) {
  const TemporaryFolder folder;
  folder.write("in.csv", "ts,x\n1,2\n");
  EXPECT_EQ(
      run_command("tidemark window in.csv --time ts --time-unit ms --window 'tumbling size=1s' "
                  "--output /dev/null --bad-output /dev/null --summary /dev/null",
                  folder)
          .exit_code,
      0);
}

}  // namespace
}  // namespace tidemark
