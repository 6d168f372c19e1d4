// The options of `tidemark window`, which `tidemark explain` shares.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/connectors/result_writer.h"
#include "tidemark/connectors/window_input.h"
#include "tidemark/operators/query.h"

namespace tidemark::cli {

// As written on the command line.
struct WindowArguments {
  std::string input;
  std::string format;
  std::string json_rows;
  std::string time_column;
  std::string time_unit = "auto";
  std::string time_format;
  std::string input_zone = "UTC";
  std::vector<std::string> types;  // COL=int or COL=double
  std::string keys;
  std::vector<std::string> windows;
  std::string zone = "UTC";
  std::string aggregates = "count";
  std::string delay;
  std::string watermark;  // empty: bounded
  std::string watermark_column;
  std::string max_ahead;
  std::string time_domain = "event";
  std::string idle;
  std::string lateness;
  std::string early;
  std::string accumulate;
  bool repeat_unchanged = false;
  std::string ttl;
  std::string late_output;
  std::string bad_output;
  std::string on_bad = "skip";
  std::string strategy = "auto";
  std::string stream;  // empty: as the input says, if it does
  std::string cores;   // empty: as many as are allowed
  std::string output = "-";
  std::string output_format;
  std::string times = "iso";
  bool unordered = false;
  std::string summary;
  bool quiet = false;
  bool progress = false;
  bool no_progress = false;
  std::string metrics;
};

// Adds all options to `command`; `arguments` must outlive it.
void add_window_options(CLI::App& command, WindowArguments& arguments);

// What arguments say, each part by itself. All throw UserError for a value that is wrong, before
// anything is read or written.

// The parts of the query that do not depend on the input.
WindowQuery query_of(const WindowArguments& arguments);
// Which input to open, and how to read it; `query` is that of query_of().
WindowInputOptions input_options_of(const WindowArguments& arguments, const WindowQuery& query);
// How results are written; the format is not set where it depends on the output.
struct ResultStyle {
  TimeFormatter times;
  std::optional<ResultFormat> format;
};
ResultStyle result_style_of(const WindowArguments& arguments);
// What is known of the stream: from --stream, or else from the input.
std::optional<StreamShape> stream_of(const WindowArguments& arguments, const WindowInput& input);

}  // namespace tidemark::cli
