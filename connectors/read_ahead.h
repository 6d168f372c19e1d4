// Parses an input ahead on threads of its own and hands it over in order.
#pragma once

#include <tbb/concurrent_queue.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/row_input.h"
#include "tidemark/connectors/text_chunk.h"
#include "tidemark/runtime/parker.h"

namespace tidemark {

// A pipeline in a oneTBB arena: rows are cut off the input in order, parsed in parallel, and queued
// in order. Chunks are recycled, and their number bounds what is read ahead. Waiting for a slow
// input happens outside the arena, when everything read before has been queued, so that no row
// waits for the next one.
class ReadAhead {
 public:
  using MakeChunk = std::function<std::unique_ptr<TextChunk>()>;

  // `input` must outlive this. CPUs default to those of the calling thread.
  ReadAhead(RowInput& input, const MakeChunk& make_chunk, const FileSourceOptions& options);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Starts the threads; `consumer` is unparked whenever a chunk is there and at the end.
  void start(Parker& consumer);
  // Ends them, at the latest once the chunks being parsed are done. May be called again.
  void stop();

  // The next chunk, or nullptr while there is none. Consumer only; never blocks.
  TextChunk* try_take();
  // Takes back what try_take() gave. Consumer only; never blocks.
  void give_back(TextChunk* chunk) { free_.push(chunk); }

  // True once no chunk will come beyond those that try_take() finds from then on. Any failure is
  // known then.
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  // Whether that was the input's end, and not stop(); if finished().
  bool at_end() const { return !stopping_.load(std::memory_order_relaxed); }
  // What the input threw, if finished().
  std::exception_ptr failure() const { return failure_; }

 private:
  enum class Round : std::uint8_t { kEnded, kWaits };

  void run();
  Round run_pipeline();
  TextChunk* read_chunk(Round& round);
  void deliver(TextChunk* chunk);

  RowInput& input_;
  std::size_t threads_;
  std::vector<int> cpus_;
  std::vector<std::unique_ptr<TextChunk>> chunks_;
  // A nullptr among the free chunks says that there is a stop.
  tbb::concurrent_bounded_queue<TextChunk*> free_;
  tbb::concurrent_queue<TextChunk*> ready_;
  tbb::task_arena arena_;
  Parker* consumer_ = nullptr;
  int wake_descriptor_;
  std::thread reader_;
  // Relaxed: it orders nothing, and whoever sleeps is woken by the descriptor or the queue.
  std::atomic<bool> stopping_{false};
  // Release by the reader after its last chunk and failure_; acquire by the consumer before it
  // looks for them.
  std::atomic<bool> finished_{false};
  std::exception_ptr failure_;
};

}  // namespace tidemark
