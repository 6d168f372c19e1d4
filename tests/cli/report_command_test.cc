#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::run_command;
using test_support::TemporaryFolder;
using testing::HasSubstr;

TEST(ReportCommandTest, MakesOnePageOfSeveralDocuments) {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"schema": "tidemark-bench/2"})");
  folder.write("b.jsonl", "{\"schema\": \"tidemark-history/1\"}\n");
  const CommandResult result = run_command("tidemark report a.json b.jsonl --html p.html", folder);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "p.html\n");
  const std::string page = folder.read("p.html");
  EXPECT_THAT(page, HasSubstr("data-document=\"a.json\""));
  EXPECT_THAT(page, HasSubstr("data-document=\"b.jsonl\""));
}

struct ReportRefusal {
  const char* name;
  const char* options;
  const char* message;
};
class ReportRefusalTest : public testing::TestWithParam<ReportRefusal> {};

TEST_P(ReportRefusalTest, InOneSentenceAndWithoutAPage) {
  const TemporaryFolder folder;
  folder.write("good.json", R"({"schema": "tidemark-bench/2"})");
  folder.write("text.json", "hello");
  const CommandResult result =
      run_command(std::string("tidemark report ") + GetParam().options, folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_FALSE(folder.has("p.html"));
  EXPECT_EQ(folder.read("good.json"), R"({"schema": "tidemark-bench/2"})");
}

INSTANTIATE_TEST_SUITE_P(
    Options, ReportRefusalTest,
    testing::Values(ReportRefusal{"NoDocument", "--html p.html", "FILE"},
                    ReportRefusal{"NoPage", "good.json", "--html"},
                    ReportRefusal{"Missing", "none.json --html p.html", "cannot read none.json"},
                    ReportRefusal{"Folder", ". --html p.html", "cannot read .: Is a directory"},
                    ReportRefusal{"NotJson", "good.json text.json --html p.html",
                                  "text.json:1:1: this is not JSON"},
                    ReportRefusal{"OverADocument", "good.json --html good.json", "would overwrite"},
                    ReportRefusal{"NoFolder", "good.json --html none/p.html",
                                  "cannot write none/p.html"}),
    [](const testing::TestParamInfo<ReportRefusal>& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tidemark
