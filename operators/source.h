// Where rows come from: a source is one or more partitions, each read in order by one task.
#pragma once

#include <cstdint>
#include <optional>

#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/parker.h"

namespace tidemark {

enum class PollStatus : std::uint8_t {
  kRows,     // appended at least one row; there may be more
  kPending,  // no row now; `ready_at` or the parker says when to ask again
  kEnd,      // no row now or ever again
};

// Rows of one partition keep their order; its watermark follows from its own rows. All calls come
// from one thread.
class SourcePartition {
 public:
  virtual ~SourcePartition() = default;

  // Appends rows (times and columns, not hashes) to `batch`, at most up to its capacity. Every
  // event time appended is valid (is_valid_event_time). Must not block. Throws std::runtime_error
  // with a sentence for people when the input cannot be read on.
  virtual PollStatus poll(Batch& batch) = 0;

  // Called once before the first poll by a partition's driver. Whatever makes rows available on
  // another thread unparks `driver`.
  virtual void start(Parker& driver) { (void)driver; }

  // The driver asks no more; helper threads must end. Called at the end and on cancellation.
  virtual void stop() {}

  // After kPending: when rows are due, for a source that paces itself.
  virtual std::optional<Clock::time_point> ready_at() const { return std::nullopt; }

  // Rows read that never reached a batch because they were bad. Read after the run.
  virtual std::uint64_t bad_rows() const { return 0; }
};

}  // namespace tidemark
