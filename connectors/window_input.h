// Binds the words of a windowed job (columns, aggregates) to an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/connectors/aggregate_list.h"
#include "tidemark/connectors/bad_row.h"
#include "tidemark/connectors/event_time_text.h"
#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/text_results.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/source.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

struct WindowInputOptions {
  // A path, `-` for standard input, or `gen:orders?rows=N&...`.
  std::string input;
  // Of a path and of standard input; see FileSourceOptions.
  FileFormat format = FileFormat::kCsv;
  std::string json_rows;
  // Generated orders have `ts` and need none, nor does processing time.
  std::string time_column;
  EventTimeOptions time;
  std::vector<std::string> keys;
  std::vector<AggregateRequest> aggregates;
  // Columns whose type is not to be found out from the first rows: int64 or double. Not of
  // generated orders.
  std::vector<std::pair<std::string, ColumnType>> types;
  // Rows carry their text along for the late output.
  bool carry_text = false;
  BadRowHandler bad_rows;
  OnBadRow on_bad = OnBadRow::kSkip;
  // See FileSourceOptions; generated orders say how many rows they are instead.
  PublishedValue<std::uint64_t>* bytes_taken = nullptr;
  // What the query says about windows and time: windows, time_domain, watermarks, delay and
  // max_ahead. Its columns and aggregates are of no account.
  WindowQuery query;
  // The column of the watermarks, if rows bring them. Not of generated orders.
  std::string watermark_column;
  // Workers of the pipeline, and the CPUs that may be used (empty: all).
  std::size_t cores = 1;
  std::vector<int> cpus;
  // May be null.
  const Cancellation* cancellation = nullptr;
};

struct WindowInput {
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  // Schemas and aggregates as WindowQuery has them.
  Schema keys;
  Schema values;
  Schema carried;
  std::vector<AggregateSpec> aggregates;
  // Of the value columns; see TextResults::make_writer(). Empty where there can be none.
  ValueTexts texts;
  // Those of the query; sessions whose gap is in a column know which value column it is.
  std::vector<WindowSpec> windows;
  // For messages.
  std::string name;
  // How many rows there are, if that is known.
  std::optional<std::uint64_t> rows;
  // The header as CSV, where rows carry their text. JSON text is one column.
  std::optional<std::string> header;
  bool text_is_json = false;
  // How times are read, if that was found out from the first rows.
  std::optional<TimeUnit> detected_unit;
  std::optional<std::string> time_warning;
  // Where it is known before a row is read.
  std::optional<StreamShape> stream;
};

// Opens the input and reads the first rows to learn its columns and types; reads nothing else.
// Generated orders are dealt out over one partition per core where no row can be late, as their
// disorder is within the delay, and nothing depends on the order of rows; they come as one
// partition otherwise: the results do not depend on the number of cores. Refuses unknown columns
// and whatever the input's reader refuses.
Expected<WindowInput> open_window_input(const WindowInputOptions& options);

}  // namespace tidemark
