// The bytes of an input, in runs of whole rows.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/row_boundary.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// A byte order mark at the very start is left out. Used by one thread at a time.
class RowInput {
 public:
  enum class Status : std::uint8_t {
    kRows,        // some rows
    kWouldBlock,  // none now; see wait()
    kEnd,
  };

  // Opens what `options` name: a regular file is mapped, anything else is a stream. `boundary` is
  // at the start of the input.
  static Expected<std::unique_ptr<RowInput>> open(const FileSourceOptions& options,
                                                  std::unique_ptr<RowBoundary> boundary);

  virtual ~RowInput() = default;

  // The start of the input, whole rows, which is not consumed: up to a MiB, and no less than
  // RowBoundary::is_sample() asks for unless the input ends before. A stream is waited for until
  // then (the cancellation ends that), and then only as long as more keeps coming.
  virtual Expected<std::string_view> sample() = 0;

  // Consumes `bytes`, up to a row's end within the sample. Call once, before next().
  virtual void skip(std::size_t bytes) = 0;

  // Sets `rows` to the next rows, about a chunk; `storage` holds them if the input itself does not.
  // Never blocks. Throws std::runtime_error if the input cannot be read on or a row is too long.
  virtual Status next(std::string& storage, std::string_view& rows) = 0;

  // Sleeps until there is something to read or `wake_descriptor` becomes readable.
  virtual void wait(int wake_descriptor) = 0;

  // `rows` and all before them are not needed any more. May run beside next() on another thread.
  virtual void release(std::string_view rows) = 0;

  // What is missing at the end, once next() has told that this is it. Only then.
  virtual std::optional<std::string> end_problem() const = 0;

  const std::string& name() const { return name_; }

 protected:
  explicit RowInput(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;  // for messages
};

}  // namespace tidemark
