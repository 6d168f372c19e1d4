// `--metrics`: what Prometheus reads while a run goes on.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "support/test_paths.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::RunningCommand;
using test_support::TemporaryFolder;
using testing::HasSubstr;

// A socket of 127.0.0.1 that goes away with the object.
class LocalSocket {
 public:
  explicit LocalSocket(int port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_port = htons(static_cast<std::uint16_t>(port));
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  ~LocalSocket() { ::close(descriptor_); }
  LocalSocket(const LocalSocket&) = delete;
  LocalSocket& operator=(const LocalSocket&) = delete;

  bool connect() { return ::connect(descriptor_, address(), sizeof address_) == 0; }
  // Listens at any free port, and returns it.
  int listen() {
    socklen_t size = sizeof address_;
    if (::bind(descriptor_, address(), size) != 0 || ::listen(descriptor_, 1) != 0 ||
        ::getsockname(descriptor_, address(), &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    return ntohs(address_.sin_port);
  }
  int descriptor() const { return descriptor_; }

 private:
  sockaddr* address() { return reinterpret_cast<sockaddr*>(&address_); }

  int descriptor_;
  sockaddr_in address_{};
};

// The whole answer of an HTTP GET, or nothing if nobody listens.
std::string get(int port, const std::string& path) {
  LocalSocket socket(port);
  if (!socket.connect()) return "";
  const std::string request =
      "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (::write(socket.descriptor(), request.data(), request.size()) < 0) return "";
  std::string answer;
  std::array<char, 4096> block;
  for (ssize_t n = 0; (n = ::read(socket.descriptor(), block.data(), block.size())) > 0;) {
    answer.append(block.data(), static_cast<std::size_t>(n));
  }
  return answer;
}

// Samples by name and labels as written, such as `tidemark_rows_total{outcome="late"}`.
std::map<std::string, double> samples_of(const std::string& answer) {
  std::map<std::string, double> samples;
  for (const std::string& line : lines_of(answer)) {
    const std::size_t space = line.rfind(' ');
    if (!line.starts_with("tidemark_") || space == std::string::npos) continue;
    samples[line.substr(0, space)] = std::stod(line.substr(space + 1));
  }
  return samples;
}

// A job that reads a pipe which the test holds open, with metrics at a free port.
class HeldJob {
 public:
  explicit HeldJob(const std::string& options) {
    ::mkfifo(folder_.file("in").c_str(), 0600);
    command_ = std::make_unique<RunningCommand>(
        "exec tidemark window - --time ts --time-unit ms --metrics 127.0.0.1:0 " + options +
            " < in 2> err",
        folder_.path());
    input_ = std::fopen(folder_.file("in").c_str(), "w");
    command_->wait_until("serves metrics", [this] {
      std::smatch found;
      const std::string err = folder_.read("err");
      if (!std::regex_search(err, found,
                             std::regex("metrics at http://127.0.0.1:([0-9]+)/metrics\n")))
        return false;
      port_ = std::stoi(found[1]);
      return true;
    });
  }
  ~HeldJob() {
    if (input_ != nullptr) std::fclose(input_);
  }
  HeldJob(const HeldJob&) = delete;
  HeldJob& operator=(const HeldJob&) = delete;

  void send(const std::string& rows) {
    std::fputs(rows.c_str(), input_);
    std::fflush(input_);
  }
  void end_input() {
    std::fclose(input_);
    input_ = nullptr;
  }
  std::string scrape() const { return get(port_, "/metrics"); }
  // Scrapes until a sample has this value.
  std::map<std::string, double> wait_for(const std::string& sample, double value) {
    std::map<std::string, double> samples;
    command_->wait_until(sample, [&] {
      samples = samples_of(scrape());
      const auto found = samples.find(sample);
      return found != samples.end() && found->second == value;
    });
    return samples;
  }
  RunningCommand& command() { return *command_; }
  const TemporaryFolder& folder() const { return folder_; }
  int port() const { return port_; }

 private:
  TemporaryFolder folder_;
  std::FILE* input_ = nullptr;
  std::unique_ptr<RunningCommand> command_;
  int port_ = 0;
};

const std::string kTumbling = "--key user --window 'tumbling size=1s' --cores 2 ";

TEST(LiveMetricsTest, AreRightWhileARunGoesOn) {
  HeldJob job(kTumbling);
  job.send("ts,user\n1000,a\n1500,b\n4000,a\n1200,a\nsoon,c\n3999,b\n");
  auto samples = job.wait_for("tidemark_rows_read_total", 6);
  samples = job.wait_for("tidemark_rows_total{outcome=\"late\"}", 2);
  EXPECT_EQ(samples["tidemark_runs_total"], 1);
  EXPECT_EQ(samples["tidemark_rows_total{outcome=\"bad\"}"], 1);
  EXPECT_EQ(samples["tidemark_rows_total{outcome=\"in_no_window\"}"], 0);
  EXPECT_EQ(samples["tidemark_late_rows_total{cause=\"behind_own_source\"}"], 2);
  EXPECT_EQ(samples["tidemark_late_rows_total{cause=\"source_was_idle\"}"], 0);
  EXPECT_EQ(samples["tidemark_source_event_time_seconds{source=\"0\"}"], 4);
  for (const std::string stage : {"0", "1"}) {
    const std::string channel = "{source=\"0\",stage=\"" + stage + "\"}";
    EXPECT_DOUBLE_EQ(samples["tidemark_channel_watermark_seconds" + channel], 3.999);
    EXPECT_NEAR(samples["tidemark_channel_watermark_lag_seconds" + channel], 0.001, 1e-9);
    EXPECT_EQ(samples["tidemark_queue_fill_ratio" + channel], 0);
    EXPECT_DOUBLE_EQ(samples["tidemark_stage_watermark_seconds{stage=\"" + stage + "\"}"], 3.999);
  }
  for (const std::string core : {"0", "1", "sink"}) {
    double sum = 0;
    for (const std::string state : {"busy", "idle", "back_pressured"}) {
      const std::string name = "tidemark_core_share{core=\"" + core + "\",state=\"" + state + "\"}";
      ASSERT_TRUE(samples.contains(name));
      sum += samples[name];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  job.send("6000,a\n");
  job.wait_for("tidemark_results_total", 3);
  job.end_input();
  const CommandResult result = job.command().wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(job.folder().read("err"),
              HasSubstr("7 rows read = 4 on time + 2 late + 1 bad + 0 in no window"));
  EXPECT_EQ(get(job.port(), "/metrics"), "") << "still served";
}

// The text format: help and type before the samples of each name, every name once, numbers.
TEST(LiveMetricsTest, AreValidText) {
  HeldJob job(kTumbling);
  job.send("ts,user\n1000,a\n2000,a\n");
  job.wait_for("tidemark_rows_read_total", 2);
  const std::string answer = job.scrape();
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain"));
  const std::regex sample(
      R"(([a-z_]+)(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?([0-9.]+(e[-+]?[0-9]+)?|NaN|[+-]?Inf))");
  std::set<std::string> typed;
  std::set<std::string> seen;
  for (const std::string& line : lines_of(answer.substr(answer.find("\r\n\r\n") + 4))) {
    std::smatch parts;
    if (std::regex_match(line, parts, std::regex("# TYPE ([a-z_]+) (counter|gauge|summary)"))) {
      EXPECT_TRUE(typed.insert(parts[1]).second) << line;
    } else if (line.starts_with("tidemark_")) {
      ASSERT_TRUE(std::regex_match(line, parts, sample)) << line;
      EXPECT_TRUE(typed.contains(parts[1])) << line;
      EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second) << line;
    }
  }
  EXPECT_GE(seen.size(), 20U);
}

// What docs/metrics.md lists is what there is.
TEST(LiveMetricsTest, AreAllDocumented) {
  HeldJob job(kTumbling);
  job.send("ts,user\n1000,a\n2000,a\n");
  job.wait_for("tidemark_results_total", 1);
  std::set<std::string> served;
  for (const auto& [name, value] : samples_of(job.scrape())) {
    served.insert(name.substr(0, name.find('{')));
  }
  const std::string page =
      test_support::read_text_file(test_support::source_directory() + "/docs/metrics.md");
  std::set<std::string> documented;
  const std::regex row("\n\\| `(tidemark_[a-z_]+)` \\|");
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    documented.insert((*at)[1]);
  }
  EXPECT_THAT(served, testing::ContainerEq(documented));
}

TEST(LiveMetricsTest, EndWithTheRunWhenItIsInterrupted) {
  HeldJob job(kTumbling);
  job.send("ts,user\n1000,a\n2000,a\n");
  job.wait_for("tidemark_rows_read_total", 2);
  job.command().signal(SIGINT);
  EXPECT_EQ(job.command().wait().exit_code, 130);
  EXPECT_THAT(job.folder().read("err"), HasSubstr("2 rows read"));
  EXPECT_EQ(get(job.port(), "/metrics"), "");
}

TEST(LiveMetricsTest, AreServedBeforeTheFirstRow) {
  HeldJob job(kTumbling);
  const std::map<std::string, double> samples = samples_of(job.scrape());
  EXPECT_EQ(samples.at("tidemark_runs_total"), 0);
  EXPECT_EQ(samples.at("tidemark_rows_read_total"), 0);
}

struct AddressRefusal {
  const char* name;
  const char* address;
};
class AddressRefusalTest : public testing::TestWithParam<AddressRefusal> {};

TEST_P(AddressRefusalTest, InOneSentenceBeforeAnythingRuns) {
  const TemporaryFolder folder;
  for (const std::string command :
       {"window gen:orders --window 'tumbling size=1s' --quiet", "bench --rows 1000"}) {
    const CommandResult result =
        run_command("tidemark " + command + " --metrics '" + GetParam().address + "'", folder);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("is no address to serve metrics at"));
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Addresses, AddressRefusalTest,
                         testing::Values(AddressRefusal{"word", "here"},
                                         AddressRefusal{"no_port", "127.0.0.1"},
                                         AddressRefusal{"no_number", "127.0.0.1:http"},
                                         AddressRefusal{"too_high", "127.0.0.1:65536"},
                                         AddressRefusal{"negative", "127.0.0.1:-1"},
                                         AddressRefusal{"trailing", "127.0.0.1:80s"},
                                         AddressRefusal{"name", "localhost:9464"},
                                         AddressRefusal{"two", "127.0.0.1:1,127.0.0.1:2"}),
                         [](const testing::TestParamInfo<AddressRefusal>& test) {
                           return std::string(test.param.name);
                         });

TEST(LiveMetricsTest, APortInUseIsNamed) {
  LocalSocket taken(0);
  const std::string address = "127.0.0.1:" + std::to_string(taken.listen());
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "tidemark window gen:orders --window 'tumbling size=1s' --metrics " + address, folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err,
            "tidemark: cannot serve metrics at " + address + ": Address already in use\n");
}

TEST(ProgressLineTest, ShowsRowsWatermarkAndLateRowsOnlyWhereItIsWanted) {
  HeldJob job(kTumbling + "--progress");
  job.send("ts,user\n1000,a\n2000,a\n500,a\n");
  job.command().wait_until("shows progress", [&] {
    return job.folder().read("err").find(
               "3 rows, 0 rows/s, watermark 1970-01-01T00:00:01.999Z, 1 late") != std::string::npos;
  });
  job.end_input();
  EXPECT_EQ(job.command().wait().exit_code, 0);

  const TemporaryFolder folder;
  const CommandResult quiet =
      run_command("tidemark bench --rows 3000000 --repeat 1 --rate max > out", folder);
  EXPECT_EQ(quiet.err, "");
}

}  // namespace
}  // namespace tidemark
