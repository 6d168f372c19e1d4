// What to read from a file or a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/connectors/bad_row.h"
#include "tidemark/connectors/comparison.h"
#include "tidemark/connectors/event_time_text.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/published_value.h"

namespace tidemark {

enum class FileFormat : std::uint8_t {
  kCsv,
  kJson,       // one document that holds an array of objects
  kJsonLines,  // one object a line
};

// A condition on one cell. A literal that is a number compares as a number, and a cell that is none
// makes the row bad; any other literal, and one marked as text, compares bytes. A NULL cell fulfils
// no condition.
struct CsvFilter {
  std::string column;
  CompareOp op = CompareOp::kEqual;
  std::string literal;
  bool literal_is_text = false;
};

// What is read of a value column in whose first rows there is text, as an int64.
enum class TextUse : std::uint8_t {
  kNone,      // numbers are wanted: a row with text is bad
  kPresence,  // that there is one
  kHash,      // the same for the same text in every run
  kIdentity,  // the same for the same text in this run, and another one for every other text
  kShown,     // the same, but only where most of the first cells are text
};

// One value column of the rows: a number cell, or NULL where the filter is not fulfilled. Without a
// column, for counting: 1, or NULL where the filter is not fulfilled.
struct CsvValueInput {
  std::string column;
  std::optional<CsvFilter> filter;
  // The gap of the session that the row is in: a whole number of ms above 0, or the row is bad.
  bool is_gap = false;
  TextUse text = TextUse::kNone;
};

struct FileSourceOptions {
  // A path; or, if it is empty, a file descriptor, which stays the caller's. A regular file is
  // mapped, and must not shrink while it is read; everything else is read by blocks.
  std::string path;
  int descriptor = 0;
  FileFormat format = FileFormat::kCsv;
  // csv only.
  char delimiter = ',';
  // kJson only: the JSON pointer to the array of rows; empty if the document is that array. Columns
  // of both JSON formats are names of members, or pointers into a row such as /properties/time.
  std::string json_rows;

  // Empty: rows have no event time, and theirs is left 0.
  std::string time_column;
  // How times are read.
  EventTimeOptions time;
  // Watermarks that rows bring, read like times; a NULL cell brings none. Empty: there is no such
  // column.
  std::string watermark_column;
  // Key columns; their cells are strings, as text exactly as in the file.
  std::vector<std::string> keys;
  std::vector<CsvValueInput> values;
  // Types of value columns that shall not be inferred: kInt64 or kDouble.
  std::vector<std::pair<std::string, ColumnType>> types;
  // Whether each row carries its own text along, as a last string column named "raw".
  bool carry_raw = false;

  // A row whose time is more than this many ms ahead of the highest before it is bad.
  std::optional<std::int64_t> max_ahead;

  // Called in row order, by the thread that polls.
  BadRowHandler bad_rows;
  // With kFail the first bad row ends the run by an exception that names line and reason.
  OnBadRow on_bad = OnBadRow::kSkip;

  // Threads that parse ahead, at least 1 and at most one per CPU, and the CPUs that they may run on
  // (empty: all).
  std::size_t threads = 1;
  std::vector<int> cpus;
  // Rows per parsed batch; reading is cheapest when it equals the pipeline's batch size.
  std::size_t batch_rows = Batch::kDefaultCapacity;
  // Bytes parsed at a time. Memory is about 2 * threads + 2 chunks and their rows.
  std::size_t chunk_bytes = 256 * 1024;
  // A longer row is bad and passed over: most likely a quote is not closed, and memory is finite.
  std::size_t max_row_bytes = 64 * 1024 * 1024;
  // Bytes of rows that have been taken in, for another thread to look at; may be null.
  PublishedValue<std::uint64_t>* bytes_taken = nullptr;

  // Asked while waiting for the first rows of a stream; may be null.
  const Cancellation* cancellation = nullptr;
};

}  // namespace tidemark
