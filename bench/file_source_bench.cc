// A file as a source: CSV, newline-delimited JSON and a JSON array of rows, mapped and through a
// pipe, three columns used out of five, parsed by one thread beside the one that takes the rows.
// The limits read the same bytes and count lines: through the pipe, and where they are mapped.
//
//   file_source_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                     --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "order_texts.h"
#include "right_results.h"
#include "tidemark/connectors/file_source.h"
#include "tidemark/runtime/parker.h"

namespace tidemark::bench {
namespace {

constexpr std::uint64_t kRows = 500'000;

std::string text_of(FileFormat format) {
  if (format == FileFormat::kCsv) return orders_as_text(RecordFormat::kCsv, kRows);
  std::string lines = orders_as_text(RecordFormat::kNdjson, kRows);
  if (format == FileFormat::kJsonLines) return lines;
  std::replace(lines.begin(), lines.end(), '\n', ',');
  lines.back() = ']';
  return "[" + lines;
}

// A file in memory that goes with this.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(::memfd_create("orders", 0)) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written <= 0) throw std::runtime_error("no memory for the orders");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Writes a text into a pipe on a thread of its own.
class FilledPipe {
 public:
  explicit FilledPipe(std::string_view text) {
    if (::pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
    writer_ = std::thread([this, text]() mutable {
      while (!text.empty()) {
        const ssize_t written = ::write(ends_[1], text.data(), text.size());
        if (written <= 0) break;
        text.remove_prefix(static_cast<std::size_t>(written));
      }
      ::close(ends_[1]);
    });
  }
  ~FilledPipe() {
    writer_.join();
    ::close(ends_[0]);
  }
  FilledPipe(const FilledPipe&) = delete;
  FilledPipe& operator=(const FilledPipe&) = delete;

  int descriptor() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{};
  std::thread writer_;
};

OrderTotal read_all(const FileSourceOptions& options) {
  auto source = FileSource::open(options);
  if (!source) throw std::runtime_error(source.error().message);
  Parker parker;
  (*source)->start(parker);
  Batch batch((*source)->plan().schema);
  OrderTotal total;
  PollStatus status = PollStatus::kRows;
  while (status != PollStatus::kEnd) {
    batch.clear();
    status = (*source)->poll(batch);
    total.add(batch);
    if (status == PollStatus::kPending) parker.park();
  }
  (*source)->stop();
  return total;
}

void report(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void from_file(benchmark::State& state, FileFormat format) {
  const std::string text = text_of(format);
  const MemoryFile file(text);
  FileSourceOptions options = order_options(format);
  options.path = file.path();
  OrderTotal total;
  for (auto _ : state) total = read_all(options);
  if (!are_right(state, total, read_by_hand(text_of(FileFormat::kJsonLines)))) return;
  report(state, text.size());
}

void from_pipe(benchmark::State& state, FileFormat format) {
  const std::string text = text_of(format);
  FileSourceOptions options = order_options(format);
  OrderTotal total;
  for (auto _ : state) {
    const FilledPipe pipe(text);
    options.descriptor = pipe.descriptor();
    total = read_all(options);
  }
  if (!are_right(state, total, read_by_hand(text_of(FileFormat::kJsonLines)))) return;
  report(state, text.size());
}

void limit_from_pipe(benchmark::State& state) {
  const std::string text = text_of(FileFormat::kCsv);
  std::vector<char> block(256 * 1024);
  for (auto _ : state) {
    const FilledPipe pipe(text);
    std::ptrdiff_t lines = 0;
    for (ssize_t n = 1; n > 0;) {
      n = ::read(pipe.descriptor(), block.data(), block.size());
      lines += std::count(block.data(), block.data() + std::max<ssize_t>(n, 0), '\n');
    }
    benchmark::DoNotOptimize(lines);
  }
  report(state, text.size());
}

void limit_from_file(benchmark::State& state) {
  const std::string text = text_of(FileFormat::kCsv);
  const MemoryFile file(text);
  for (auto _ : state) {
    const int descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    void* const mapping = ::mmap(nullptr, text.size(), PROT_READ, MAP_PRIVATE, descriptor, 0);
    const auto* const bytes = static_cast<const char*>(mapping);
    benchmark::DoNotOptimize(std::count(bytes, bytes + text.size(), '\n'));
    ::munmap(mapping, text.size());
    ::close(descriptor);
  }
  report(state, text.size());
}

BENCHMARK(limit_from_file)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(limit_from_pipe)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_file, csv, FileFormat::kCsv)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_pipe, csv, FileFormat::kCsv)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_file, ndjson, FileFormat::kJsonLines)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_pipe, ndjson, FileFormat::kJsonLines)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_file, json_array, FileFormat::kJson)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_pipe, json_array, FileFormat::kJson)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tidemark::bench
