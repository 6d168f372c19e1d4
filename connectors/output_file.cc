#include "tidemark/connectors/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

namespace tidemark {

Expected<std::unique_ptr<OutputFile>> OutputFile::open(const std::string& path) {
  if (path == "-") return std::unique_ptr<OutputFile>(new OutputFile(STDOUT_FILENO, path));
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return make_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
  return std::unique_ptr<OutputFile>(new OutputFile(descriptor, path));
}

OutputFile::OutputFile(int descriptor, std::string path)
    : descriptor_(descriptor), path_(std::move(path)) {
  name_ = path_ == "-" ? "standard output" : path_;
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0) {
    regular_ = S_ISREG(status.st_mode) && path_ != "-";
    watched_ = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISCHR(status.st_mode);
  }
  terminal_ = ::isatty(descriptor_) == 1;
}

OutputFile::~OutputFile() { give_up(); }

std::string OutputFile::give_up() noexcept {
  if (descriptor_ < 0) return {};
  std::string left;
  if (regular_) left = give_up_name();
  if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  return left;
}

std::string OutputFile::give_up_name() noexcept {
  if (wrote_) {
    try {
      std::string incomplete = path_ + ".incomplete";
      if (std::rename(path_.c_str(), incomplete.c_str()) == 0) return incomplete;
    } catch (const std::bad_alloc&) {
      // Without memory for the new name the file goes.
    }
  }
  ::unlink(path_.c_str());
  return {};
}

void OutputFile::flush() {
  const char* data = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t count = ::write(descriptor_, data, left);
    if (count < 0) {
      if (errno == EINTR) continue;
      const int reason = errno;
      buffer_.clear();
      if (reason == EPIPE) throw BrokenPipe(fmt::format("the reader of {} went away", name_));
      throw std::runtime_error(fmt::format("cannot write {}: {}", name_, std::strerror(reason)));
    }
    wrote_ = true;
    data += count;
    left -= static_cast<std::size_t>(count);
  }
  buffer_.clear();
}

void OutputFile::close() {
  if (descriptor_ < 0) return;
  flush();
  if (descriptor_ == STDOUT_FILENO) {
    descriptor_ = -1;
    return;
  }
  // Some file systems tell only now that the disk is full.
  if (::close(descriptor_) != 0) {
    const int reason = errno;
    descriptor_ = -1;
    if (regular_) give_up_name();
    throw std::runtime_error(fmt::format("cannot write {}: {}", name_, std::strerror(reason)));
  }
  descriptor_ = -1;
}

}  // namespace tidemark
