#include "tidemark/connectors/csv_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tidemark/connectors/mapped_csv_input.h"
#include "tidemark/connectors/stream_csv_input.h"

namespace tidemark {

namespace {

Expected<std::unique_ptr<CsvInput>> open_path(const CsvSourceOptions& options) {
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
    return std::make_unique<StreamCsvInput>(descriptor, true, options.path, options);
  }
  Expected<std::unique_ptr<CsvInput>> mapped =
      MappedCsvInput::map(descriptor, options.path, options);
  ::close(descriptor);
  return mapped;
}

}  // namespace

Expected<std::unique_ptr<CsvInput>> CsvInput::open(const CsvSourceOptions& options) {
  if (!options.path.empty()) return open_path(options);
  std::string name = options.descriptor == 0 ? std::string("standard input")
                                             : fmt::format("descriptor {}", options.descriptor);
  struct stat status {};
  if (::fstat(options.descriptor, &status) != 0) {
    return make_error(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  }
  if (S_ISREG(status.st_mode)) return MappedCsvInput::map(options.descriptor, name, options);
  return std::make_unique<StreamCsvInput>(options.descriptor, false, std::move(name), options);
}

}  // namespace tidemark
