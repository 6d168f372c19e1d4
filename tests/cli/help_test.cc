#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

class HelpTest : public testing::TestWithParam<const char*> {};

TEST_P(HelpTest, ExamplesRunAsWritten) {
  const TemporaryFolder folder;
  const std::string command = GetParam();
  const CommandResult help = run_command("tidemark " + command + " --help", folder);
  ASSERT_EQ(help.exit_code, 0) << help.err;
  std::vector<std::string> examples;
  bool inside = false;
  for (const std::string& line : lines_of(help.out)) {
    if (inside && line.find("tidemark") != std::string::npos) examples.push_back(line);
    inside = inside || line == "Examples:";
  }
  ASSERT_GE(examples.size(), 2U) << help.out;
  for (const std::string& example : examples) {
    const CommandResult result = run_command(example, folder);
    EXPECT_EQ(result.exit_code, 0) << example << "\n" << result.err;
    EXPECT_FALSE(result.out.empty()) << example;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCommand, HelpTest,
                         testing::Values("window", "bench", "profile", "compare", "explain", "gen",
                                         "report"));

TEST(HelpTextTest, VersionNamesEverythingThatMadeTheBuild) {
  const TemporaryFolder folder;
  const CommandResult result = run_command("tidemark --version", folder);
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part :
       {"tidemark ", "commit ", "compiler ", "build type ", "allocator mimalloc"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

}  // namespace
}  // namespace tidemark
