// Runs the real command the way a shell would, for the tests of the command line.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/test_paths.h"

namespace tidemark::test_support {

inline std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A fresh folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tidemark_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return read_text_file(file(name)); }
  bool has(const std::string& name) const { return std::filesystem::exists(file(name)); }

 private:
  std::string path_;
};

struct CommandResult {
  // As a shell has it: 128 + signal where a signal ended the process.
  int exit_code = -1;
  std::string out;
  std::string err;
};

// A running command. Its output goes through files, so that no full pipe can hold it up.
class RunningCommand {
 public:
  // `line` is given to `bash -c` in `folder`; `tidemark` in it is the command under test. Begin it
  // with `exec` for signals to reach the command and not its shell.
  RunningCommand(const std::string& line, const std::string& folder) {
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("cannot fork");
    if (process_ == 0) run_child(line, folder);
  }
  ~RunningCommand() {
    if (!has_ended()) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, &status_, 0);
    }
  }
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  void signal(int number) const { ::kill(process_, number); }

  // Waits until the command has turned SIGINT and SIGTERM into requests to end, which it does by
  // blocking both and reading them from a descriptor. A signal sent before would end it at once.
  void wait_until_it_watches() {
    wait_until("watches signals", [this] {
      const std::uint64_t watched = bit_of(SIGINT) | bit_of(SIGTERM);
      return status_line("Name") == "tidemark" &&
             (std::stoull(status_line("SigBlk"), nullptr, 16) & watched) == watched;
    });
  }

  // Waits until the command has taken notice of `number`: two of a kind that wait would be one.
  void wait_until_it_has_taken(int number) {
    wait_until("has taken the signal", [this, number] {
      return (std::stoull(status_line("ShdPnd"), nullptr, 16) & bit_of(number)) == 0;
    });
  }

  // Waits until `condition` holds; throws if the command ends first, or after a minute.
  template <typename Condition>
  void wait_until(const std::string& what, Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!has_ended() && std::chrono::steady_clock::now() < deadline) {
      if (condition()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    throw std::runtime_error("waited in vain until the command " + what + ": " +
                             texts_.read("out") + texts_.read("err"));
  }

  bool has_ended() {
    if (!ended_) ended_ = ::waitpid(process_, &status_, WNOHANG) == process_;
    return ended_;
  }

  // Waits for the end; after `limit` the process is killed, which gives exit code 137.
  CommandResult wait(std::chrono::seconds limit = std::chrono::minutes(3)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!has_ended()) {
      if (std::chrono::steady_clock::now() > deadline) ::kill(process_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    return {code, texts_.read("out"), texts_.read("err")};
  }

 private:
  static constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

  // What /proc says about the process under `field`.
  std::string status_line(const std::string& field) const {
    const std::string path = "/proc/" + std::to_string(process_) + "/status";
    for (const std::string& line : lines_of(read_text_file(path))) {
      if (line.starts_with(field + ":\t")) return line.substr(field.size() + 2);
    }
    return "0";
  }

  [[noreturn]] void run_child(const std::string& line, const std::string& folder) const {
    const int out = ::open(texts_.file("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = ::open(texts_.file("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int in = ::open("/dev/null", O_RDONLY);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    const std::string folder_of_command =
        std::filesystem::path(test_support::command_path()).parent_path().string();
    const char* path = std::getenv("PATH");
    ::setenv("PATH", (folder_of_command + ":" + (path == nullptr ? "" : path)).c_str(), 1);
    if (::chdir(folder.c_str()) == 0) {
      ::execl("/bin/bash", "bash", "-c", line.c_str(), static_cast<char*>(nullptr));
    }
    ::_exit(127);
  }

  TemporaryFolder texts_;
  pid_t process_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

inline CommandResult run_command(const std::string& line, const TemporaryFolder& folder) {
  return RunningCommand(line, folder.path()).wait();
}

}  // namespace tidemark::test_support
