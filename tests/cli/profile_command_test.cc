#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/documented_fields.h"
#include "cli/run_command.h"
#include "support/test_paths.h"

namespace tidemark {
namespace {

using test_support::collect_names;
using test_support::CommandResult;
using test_support::documented_fields;
using test_support::run_command;
using test_support::RunningCommand;
using test_support::TemporaryFolder;
using testing::HasSubstr;

TEST(ProfileCommandTest, MeasuresAndWritesExactlyTheDocumentedFields) {
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "tidemark profile --size 1m --slides 1s,6s --keys 10,1k --rows 10k --repeat 1 --cores 2 "
      "--json f "
      "--html page.html",
      folder);
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  for (const char* part : {"slide 1s, 60 per window; 10 keys", "slide 6s, 10 per window; 1000 keys",
                           "one firing", "predicted", "panes against buckets",
                           "panes save work where keys are dense", "the same checksum"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_THAT(folder.read("page.html"), HasSubstr("tidemark-profile/1"));
  const auto report = nlohmann::json::parse(folder.read("f"));
  std::set<std::string> names;
  collect_names(report, names);
  EXPECT_THAT(names, testing::ContainerEq(documented_fields("profiling.md")));
  EXPECT_EQ(report["cells"].size(), 2U * 2 * 6);
  EXPECT_EQ(report["checks"]["right"], true);
}

TEST(ProfileCommandTest, ListsWhatAStrategyCannotDo) {
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "tidemark profile --slides 1m --keys 10 --agg 'max(amount)' --strategies subtract,auto "
      "--rows 2k --repeat 1",
      folder);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("subtract       refused: strategy subtract cannot compute"));
}

struct Refusal {
  const char* name;
  const char* options;
  const char* message;
};
class ProfileCommandRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(ProfileCommandRefusalTest, InOneSentenceBeforeMeasuring) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command(std::string("tidemark profile ") + GetParam().options, folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Options, ProfileCommandRefusalTest,
    testing::Values(
        Refusal{"size", "--size 0s", "--size must be longer than 0"},
        Refusal{"slides_unit", "--slides 1s,5", "--slides: "},
        Refusal{"slides_empty", "--slides 1s,,2s", "--slides has an empty place in its list"},
        Refusal{"slides_end", "--slides 1s,", "--slides has an empty place in its list"},
        Refusal{"slides_none", "--slides ''", "--slides has an empty place in its list"},
        Refusal{"slides_twice", "--slides 1s,2s,1s", "--slides names 1s twice"},
        Refusal{"keys", "--keys 10,0", "--keys must be from 1"},
        Refusal{"keys_text", "--keys ten", "--keys must be a whole number"},
        Refusal{"strategies", "--strategies panes", "--strategies: unknown strategy 'panes'"},
        Refusal{"rows", "--rows 0", "--rows must be from 1"},
        Refusal{"column", "--agg 'sum(price)'", "has no column \"price\""},
        Refusal{"condition", "--agg 'count where amount > 3'", "which profile does not measure"},
        Refusal{"event_rate", "--event-rate 0/s", "--event-rate must be a rate"},
        Refusal{"skew", "--skew zipf", "skew must be"},
        Refusal{"list", "--agg 'collect(amount)'", "collect(amount) is a list"},
        Refusal{"cores", "--cores 0", "--cores must be from 1"},
        Refusal{"repeat", "--repeat 0", "--repeat must be from 1"},
        Refusal{"memory", "--memory 2GB", "--memory must be a size such as 64KiB or 2GiB"},
        Refusal{"file", "--json no/such/folder/f", "no/such/folder"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ProfileCommandTest, ASignalEndsItWithoutFigures) {
  const TemporaryFolder folder;
  RunningCommand command("exec tidemark profile --rows 2000M --json f", folder.path());
  command.wait_until_it_watches();
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("stopped before the measurement was complete"));
}

}  // namespace
}  // namespace tidemark
