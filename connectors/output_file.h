// Where text goes: a file or standard output, written in large blocks.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "tidemark/runtime/error.h"

namespace tidemark {

// The reader of the output went away (`tidemark ... | head`). Nobody is left to tell, so a command
// ends quietly on it.
class BrokenPipe : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writing throws std::runtime_error with the path and the system's reason, or BrokenPipe; the
// process must ignore SIGPIPE for the latter to be seen. Not thread-safe.
//
// A regular file that was not closed by close() does not keep its name, so that no half-written
// file passes for a whole one: it becomes PATH.incomplete, or goes away if nothing was written.
class OutputFile {
 public:
  static constexpr std::size_t kBlockBytes = 256 * 1024;

  // Creates or empties the file; "-" is standard output.
  static Expected<std::unique_ptr<OutputFile>> open(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Append text here, then call written().
  fmt::memory_buffer& buffer() { return buffer_; }
  // Writes the buffer out once it has grown to a block.
  void written() {
    if (buffer_.size() >= kBlockBytes) flush();
  }
  // Writes the buffer out now.
  void flush();
  // Flushes, and keeps the file. No writing after it.
  void close();
  // Ends a file that will not be whole, for a message that says where its beginning is: returns
  // PATH.incomplete, or nothing if no file is left. No writing after it.
  std::string give_up() noexcept;

  // True for a terminal, a pipe or a socket, where somebody may be waiting for each result.
  bool is_watched() const { return watched_; }
  bool is_terminal() const { return terminal_; }
  // The path, or "standard output".
  const std::string& name() const { return name_; }

 private:
  OutputFile(int descriptor, std::string path);
  // Renames or removes the file; returns its new name.
  std::string give_up_name() noexcept;

  int descriptor_;
  std::string path_;
  std::string name_;
  bool regular_ = false;
  bool watched_ = false;
  bool terminal_ = false;
  bool wrote_ = false;
  fmt::memory_buffer buffer_;
};

}  // namespace tidemark
