// The CSV source over a pipe, and how it stops.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "support/csv_reading.h"
#include "tidemark/connectors/file_source.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/parker.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using test_support::csv_options;
using test_support::csv_refusal;
using test_support::CsvRead;
using test_support::random_csv;
using test_support::read_csv;
using test_support::TemporaryFile;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  void write(std::string_view text) const {
    ASSERT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(CsvPipe, ReadsAPipeLikeAFile) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10; ++round) {
    const std::string text = random_csv(random, 200);
    const TemporaryFile file(text);
    FileSourceOptions options = csv_options(file);
    options.keys = {"k"};
    options.values = {{"v", {}}};
    const CsvRead whole = read_csv(options);
    Pipe pipe;
    std::thread writer([&] {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = std::min(text.size() - at, 1 + random() % 700);
        pipe.write(text.substr(at, bytes));
        at += bytes;
      }
      pipe.close_writer();
    });
    options.path.clear();
    options.descriptor = pipe.reader();
    options.chunk_bytes = 256;
    options.threads = 2;
    const CsvRead streamed = read_csv(options);
    writer.join();
    ASSERT_EQ(streamed.rows, whole.rows);
    ASSERT_EQ(streamed.bad, whole.bad);
  }
}

// Polls until there are rows or 10 s have passed.
PollStatus wait_for_rows(FileSource& source, Batch& batch, Parker& parker) {
  const auto deadline = Clock::now() + 10s;
  while (Clock::now() < deadline) {
    const PollStatus status = source.poll(batch);
    if (status != PollStatus::kPending) return status;
    parker.park(deadline);
  }
  return PollStatus::kPending;
}

TEST(CsvPipe, GivesARowOfASlowPipeWithoutWaitingForTheNext) {
  Pipe pipe;
  FileSourceOptions options;
  options.descriptor = pipe.reader();
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  options.keys = {"k"};
  options.threads = 2;
  pipe.write("ts,k\n0,a\n");
  const std::unique_ptr<FileSource> source = FileSource::open(options).value();
  Parker parker;
  source->start(parker);
  for (int i = 0; i < 20; ++i) {
    Batch batch(source->plan().schema);
    ASSERT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);
    ASSERT_EQ(batch.size(), 1U);
    EXPECT_EQ(batch.times()[0], i);
    EXPECT_EQ(source->poll(batch), PollStatus::kPending);
    // Only the next row is written once this one has come out, and half of another.
    pipe.write(i == 0 ? "1,a\n2," : "a\n" + std::to_string(i + 2) + ",");
  }
  Batch batch(source->plan().schema);
  EXPECT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);
  pipe.close_writer();
  batch.clear();
  EXPECT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);  // "22," without line end
  EXPECT_TRUE(batch.column(0).is_null(0));
  EXPECT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kEnd);
  source->stop();
}

TEST(CsvPipe, StopsAtOnceWhileAPipeIsSilent) {
  Pipe pipe;
  FileSourceOptions options;
  options.descriptor = pipe.reader();
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  pipe.write("ts,k\n0,a\n");
  const std::unique_ptr<FileSource> source = FileSource::open(options).value();
  Parker parker;
  source->start(parker);
  Batch batch(source->plan().schema);
  ASSERT_EQ(wait_for_rows(*source, batch, parker), PollStatus::kRows);
  source->stop();  // would never return if the reader slept on
  source->stop();
}

TEST(CsvPipe, StopsWhileItsConsumerTakesNothing) {
  std::string text = "ts,k\n";
  for (int i = 0; i < 10'000; ++i) text += "1,a\n";
  const TemporaryFile file(text);
  FileSourceOptions options = csv_options(file);
  options.chunk_bytes = 64;
  options.threads = 2;
  const std::unique_ptr<FileSource> source = FileSource::open(options).value();
  Parker parker;
  source->start(parker);
  parker.park(Clock::now() + 10s);
  source->stop();
}

TEST(CsvPipe, GivesUpWaitingForAPipesFirstRowWhenCancelled) {
  Pipe pipe;
  Cancellation cancellation;
  cancellation.request();
  FileSourceOptions options;
  options.descriptor = pipe.reader();
  options.time_column = "ts";
  options.cancellation = &cancellation;
  EXPECT_NE(csv_refusal(options).find("stopped before the first row"), std::string::npos);
}

}  // namespace
}  // namespace tidemark
