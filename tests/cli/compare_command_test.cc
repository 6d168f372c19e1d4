#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/run_command.h"
#include "support/benchmark_rows.h"
#include "support/tidemark_documents.h"

namespace tidemark {
namespace {

using nlohmann::json;
using test_support::benchmark_json;
using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::RunningCommand;
using test_support::steady_rows;
using test_support::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

// base.json and same.json hold the same times; slow.json a fifth more.
class CompareCommandTest : public testing::Test {
 protected:
  CompareCommandTest() {
    // A name that JSON, XML and Markdown each have to escape.
    const std::string name = R"(BM_<a> & \"b\")";
    folder_.write("base.json", benchmark_json(steady_rows(name, 10)));
    folder_.write("same.json", benchmark_json(steady_rows(name, 10)));
    folder_.write("slow.json", benchmark_json(steady_rows(name, 12)));
  }
  CommandResult run(const std::string& line) { return run_command(line, folder_); }

  TemporaryFolder folder_;
};

TEST_F(CompareCommandTest, ExitCodesTellSameFromRegressedFromNotComparable) {
  EXPECT_EQ(run("tidemark compare base.json same.json").exit_code, 0);
  EXPECT_EQ(run("tidemark compare slow.json base.json").exit_code, 0);
  const CommandResult regressed = run("tidemark compare base.json slow.json");
  EXPECT_EQ(regressed.exit_code, 3);
  EXPECT_THAT(regressed.out, HasSubstr("+20.0 %"));
  EXPECT_EQ(regressed.err, "");
  EXPECT_EQ(run("tidemark compare base.json slow.json --threshold 25%").exit_code, 0);
  EXPECT_EQ(run("tidemark compare base.json slow.json --min-runs 11").exit_code, 2);
  EXPECT_EQ(run("tidemark compare base.json nowhere.json").exit_code, 1);
}

TEST_F(CompareCommandTest, ABrokenBaselineIsOneSentenceOnStandardErrorAndExitCode2) {
  std::string text = folder_.read("base.json");
  text.replace(text.find("\"real_time\":10"), 14, "\"real_time\":NaN");
  folder_.write("nan.json", text);
  folder_.write("empty.json", "");
  folder_.write("cut.json", folder_.read("base.json").substr(0, 200));
  for (const char* file : {"nan.json", "empty.json", "cut.json"}) {
    const CommandResult result = run(std::string("tidemark compare ") + file + " same.json");
    EXPECT_EQ(result.exit_code, 2) << file;
    EXPECT_EQ(result.out, "") << file;
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
    EXPECT_THAT(result.err, HasSubstr(file));
  }
}

TEST_F(CompareCommandTest, AFolderHoldsAFileForEachRun) {
  const CommandResult result = run(
      "mkdir a b && for i in 1 2 3 4 5 6 7 8 9 10; do "
      "echo '{\"benchmarks\":[{\"name\":\"BM_X\",\"real_time\":1'$i',\"cpu_time\":1}]}' >a/$i.json;"
      "echo '{\"benchmarks\":[{\"name\":\"BM_X\",\"real_time\":2'$i',\"cpu_time\":1}]}' >b/$i.json;"
      "done; tidemark compare a b --json out.json");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(json::parse(folder_.read("out.json"))["figures"][0]["new"]["count"], 10);
  EXPECT_THAT(run("mkdir c; tidemark compare a c").err, HasSubstr("c holds no file *.json"));
}

TEST_F(CompareCommandTest, JsonSaysEverythingThatWasCompared) {
  ASSERT_EQ(run("tidemark compare base.json slow.json --json out.json").exit_code, 3);
  const json report = json::parse(folder_.read("out.json"));
  EXPECT_EQ(report["schema"], "tidemark-compare/1");
  EXPECT_EQ(report["verdict"], "regressed");
  EXPECT_EQ(report["base"]["path"], "base.json");
  EXPECT_EQ(report["new"]["machine"]["num_cpus"], 2);
  EXPECT_EQ(report["options"]["threshold"], 0.05);
  const json& figure = report["figures"][0];
  EXPECT_EQ(figure["name"], "BM_<a> & \"b\"");
  EXPECT_EQ(figure["verdict"], "regressed");
  EXPECT_EQ(figure["base"]["samples"].size(), 10U);
  EXPECT_NEAR(figure["change"].get<double>(), 0.2, 1e-12);
  EXPECT_LT(figure["p_value"].get<double>(), 0.001);
  EXPECT_TRUE(report["history"].is_null());
}

TEST_F(CompareCommandTest, WhatCannotBeComparedIsInTheReportsToo) {
  folder_.write("empty.json", "");
  ASSERT_EQ(run("tidemark compare empty.json base.json --json out.json --junit out.xml").exit_code,
            2);
  const json report = json::parse(folder_.read("out.json"));
  EXPECT_EQ(report["verdict"], "not_comparable");
  EXPECT_THAT(report["not_comparable"].get<std::string>(), HasSubstr("empty.json is empty"));
  EXPECT_THAT(folder_.read("out.xml"), HasSubstr("failures=\"1\""));
}

TEST_F(CompareCommandTest, JUnitIsXmlWithAFailureForEachRegression) {
  ASSERT_EQ(run("tidemark compare base.json slow.json --junit out.xml").exit_code, 3);
  const std::string text = folder_.read("out.xml");
  EXPECT_THAT(text, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(text, HasSubstr("name=\"BM_&lt;a&gt; &amp; &quot;b&quot;\""));
  if (run("python3 -c 'import xml.dom.minidom'").exit_code != 0) GTEST_SKIP() << "no XML parser";
  const CommandResult parsed =
      run("python3 -c 'import xml.dom.minidom as x; d = x.parse(\"out.xml\"); "
          "c = d.getElementsByTagName(\"testcase\")[0]; print(c.getAttribute(\"name\")); "
          "print(len(c.getElementsByTagName(\"failure\")))'");
  EXPECT_THAT(lines_of(parsed.out), ElementsAre("BM_<a> & \"b\"", "1")) << parsed.err;
}

TEST_F(CompareCommandTest, MarkdownIsATableThatNoNameBreaks) {
  folder_.write("bar.json", benchmark_json(steady_rows("a|b", 10)));
  folder_.write("bar2.json", benchmark_json(steady_rows("a|b", 20)));
  ASSERT_EQ(run("tidemark compare bar.json bar2.json --markdown out.md").exit_code, 3);
  EXPECT_THAT(folder_.read("out.md"),
              HasSubstr("| regressed | a\\|b | 10 ns | 20 ns | +100.0 % | p\\<0.001 |  |"));
}

TEST_F(CompareCommandTest, GithubActionFilesHoldBiggerAndSmallerApart) {
  folder_.write("rates.json", benchmark_json(steady_rows("BM_X", 10, R"(,"items_per_second":5)")));
  ASSERT_EQ(run("tidemark compare rates.json rates.json --github-action out.json").exit_code, 0);
  const json bigger = json::parse(folder_.read("out.bigger.json"));
  const json smaller = json::parse(folder_.read("out.smaller.json"));
  ASSERT_EQ(bigger.size(), 1U);
  ASSERT_EQ(smaller.size(), 1U);
  EXPECT_EQ(bigger[0]["name"], "BM_X items_per_second");
  EXPECT_EQ(smaller[0]["name"], "BM_X");
  EXPECT_EQ(smaller[0]["unit"], "ns");
  EXPECT_EQ(smaller[0]["value"], 10.0);
}

TEST_F(CompareCommandTest, AHistoryGrowsByEachRunAndShowsWhereItsLevelChanged) {
  for (int i = 0; i < 16; ++i) {
    const std::string file = i < 8 ? "base.json" : "slow.json";
    const CommandResult result =
        run("tidemark compare " + file + " --history h --commit c" + std::to_string(i));
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_EQ(lines_of(folder_.read("h")).size(), 16U);
  const CommandResult result = run("tidemark compare --history h");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("1 change point"));
  EXPECT_THAT(result.out, HasSubstr("commit c8"));
  ASSERT_EQ(run("tidemark compare base.json slow.json --history h --json out.json").exit_code, 3);
  const json report = json::parse(folder_.read("out.json"));
  EXPECT_EQ(report["change_points"][0]["commit"], "c8");
  EXPECT_EQ(report["history"]["figures"][0]["points"].size(), 17U);
}

TEST_F(CompareCommandTest, AReportOnStandardOutputStandsThereAlone) {
  const CommandResult result = run("tidemark compare base.json slow.json --json -");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(json::parse(result.out)["verdict"], "regressed");
}

TEST_F(CompareCommandTest, ABrokenHistoryIsToldBeforeAnythingIsMeasured) {
  folder_.write("h", "no history\n{}\n");
  const CommandResult result =
      run("tidemark compare --run 'touch ran; cat base.json' 'cat base.json' --history h");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("h:1: this line is no entry of a history: it is not JSON"));
  EXPECT_FALSE(folder_.has("ran"));
}

TEST_F(CompareCommandTest, AHistoryThatCannotBeWrittenIsToldBeforeAnythingIsMeasured) {
  for (const char* path : {"no/such/h", ".", "/dev/full"}) {
    const CommandResult result =
        run(std::string(
                "tidemark compare --run 'touch ran; cat base.json' 'cat base.json' --history ") +
            path);
    EXPECT_EQ(result.exit_code, 1) << path;
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
    EXPECT_FALSE(folder_.has("ran")) << path;
  }
}

TEST_F(CompareCommandTest, AFileThatIsNoHistoryIsLeftAsItIs) {
  folder_.write("notes", "my notes");
  const CommandResult result = run("tidemark compare base.json same.json --history notes");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("notes:1: this line is no entry of a history"));
  EXPECT_EQ(folder_.read("notes"), "my notes");
}

TEST_F(CompareCommandTest, AnInvalidFigureOnEitherSideIsOneSentenceAndExitCode2) {
  folder_.write("right.json", test_support::bench_document().dump());
  for (const nlohmann::ordered_json& value :
       {nlohmann::ordered_json(-1), nlohmann::ordered_json(nullptr), nlohmann::ordered_json("x")}) {
    auto document = test_support::bench_document();
    document["counters"]["updates"] = value;
    folder_.write("wrong.json", document.dump());
    for (const char* sides : {"right.json wrong.json", "wrong.json right.json"}) {
      const CommandResult result = run(std::string("tidemark compare --gate counters ") + sides);
      EXPECT_EQ(result.exit_code, 2) << sides << value;
      EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
      EXPECT_THAT(result.err, HasSubstr("wrong.json:1: updates is "));
    }
  }
}

TEST_F(CompareCommandTest, APageShowsTheComparison) {
  ASSERT_EQ(run("tidemark compare base.json slow.json --html out.html").exit_code, 3);
  EXPECT_THAT(folder_.read("out.html"), HasSubstr("tidemark-compare/1"));
}

TEST_F(CompareCommandTest, AnExtraUpdatePerRowIsFoundByTheCounter) {
  for (const char* job : {"--window 'tumbling size=10s'", "--window 'sliding size=10s slide=1s'",
                          "--window 'sliding size=10s slide=2s' --strategy recompute --keys 50"}) {
    const CommandResult bench = run(std::string("tidemark bench --rows 60k --repeat 1 --cores 1 "
                                                "--rate max --json bench.json ") +
                                    job);
    ASSERT_EQ(bench.exit_code, 0) << bench.err;
    json report = json::parse(folder_.read("bench.json"));
    report["counters"]["updates"] = report["counters"]["updates"].get<std::uint64_t>() +
                                    report["counters"]["rows_on_time"].get<std::uint64_t>();
    folder_.write("extra.json", report.dump());
    const std::string compare = "tidemark compare --gate counters --json out.json bench.json ";
    EXPECT_EQ(run(compare + "bench.json").exit_code, 0);
    EXPECT_EQ(run(compare + "extra.json").exit_code, 3);
    const json compared = json::parse(folder_.read("out.json"));
    for (const json& figure : compared["figures"]) {
      EXPECT_EQ(figure["verdict"], figure["name"] == "updates" ? "regressed" : "same") << figure;
    }
  }
}

TEST_F(CompareCommandTest, AnotherChecksumIsExitCode4) {
  for (const char* name : {"1", "2"}) {
    auto document = test_support::bench_document();
    document["counters"]["checksum"] = std::string("0x") + name;
    folder_.write(std::string(name) + ".json", document.dump());
  }
  const CommandResult result = run("tidemark compare 1.json 2.json");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("results differ"));
}

TEST_F(CompareCommandTest, CommandsRunInTurnAndAreComparedByTheJsonTheyWrite) {
  const CommandResult to_output =
      run("tidemark compare --run --turns 1 'cat base.json' 'cat slow.json' --json out.json");
  EXPECT_EQ(to_output.exit_code, 3) << to_output.err;
  const json report = json::parse(folder_.read("out.json"));
  // Ten at first, and ten to confirm.
  EXPECT_EQ(report["figures"][0]["base"]["count"], 20);
  EXPECT_EQ(report["figures"][0]["reason"], "confirmed by further runs");
  EXPECT_EQ(report["options"]["paired"], true);
  EXPECT_EQ(
      run("tidemark compare --run --turns 1 'cp base.json {json}' 'cp same.json {json}'").exit_code,
      0);
}

TEST_F(CompareCommandTest, EveryTurnRunsBothCommandsOnce) {
  const std::string command = "'echo a >>log; cat base.json' 'echo b >>log; cat same.json'";
  ASSERT_EQ(run("tidemark compare --run --runs 10 --turns 3 " + command).exit_code, 0);
  const auto lines = lines_of(folder_.read("log"));
  // One pair warms up.
  ASSERT_EQ(lines.size(), 2U * (10 * 3 + 1));
  std::size_t base_first = 0;
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    EXPECT_NE(lines[i], lines[i + 1]);
    if (lines[i] == "a") ++base_first;
  }
  EXPECT_GT(base_first, 5U);
  EXPECT_LT(base_first, 26U);
}

TEST_F(CompareCommandTest, WholeProcessesAreMeasuredWhateverTheyWrite) {
  const CommandResult result = run(
      "tidemark compare --run --wall-time --turns 1 --threshold 900% true true --json out.json");
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  const json figures = json::parse(folder_.read("out.json"))["figures"];
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0]["name"], "wall time");
  EXPECT_GT(figures[0]["base"]["median"], 0);
}

TEST_F(CompareCommandTest, ACommandThatFindsItsOwnResultsWrongIsExitCode4) {
  auto document = test_support::bench_document();
  folder_.write("right.json", document.dump());
  document["checks"]["right"] = false;
  folder_.write("wrong.json", document.dump());
  const std::string command = "tidemark compare --run --runs 1 'cat right.json' 'cat wrong.json";
  EXPECT_EQ(run(command + "; exit 4'").exit_code, 4);
  EXPECT_EQ(run(command + "; exit 5'").exit_code, 2);
}

TEST_F(CompareCommandTest, ACommandThatFailsIsNamedWithWhatItSaid) {
  const CommandResult failed =
      run("tidemark compare --run 'cat base.json' 'echo no disk >&2; exit 7'");
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.err, HasSubstr("`echo no disk >&2; exit 7` ended with exit code 7: no disk"));
  const CommandResult silent = run("tidemark compare --run 'cat base.json' 'echo hello'");
  EXPECT_EQ(silent.exit_code, 2);
  EXPECT_THAT(silent.err, HasSubstr("wrote no JSON to standard output"));
}

TEST_F(CompareCommandTest, ASignalEndsTheCommandThatRuns) {
  RunningCommand command(
      "exec tidemark compare --run 'echo $$ >pid; exec sleep 1000' 'cat base.json'",
      folder_.path());
  command.wait_until_it_watches();
  // The command that goes first may be the other one.
  command.wait_until("runs sleep", [this] { return !folder_.read("pid").empty(); });
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_THAT(result.err, HasSubstr("stopped before the measurement was complete"));
  EXPECT_NE(::kill(std::stoi(folder_.read("pid")), 0), 0);
}

TEST_F(CompareCommandTest, InstructionsAreCountedByValgrindWhereItIs) {
  if (run("valgrind --version").exit_code != 0) GTEST_SKIP() << "no valgrind";
  const CommandResult result =
      run("tidemark compare --run --instructions --turns 1 'cat base.json' 'cat base.json' "
          "--json out.json");
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  const json figure = json::parse(folder_.read("out.json"))["figures"].back();
  EXPECT_EQ(figure["kind"], "instructions");
  EXPECT_GT(figure["base"]["median"], 10'000);
}

TEST_F(CompareCommandTest, ABrokenPipeEndsQuietly) {
  const CommandResult result =
      run("tidemark compare base.json slow.json 2>err | true; echo ${PIPESTATUS[0]} >code");
  EXPECT_EQ(folder_.read("err"), "");
  EXPECT_THAT(folder_.read("code"), testing::AnyOf("0\n", "3\n"));
  EXPECT_EQ(result.err, "");
}

struct UsageError {
  const char* name;
  const char* options;
  const char* message;
};
class CompareUsageTest : public testing::TestWithParam<UsageError> {};

TEST_P(CompareUsageTest, IsOneSentenceAndExitCode1) {
  const TemporaryFolder folder;
  const std::string text = benchmark_json(steady_rows("BM_X", 1));
  for (const char* file : {"a.json", "b.json", "f.bigger.json"}) folder.write(file, text);
  run_command("mkdir runs; cp a.json runs/1.json; ln -s a.json link", folder);
  const CommandResult result =
      run_command(std::string("tidemark compare ") + GetParam().options, folder);
  for (const char* file : {"a.json", "b.json", "f.bigger.json", "runs/1.json"}) {
    EXPECT_EQ(folder.read(file), text) << file;
  }
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Options, CompareUsageTest,
    testing::Values(
        UsageError{"nothing", "", "compare needs BASE and NEW"},
        UsageError{"one_file", "a.json", "one is given"},
        UsageError{"three_files", "a.json a.json a.json", "3 are given"},
        UsageError{"threshold", "a.json a.json --threshold 5", "such as 5%, but is 5"},
        UsageError{"alpha", "a.json a.json --alpha 0", "--alpha must be above 0"},
        UsageError{"min_runs", "a.json a.json --min-runs 0", "--min-runs must be from 1"},
        UsageError{"gate", "a.json a.json --gate some", "--gate must be all or counters"},
        UsageError{"time", "a.json a.json --time user", "--time must be real or cpu"},
        UsageError{"wall_time", "a.json a.json --wall-time", "--wall-time: for --run alone"},
        UsageError{"turns", "a.json a.json --turns 2", "--turns: for --run alone"},
        UsageError{"several_for_run", "a.json a.json --runs 2 --instructions --no-confirm --seed 1",
                   "--runs, --instructions, --no-confirm, --seed: for --run alone"},
        UsageError{"commit", "a.json a.json --commit abc", "--commit is for --history"},
        UsageError{"reports_beside_a_history", "a.json --history h --html x --json y --markdown z",
                   "--markdown, --json, --html: without BASE nothing is compared"},
        UsageError{"decisions_beside_a_history", "--history h --threshold 3% --only x --all",
                   "--threshold, --only, --all: without BASE and NEW nothing is compared"},
        UsageError{"commit_of_nothing", "--history h --commit abc", "--commit: without BASE"},
        UsageError{"over_base", "a.json b.json --json a.json", "--json a.json would overwrite"},
        UsageError{"over_new", "b.json a.json --html ./a.json", "--html ./a.json would overwrite"},
        UsageError{"history_over_base", "a.json b.json --history a.json", "would overwrite"},
        UsageError{"history_over_new", "a.json --history a.json", "would overwrite"},
        UsageError{"over_a_run_of_a_folder", "runs a.json --junit runs/1.json",
                   "--junit runs/1.json would overwrite"},
        UsageError{"over_base_by_a_link", "a.json b.json --markdown link",
                   "--markdown link would overwrite the input a.json"},
        UsageError{"two_reports_in_one", "a.json b.json --json f --markdown f",
                   "--json and --markdown cannot both go to f"},
        UsageError{"two_reports_on_output", "a.json b.json --json - --junit -",
                   "--json and --junit cannot both go to standard output"},
        UsageError{"github_over_base", "f.bigger.json b.json --github-action f.json",
                   "--github-action f.bigger.json would overwrite"},
        UsageError{"github_and_another",
                   "a.json b.json --github-action f.json --json f.smaller.json",
                   "--json and --github-action cannot both go to f.smaller.json"},
        UsageError{"history_and_another", "a.json b.json --history f --json f",
                   "--json and --history cannot both go to f"},
        UsageError{"history_folder", "a.json b.json --history runs", "a history is a file"},
        UsageError{"history_device", "a.json b.json --history /dev/full", "a history is a file"},
        UsageError{"history_nowhere", "a.json b.json --history no/such/h",
                   "cannot write no/such/h"},
        UsageError{"output", "a.json a.json --json no/such/folder/f", "no/such/folder"},
        UsageError{"no_history", "--history nowhere", "cannot read nowhere"},
        UsageError{"no_history_file", "a.json --history b.json", "no entry of a history"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tidemark
