#include "tidemark/perf/shell_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace tidemark {

namespace {

using SteadyClock = std::chrono::steady_clock;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Starts the shell in a process group of its own, with the signals of a fresh process: this one may
// block some, and ignore others.
Expected<pid_t> start(const std::string& line, const std::string& out, const std::string& err) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), kCreate, 0600);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), kCreate, 0600);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  ::sigemptyset(&none);
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh", option = "-c", text = line;
  std::array<char*, 4> arguments{shell.data(), option.data(), text.data(), nullptr};
  pid_t process = 0;
  const int error =
      ::posix_spawn(&process, "/bin/sh", &files, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return make_error(fmt::format("cannot start a shell: {}", std::strerror(error)));
  return process;
}

// Waits until the process has ended, and looks at the cancellation meanwhile. Returns whether it
// had to kill it.
bool wait_for_end(pid_t process, const Cancellation* cancellation) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  // Without descriptors of processes (Linux before 5.3) it only waits.
  if (descriptor < 0) return false;
  constexpr int kMillisecondsBetweenLooks = 50;
  pollfd ended{descriptor, POLLIN, 0};
  bool killed = false;
  while (::poll(&ended, 1, kMillisecondsBetweenLooks) <= 0) {
    if (killed || cancellation == nullptr || !cancellation->requested()) continue;
    ::kill(-process, SIGKILL);
    killed = true;
  }
  ::close(descriptor);
  return killed;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tidemark_compare_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(fmt::format("cannot make a folder in {}: {}",
                                         std::filesystem::temp_directory_path().string(),
                                         std::strerror(errno)));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Expected<ShellCommandResult> run_shell_command(const std::string& line,
                                               const Cancellation* cancellation) {
  const ScratchFolder folder;
  const std::string out = folder.path() + "/out", err = folder.path() + "/err";
  const SteadyClock::time_point begin = SteadyClock::now();
  const Expected<pid_t> process = start(line, out, err);
  if (!process) return tl::unexpected(process.error());
  ShellCommandResult result;
  result.cancelled = wait_for_end(*process, cancellation);
  int status = 0;
  struct rusage usage {};
  while (::wait4(*process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.wall_seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  result.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  result.peak_memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = text_of(out);
  result.err = text_of(err);
  return result;
}

}  // namespace tidemark
