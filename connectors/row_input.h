// The bytes of an input, in runs of whole rows.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/row_boundary.h"
#include "tidemark/connectors/row_run.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// A byte order mark at the very start is left out. Used by one thread at a time.
class RowInput {
 public:
  enum class Status : std::uint8_t {
    kRows,        // some rows, or a part of one that is too long
    kWouldBlock,  // none now; see wait()
    kEnd,
  };

  // Opens what `options` name: a regular file is mapped, anything else is a stream. `boundary` is
  // at the start of the input.
  static Expected<std::unique_ptr<RowInput>> open(const FileSourceOptions& options,
                                                  std::unique_ptr<RowBoundary> boundary);

  virtual ~RowInput() = default;

  // The start of the input, whole rows, which is not consumed: up to a MiB, and no less than
  // RowBoundary::is_sample() asks for unless the input ends before or a row is too long. A stream
  // is waited for until then (the cancellation ends that), and then only as long as more keeps
  // coming. Refuses an input of which no row ends within what a row may have.
  virtual Expected<std::string_view> sample() = 0;

  // Consumes `bytes`, up to a row's end within the sample. Call once, before next().
  virtual void skip(std::size_t bytes) = 0;

  // Sets `run` to the next rows, about a chunk. Never blocks. Throws std::runtime_error if the
  // input cannot be read on.
  virtual Status next(RowRun& run) = 0;

  // Sleeps until there is something to read or `wake_descriptor` becomes readable.
  virtual void wait(int wake_descriptor) = 0;

  // `rows` and all before them are not needed any more. May run beside next() on another thread.
  virtual void release(std::string_view rows) = 0;

  // What is missing at the end, once next() has told that this is it. Only then.
  virtual std::optional<std::string> end_problem() const = 0;

  const std::string& name() const { return name_; }

 protected:
  explicit RowInput(std::string name) : name_(std::move(name)) {}

  Error no_row_ends(std::size_t bytes, const RowBoundary& boundary) const;

 private:
  std::string name_;  // for messages
};

}  // namespace tidemark
