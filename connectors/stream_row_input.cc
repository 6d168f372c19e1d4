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
      cutter_(std::move(boundary), options),
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

Expected<std::string_view> StreamRowInput::sample() {
  const std::unique_ptr<RowBoundary> boundary = cutter_.boundary().at_start();
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
      rows_end = boundary->scan(buffer_, ended_);
      enough = enough || boundary->is_sample(std::string_view(buffer_).substr(0, rows_end));
      if (enough || ended_ || buffer_.size() - rows_end <= max_row_bytes_) continue;
      if (rows_end == 0) return tl::unexpected(no_row_ends(max_row_bytes_, *boundary));
      break;
    }
  } catch (const std::runtime_error& failure) {
    return make_error(failure.what());
  }
  return std::string_view(buffer_).substr(0, ended_ ? buffer_.size() : rows_end);
}

void StreamRowInput::skip(std::size_t bytes) {
  cutter_.skip(buffer_, bytes);
  buffer_.erase(0, bytes);
}

RowInput::Status StreamRowInput::next(RowRun& run) {
  while (true) {
    const bool found = cutter_.find(buffer_, ended_);
    const bool more_now =
        !ended_ && (!found || buffer_.size() < chunk_bytes_) && readable_within(0);
    if (!more_now) {
      if (!found) return ended_ ? Status::kEnd : Status::kWouldBlock;
      take_rows(run);
      return Status::kRows;
    }
    read_block();
  }
}

// Swaps the buffers where most of one is rows, and copies where it is the start of a long row, so
// that its memory is given back.
void StreamRowInput::take_rows(RowRun& run) {
  const std::size_t taken = cutter_.take(buffer_, run);
  const std::size_t rows = run.rows.size();
  if (run.skipped_bytes > 0) {
    run.storage.assign(run.rows);
    buffer_ = buffer_.substr(taken);
  } else {
    run.storage.swap(buffer_);
    buffer_.assign(run.storage, taken);
    run.storage.resize(taken);
  }
  run.rows = std::string_view(run.storage).substr(0, rows);
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
