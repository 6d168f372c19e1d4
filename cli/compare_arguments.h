// The options of `tidemark compare`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/shared_files.h"
#include "tidemark/perf/comparison.h"
#include "tidemark/perf/measurement.h"

namespace tidemark::cli {

// As written on the command line.
struct CompareArguments {
  std::vector<std::string> inputs;
  std::string threshold = "5%";
  std::string alpha = "0.05";
  std::string min_runs = "10";
  std::string instruction_tolerance = "2%";
  std::string time = "real";
  std::string gate = "all";
  std::string runs;
  std::string turns = "4";
  std::string seed = "1";
  std::string commit;
  std::string markdown;
  std::string junit;
  std::string json;
  std::string html;
  std::string github_action;
  std::string history;
  std::vector<std::string> only;
  std::vector<std::string> ignore;
  std::vector<std::string> lower;
  std::vector<std::string> higher;
  bool run = false;
  bool wall_time = false;
  bool instructions = false;
  bool no_confirm = false;
  bool allow_different = false;
  bool allow_missing = false;
  bool all = false;
};

// Adds all options to `command`; `arguments` must outlive it.
void add_compare_options(CLI::App& command, CompareArguments& arguments);

// Throws UserError for a wrong number of inputs, for options that would be ignored beside the
// others, and for files that would overwrite an input or each other.
void check_compare_arguments(const CLI::App& command, const CompareArguments& arguments);

// Each throws UserError for a value that is wrong.
CompareOptions compare_options_of(const CompareArguments& arguments);
BenchmarkTime time_of(const CompareArguments& arguments);
std::size_t runs_of(const CompareArguments& arguments);
std::size_t turns_of(const CompareArguments& arguments);

// One for each figure of which more is better, and of which less is: NAME.json becomes
// NAME.bigger.json and NAME.smaller.json. Nothing for an empty path.
std::string github_action_path(const std::string& path, Better better);

}  // namespace tidemark::cli
