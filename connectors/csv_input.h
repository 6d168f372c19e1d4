// The bytes of a CSV input, in runs of whole rows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/connectors/csv_options.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// A byte order mark at the very start is left out. Used by one thread at a time.
class CsvInput {
 public:
  enum class Status : std::uint8_t {
    kRows,        // some rows
    kWouldBlock,  // none now; see wait()
    kEnd,
  };

  // Opens what `options` name: a regular file is mapped, anything else is a stream.
  static Expected<std::unique_ptr<CsvInput>> open(const CsvSourceOptions& options);

  virtual ~CsvInput() = default;

  // The start of the input, whole rows, which is not consumed: up to a MiB, and no less than the
  // header and one more row unless the input ends before. A stream is waited for until then (the
  // cancellation ends that), and then only as long as more keeps coming.
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

  const std::string& name() const { return name_; }

 protected:
  explicit CsvInput(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;  // for messages
};

}  // namespace tidemark
