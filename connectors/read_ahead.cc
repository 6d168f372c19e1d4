#include "tidemark/connectors/read_ahead.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_scheduler_observer.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace tidemark {

namespace {

constexpr std::size_t kTokensPerThread = 2;
constexpr std::size_t kQueuedChunks = 2;

// oneTBB starts no more threads than there are CPUs to run them.
std::size_t most_threads() { return static_cast<std::size_t>(tbb::info::default_concurrency()); }

cpu_set_t cpu_set_of(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return set;
}

std::vector<int> cpus_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Keeps the threads of an arena on its CPUs. New threads would otherwise stay where the pinned
// worker that started them is.
class PinToCpus : public tbb::task_scheduler_observer {
 public:
  PinToCpus(tbb::task_arena& arena, const std::vector<int>& cpus)
      : tbb::task_scheduler_observer(arena), cpus_(cpu_set_of(cpus)), pins_(!cpus.empty()) {
    observe(true);
  }
  ~PinToCpus() override { observe(false); }

  // Placement is a wish: if the system refuses, the work is done elsewhere.
  void on_scheduler_entry(bool is_worker) override {
    (void)is_worker;
    if (pins_) ::sched_setaffinity(0, sizeof(cpus_), &cpus_);
  }

 private:
  cpu_set_t cpus_;
  bool pins_;
};

}  // namespace

ReadAhead::ReadAhead(RowInput& input, const MakeChunk& make_chunk, const FileSourceOptions& options)
    : input_(input),
      threads_(std::clamp<std::size_t>(options.threads, 1, most_threads())),
      cpus_(options.cpus.empty() ? cpus_of_this_thread() : options.cpus),
      arena_(static_cast<int>(threads_)),
      wake_descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_descriptor_ < 0) {
    throw std::runtime_error(
        fmt::format("cannot make an event descriptor: {}", std::strerror(errno)));
  }
  for (std::size_t i = 0; i < kTokensPerThread * threads_ + kQueuedChunks; ++i) {
    free_.push(chunks_.emplace_back(make_chunk()).get());
  }
}

ReadAhead::~ReadAhead() {
  stop();
  ::close(wake_descriptor_);
}

void ReadAhead::start(Parker& consumer) {
  consumer_ = &consumer;
  reader_ = std::thread([this] { run(); });
}

void ReadAhead::stop() {
  if (!reader_.joinable()) return;
  stopping_.store(true, std::memory_order_relaxed);
  free_.push(nullptr);
  const std::uint64_t one = 1;
  // The counter cannot be full, so the write cannot fail.
  [[maybe_unused]] const ssize_t written = ::write(wake_descriptor_, &one, sizeof(one));
  reader_.join();
}

TextChunk* ReadAhead::try_take() {
  TextChunk* chunk = nullptr;
  ready_.try_pop(chunk);
  return chunk;
}

void ReadAhead::run() {
  try {
    const PinToCpus pins(arena_, cpus_);
    while (run_pipeline() == Round::kWaits) input_.wait(wake_descriptor_);
  } catch (...) {
    failure_ = std::current_exception();
  }
  finished_.store(true, std::memory_order_release);
  consumer_->unpark();
}

ReadAhead::Round ReadAhead::run_pipeline() {
  Round round = Round::kEnded;
  const auto read = tbb::make_filter<void, TextChunk*>(
      tbb::filter_mode::serial_in_order, [this, &round](tbb::flow_control& control) -> TextChunk* {
        TextChunk* const chunk = read_chunk(round);
        if (chunk == nullptr) control.stop();
        return chunk;
      });
  const auto parse =
      tbb::make_filter<TextChunk*, TextChunk*>(tbb::filter_mode::parallel, [](TextChunk* chunk) {
        chunk->parse();
        return chunk;
      });
  const auto queue = tbb::make_filter<TextChunk*, void>(
      tbb::filter_mode::serial_in_order, [this](TextChunk* chunk) { deliver(chunk); });
  arena_.execute(
      [&] { tbb::parallel_pipeline(kTokensPerThread * threads_, read & parse & queue); });
  return round;
}

// A chunk with rows to parse, or nullptr if there is none now (`round` tells) or ever.
TextChunk* ReadAhead::read_chunk(Round& round) {
  round = Round::kEnded;
  TextChunk* chunk = nullptr;
  // Waits for the consumer at most: fewer chunks are on their way through here than there are.
  free_.pop(chunk);
  if (chunk == nullptr || stopping_.load(std::memory_order_relaxed)) return nullptr;
  RowInput::Status status = RowInput::Status::kEnd;
  try {
    status = input_.next(chunk->run());
  } catch (...) {
    // Thrown through the pipeline it would take the chunks before it along.
    failure_ = std::current_exception();
  }
  if (status == RowInput::Status::kRows) return chunk;
  if (status == RowInput::Status::kWouldBlock) round = Round::kWaits;
  free_.push(chunk);
  return nullptr;
}

void ReadAhead::deliver(TextChunk* chunk) {
  input_.release(chunk->rows());
  ready_.push(chunk);
  consumer_->unpark();
}

}  // namespace tidemark
