#include "tidemark/connectors/row_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tidemark/connectors/mapped_row_input.h"
#include "tidemark/connectors/stream_row_input.h"

namespace tidemark {

namespace {

Expected<std::unique_ptr<RowInput>> open_path(const FileSourceOptions& options,
                                              std::unique_ptr<RowBoundary> boundary) {
  const int descriptor = ::open(options.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return make_error(fmt::format("cannot open {}: {}", options.path, std::strerror(errno)));
  }
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return make_error(fmt::format("cannot read {}: it is not a file", options.path));
  }
  if (!S_ISREG(status.st_mode)) {
    return std::make_unique<StreamRowInput>(descriptor, true, options.path, options,
                                            std::move(boundary));
  }
  Expected<std::unique_ptr<RowInput>> mapped =
      MappedRowInput::map(descriptor, options.path, options, std::move(boundary));
  ::close(descriptor);
  return mapped;
}

}  // namespace

Error RowInput::no_row_ends(std::size_t bytes, const RowBoundary& boundary) const {
  return Error{fmt::format("no row of {} ends within its first {} bytes; {}", name_, bytes,
                           boundary.doubt())};
}

Expected<std::unique_ptr<RowInput>> RowInput::open(const FileSourceOptions& options,
                                                   std::unique_ptr<RowBoundary> boundary) {
  if (!options.path.empty()) return open_path(options, std::move(boundary));
  std::string name = options.descriptor == 0 ? std::string("standard input")
                                             : fmt::format("descriptor {}", options.descriptor);
  struct stat status {};
  if (::fstat(options.descriptor, &status) != 0) {
    return make_error(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  }
  if (S_ISREG(status.st_mode)) {
    return MappedRowInput::map(options.descriptor, name, options, std::move(boundary));
  }
  return std::make_unique<StreamRowInput>(options.descriptor, false, std::move(name), options,
                                          std::move(boundary));
}

}  // namespace tidemark
