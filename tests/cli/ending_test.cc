// How the command ends when something outside it goes wrong.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::RunningCommand;
using test_support::TemporaryFolder;
using testing::HasSubstr;

// Two rows, and the end of the input completes 3e12 windows: nobody waits for the last of them.
const std::string kEndlessFiring =
    "printf 'ts\\n1\\n2\\n' | tidemark window - --time ts --time-unit ms --quiet --agg count "
    "--window 'sliding size=36500d slide=1ms' ";

const std::string kBigJob =
    "tidemark window 'gen:orders?rows=50M&keys=1000&rate=1000' --key user_id --quiet "
    "--window 'tumbling size=1s' ";

TEST(EndingTest, ABrokenPipeEndsQuietlyAndSoon) {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& line :
       {kBigJob, kEndlessFiring, std::string("tidemark gen orders --rows 200M")}) {
    const CommandResult result =
        run_command(line + " | head -n 1; echo ${PIPESTATUS[0]} ${PIPESTATUS[1]}", folder);
    const std::vector<std::string> lines = lines_of(result.out);
    ASSERT_EQ(lines.size(), 2U) << result.out;
    EXPECT_EQ(lines[1], "0 0");
    EXPECT_EQ(result.err, "");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// At 1000 rows a second the whole stream takes a quarter of an hour.
TEST(EndingTest, ResultsReachAPipeWhenTheirWindowIsComplete) {
  const TemporaryFolder folder;
  RunningCommand command(
      "tidemark window 'gen:orders?rows=1M&rate=1000&live=true&start=0' --times ms --quiet "
      "--window 'tumbling size=100ms' | head -n 4",
      folder.path());
  const CommandResult result = command.wait(std::chrono::seconds(10));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "window_start,window_end,count\n0,100,100\n100,200,100\n200,300,100\n");
}

TEST(EndingTest, AFullDiskIsAnErrorThatNamesPathAndReason) {
  const TemporaryFolder folder;
  const CommandResult redirected = run_command(kBigJob + "> /dev/full", folder);
  EXPECT_EQ(redirected.exit_code, 1);
  EXPECT_THAT(redirected.err, HasSubstr("standard output: No space left on device"));

  const CommandResult named =
      run_command(kBigJob + "--output /dev/full --summary run.json", folder);
  EXPECT_EQ(named.exit_code, 1);
  EXPECT_THAT(named.err, HasSubstr("/dev/full: No space left on device"));
  EXPECT_EQ(lines_of(named.err).size(), 1U);
  EXPECT_FALSE(folder.has("run.json"));

  const CommandResult generated = run_command("tidemark gen orders > /dev/full", folder);
  EXPECT_EQ(generated.exit_code, 1);
  EXPECT_THAT(generated.err, HasSubstr("No space left on device"));
}

// Enough results for a block to be written before the bad row comes.
TEST(EndingTest, AnErrorSaysWhereTheBeginningOfTheOutputIs) {
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "(tidemark gen orders --rows 100k --keys 1000 --rate 10000; echo bad,,,,,) > rows.csv; "
      "tidemark window rows.csv --time ts --time-unit ms --key user_id --window 'tumbling "
      "size=100ms' --on-bad "
      "fail --output out.csv --late-output late.csv",
      folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  EXPECT_THAT(result.err, HasSubstr("line 100002"));
  EXPECT_THAT(result.err,
              testing::EndsWith("; what was written before is in out.csv.incomplete\n"));
  EXPECT_FALSE(folder.has("out.csv"));
  EXPECT_FALSE(folder.has("late.csv"));
  EXPECT_EQ(folder.read("out.csv.incomplete").substr(0, 13), "window_start,");
}

TEST(EndingTest, AFileOutputOfAFailedRunDoesNotPassForAWholeOne) {
  const TemporaryFolder folder;
  folder.write("rows.csv", "ts\n1\n20\nbad\n30\n");
  const CommandResult result = run_command(
      "tidemark window rows.csv --time ts --time-unit ms --window 'tumbling size=10ms' --on-bad "
      "fail "
      "--output out.csv --summary run.json",
      folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("4"));
  EXPECT_FALSE(folder.has("out.csv"));
  EXPECT_FALSE(folder.has("run.json"));
}

class SignalTest : public testing::TestWithParam<int> {};

TEST_P(SignalTest, DrainsWhatWasReadAndWritesOnlyWholeWindows) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_command("mkfifo results", folder).exit_code, 0);
  RunningCommand reader("exec cat results > out.csv", folder.path());
  RunningCommand command(
      "exec tidemark window 'gen:orders?rows=1M&rate=1000&live=true&start=0' --times ms "
      "--window 'tumbling size=500ms' --output results --summary run.json",
      folder.path());
  command.wait_until("writes two windows",
                     [&] { return lines_of(folder.read("out.csv")).size() >= 3; });
  command.signal(GetParam());
  const CommandResult result = command.wait(std::chrono::seconds(5));
  EXPECT_EQ(result.exit_code, 128 + GetParam());
  EXPECT_EQ(reader.wait().exit_code, 0);
  const std::string out = folder.read("out.csv");
  const std::vector<std::string> lines = lines_of(out);
  ASSERT_GE(lines.size(), 3U) << result.err;
  EXPECT_EQ(out.back(), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], std::to_string((i - 1) * 500) + "," + std::to_string(i * 500) + ",500");
  }
  const auto summary = nlohmann::json::parse(folder.read("run.json"));
  EXPECT_EQ(summary.at("cancelled"), true);
  EXPECT_EQ(summary.at("rows_read"), summary.at("rows_on_time"));
  EXPECT_THAT(result.err, HasSubstr("rows read ="));
}

TEST_P(SignalTest, GenEndsAfterAWholeLine) {
  const TemporaryFolder folder;
  RunningCommand command("exec tidemark gen orders --rows 1M --rate 1000 --live --output out.csv",
                         folder.path());
  command.wait_until("writes rows", [&] { return lines_of(folder.read("out.csv")).size() > 50; });
  command.signal(GetParam());
  EXPECT_EQ(command.wait(std::chrono::seconds(5)).exit_code, 128 + GetParam());
  const std::string out = folder.read("out.csv");
  EXPECT_GT(lines_of(out).size(), 50U);
  EXPECT_EQ(out.back(), '\n');
}

INSTANTIATE_TEST_SUITE_P(InterruptAndTerminate, SignalTest, testing::Values(SIGINT, SIGTERM));

// A named pipe that somebody holds open and nobody reads.
class UnreadPipe {
 public:
  explicit UnreadPipe(const std::string& path) {
    if (::mkfifo(path.c_str(), 0600) == 0) pipe_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    if (pipe_ < 0) throw std::runtime_error("no pipe at " + path);
  }
  ~UnreadPipe() { ::close(pipe_); }
  UnreadPipe(const UnreadPipe&) = delete;
  UnreadPipe& operator=(const UnreadPipe&) = delete;

  // Whether a writer of long texts waits: less than a page is free.
  bool is_full() const {
    constexpr int kPageBytes = 4096;
    int held = 0;
    return ::ioctl(pipe_, FIONREAD, &held) == 0 && held > ::fcntl(pipe_, F_GETPIPE_SZ) - kPageBytes;
  }

 private:
  int pipe_ = -1;
};

// Nobody reads the pipe, so the first signal cannot be followed to the end.
TEST(EndingTest, TheSecondSignalEndsTheCommandAtOnce) {
  const TemporaryFolder folder;
  const UnreadPipe results(folder.file("results"));
  RunningCommand command("exec " + kBigJob + "> results", folder.path());
  command.wait_until("fills the pipe", [&] { return results.is_full(); });
  command.signal(SIGINT);
  command.wait_until_it_has_taken(SIGINT);
  ASSERT_FALSE(command.has_ended());
  const auto second = std::chrono::steady_clock::now();
  command.signal(SIGINT);
  EXPECT_EQ(command.wait(std::chrono::seconds(5)).exit_code, 130);
  EXPECT_LT(std::chrono::steady_clock::now() - second, std::chrono::seconds(1));
}

TEST(EndingTest, ASilentStandardInputCanBeInterrupted) {
  const TemporaryFolder folder;
  RunningCommand command(
      "exec tidemark window - --time ts --window 'tumbling size=1s' < <(sleep 20)", folder.path());
  command.wait_until_it_watches();
  command.signal(SIGINT);
  EXPECT_EQ(command.wait(std::chrono::seconds(5)).exit_code, 130);
}

}  // namespace
}  // namespace tidemark
