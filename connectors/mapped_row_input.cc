#include "tidemark/connectors/mapped_row_input.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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
      cutter_(std::move(boundary), options),
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
  const std::unique_ptr<RowBoundary> boundary = cutter_.boundary().at_start();
  std::size_t rows_end = 0;
  for (std::size_t bytes = kSampleBytes; bytes < text_.size();
       bytes = std::min(2 * bytes, rows_end + max_row_bytes_ + 1)) {
    rows_end = boundary->scan(text_.substr(0, bytes), false);
    const std::string_view rows = text_.substr(0, rows_end);
    if (rows_end > 0 && boundary->is_sample(rows)) return rows;
    if (bytes - rows_end <= max_row_bytes_) continue;
    if (rows_end == 0) return tl::unexpected(no_row_ends(max_row_bytes_, *boundary));
    return rows;
  }
  return text_;
}

void MappedRowInput::skip(std::size_t bytes) {
  cutter_.skip(text_, bytes);
  at_ += bytes;
}

RowInput::Status MappedRowInput::next(RowRun& run) {
  const std::string_view left = text_.substr(at_);
  if (left.empty()) return Status::kEnd;
  std::size_t bytes = chunk_bytes_;
  while (!cutter_.find(left.substr(0, bytes), bytes >= left.size())) bytes += chunk_bytes_;
  at_ += cutter_.take(left.substr(0, bytes), run);
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
