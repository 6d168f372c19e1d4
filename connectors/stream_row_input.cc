#include "tidemark/connectors/stream_row_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tidemark {

namespace {

constexpr std::size_t kSampleBytes = 1024 * 1024;
constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// How long the sample waits for more once it has the least it needs.
constexpr int kMoreWithinMs = 20;
constexpr int kCancellationPollMs = 50;

}  // namespace

StreamRowInput::StreamRowInput(int descriptor, bool owned, std::string name,
                               const FileSourceOptions& options,
                               std::unique_ptr<RowBoundary> boundary)
    : RowInput(std::move(name)),
      descriptor_(descriptor),
      owned_(owned),
      boundary_(std::move(boundary)),
      chunk_bytes_(std::max<std::size_t>(1, options.chunk_bytes)),
      max_row_bytes_(options.max_row_bytes),
      cancellation_(options.cancellation) {}

StreamRowInput::~StreamRowInput() {
  if (owned_) ::close(descriptor_);
}

bool StreamRowInput::readable_within(int timeout_ms) const {
  pollfd poll_descriptor{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&poll_descriptor, 1, timeout_ms) > 0;
}

void StreamRowInput::read_block() {
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBlockBytes);
  const ssize_t got = ::read(descriptor_, buffer_.data() + size, kBlockBytes);
  const int failure = errno;
  buffer_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0 && failure != EINTR && failure != EAGAIN && failure != EWOULDBLOCK) {
    throw std::runtime_error(fmt::format("cannot read {}: {}", name(), std::strerror(failure)));
  }
  if (got == 0) ended_ = true;
  drop_byte_order_mark();
}

void StreamRowInput::drop_byte_order_mark() {
  if (started_) return;
  // As long as what has come could become the mark, it is too early to tell.
  if (!ended_ && buffer_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(buffer_)) {
    return;
  }
  if (buffer_.starts_with(kByteOrderMark)) buffer_.erase(0, kByteOrderMark.size());
  started_ = true;
}

void StreamRowInput::check_row_length(std::size_t rows_end) const {
  if (rows_end > 0 || buffer_.size() <= max_row_bytes_) return;
  throw std::runtime_error(fmt::format("a row of {} is longer than {} bytes; {}", name(),
                                       max_row_bytes_, boundary_->doubt()));
}

Expected<std::string_view> StreamRowInput::sample() {
  std::size_t rows_end = 0;
  bool enough = false;
  try {
    while (!ended_ && (!enough || buffer_.size() < kSampleBytes)) {
      if (!readable_within(enough ? kMoreWithinMs : kCancellationPollMs)) {
        if (enough) break;
        if (cancellation_ != nullptr && cancellation_->requested()) {
          return make_error(fmt::format("stopped before the first row of {} came", name()));
        }
        continue;
      }
      read_block();
      if (!started_) continue;
      rows_end = boundary_->scan(buffer_, ended_);
      check_row_length(rows_end);
      enough = enough || boundary_->is_sample(std::string_view(buffer_).substr(0, rows_end));
    }
  } catch (const std::runtime_error& failure) {
    return make_error(failure.what());
  }
  return std::string_view(buffer_).substr(0, ended_ ? buffer_.size() : rows_end);
}

void StreamRowInput::skip(std::size_t bytes) {
  buffer_.erase(0, bytes);
  boundary_->consume(bytes);
}

RowInput::Status StreamRowInput::next(std::string& storage, std::string_view& rows) {
  while (true) {
    std::size_t rows_end = boundary_->scan(buffer_, ended_);
    if (ended_) rows_end = buffer_.size();
    check_row_length(rows_end);
    const bool more_now =
        !ended_ && (rows_end == 0 || buffer_.size() < chunk_bytes_) && readable_within(0);
    if (!more_now) {
      if (rows_end == 0) return ended_ ? Status::kEnd : Status::kWouldBlock;
      storage.swap(buffer_);
      buffer_.assign(storage, rows_end);
      storage.resize(rows_end);
      rows = boundary_->rows_of(storage);
      boundary_->consume(rows_end);
      return Status::kRows;
    }
    read_block();
  }
}

void StreamRowInput::wait(int wake_descriptor) {
  std::array<pollfd, 2> descriptors{pollfd{.fd = descriptor_, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = wake_descriptor, .events = POLLIN, .revents = 0}};
  while (::poll(descriptors.data(), descriptors.size(), -1) < 0) {
    if (errno != EINTR) {
      throw std::runtime_error(fmt::format("cannot wait for {}: {}", name(), std::strerror(errno)));
    }
  }
}

}  // namespace tidemark
