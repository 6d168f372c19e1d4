// Runs a command line and measures it from outside.
#pragma once

#include <cstdint>
#include <string>

#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

struct ShellCommandResult {
  int exit_code = 0;  // 128 + signal where one ended it, as a shell has it
  std::string out;    // what it wrote to standard output
  std::string err;    // and to standard error
  double wall_seconds = 0;
  double cpu_seconds = 0;         // user and system, with its children that it waited for
  std::uint64_t peak_memory = 0;  // bytes resident, of the largest of them
  bool cancelled = false;         // it was ended, because the cancellation was requested
};

// Gives `line` to `sh -c` with an empty standard input, and waits for its end. The child is killed
// when `cancellation`, which may be null, is requested. Refuses only what keeps it from starting.
Expected<ShellCommandResult> run_shell_command(const std::string& line,
                                               const Cancellation* cancellation);

// A fresh folder for temporary files, removed with all that is in it.
class ScratchFolder {
 public:
  // Throws std::runtime_error if it cannot be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tidemark
