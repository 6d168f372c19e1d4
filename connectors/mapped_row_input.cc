#include "tidemark/connectors/mapped_row_input.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tidemark {

namespace {
constexpr std::size_t kSampleBytes = 1024 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}  // namespace

Expected<std::unique_ptr<RowInput>> MappedRowInput::map(int descriptor, std::string name,
                                                        const FileSourceOptions& options,
                                                        std::unique_ptr<RowBoundary> boundary) {
  struct stat status {};
  const off_t position = ::lseek(descriptor, 0, SEEK_CUR);
  if (::fstat(descriptor, &status) != 0 || position < 0) {
    return make_error(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  }
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  const std::size_t begin = std::min(size, static_cast<std::size_t>(position));
  char* mapping = nullptr;
  if (size > 0) {
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      return make_error(fmt::format("cannot map {}: {}", name, std::strerror(errno)));
    }
    ::madvise(mapped, size, MADV_SEQUENTIAL);
    mapping = static_cast<char*>(mapped);
  }
  return std::unique_ptr<RowInput>(
      new MappedRowInput(std::move(name), mapping, size, begin, options, std::move(boundary)));
}

MappedRowInput::MappedRowInput(std::string name, char* mapping, std::size_t size, std::size_t begin,
                               const FileSourceOptions& options,
                               std::unique_ptr<RowBoundary> boundary)
    : RowInput(std::move(name)),
      mapping_(mapping),
      size_(size),
      boundary_(std::move(boundary)),
      chunk_bytes_(std::max<std::size_t>(1, options.chunk_bytes)),
      max_row_bytes_(options.max_row_bytes) {
  if (mapping_ != nullptr) text_ = {mapping_ + begin, size_ - begin};
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

MappedRowInput::~MappedRowInput() {
  if (mapping_ != nullptr) ::munmap(mapping_, size_);
}

Expected<std::string_view> MappedRowInput::sample() {
  if (text_.size() <= kSampleBytes) return text_;
  const std::unique_ptr<RowBoundary> boundary = boundary_->at_start();
  for (std::size_t bytes = kSampleBytes; bytes < text_.size(); bytes *= 2) {
    if (bytes > std::max(max_row_bytes_, 2 * kSampleBytes)) {
      return make_error(fmt::format("no row of {} ends within its first {} bytes; {}", name(),
                                    bytes, boundary->doubt()));
    }
    const std::size_t rows_end = boundary->scan(text_.substr(0, bytes), false);
    if (rows_end > 0 && boundary->is_sample(text_.substr(0, rows_end)))
      return text_.substr(0, rows_end);
  }
  return text_;
}

void MappedRowInput::skip(std::size_t bytes) {
  boundary_->scan(text_.substr(0, bytes), false);
  boundary_->consume(bytes);
  at_ += bytes;
}

RowInput::Status MappedRowInput::next(std::string& storage, std::string_view& rows) {
  (void)storage;
  const std::string_view left = text_.substr(at_);
  if (left.empty()) return Status::kEnd;
  std::size_t bytes = chunk_bytes_;
  std::size_t rows_end = 0;
  while (rows_end == 0) {
    const bool complete = bytes >= left.size();
    rows_end = boundary_->scan(left.substr(0, bytes), complete);
    if (complete) rows_end = left.size();
    if (rows_end == 0 && bytes > max_row_bytes_) {
      throw std::runtime_error(fmt::format(
          "a row of {} that starts at byte {} is longer than {} bytes; {}", name(),
          static_cast<std::size_t>(left.data() - mapping_), max_row_bytes_, boundary_->doubt()));
    }
    bytes += chunk_bytes_;
  }
  rows = boundary_->rows_of(left.substr(0, rows_end));
  boundary_->consume(rows_end);
  at_ += rows_end;
  return Status::kRows;
}

void MappedRowInput::release(std::string_view rows) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t end = static_cast<std::size_t>(rows.data() + rows.size() - mapping_);
  const std::size_t pages_end = end / page * page;
  if (pages_end <= released_) return;
  ::madvise(mapping_ + released_, pages_end - released_, MADV_DONTNEED);
  released_ = pages_end;
}

}  // namespace tidemark
