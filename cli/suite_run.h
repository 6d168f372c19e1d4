// `tidemark bench --suite`: a fixed set of jobs instead of one.
#pragma once

#include <string>

namespace tidemark::cli {

struct SuiteArguments {
  std::string suite;   // its name
  std::string job;     // only this one, once, without a report; empty: all
  std::string repeat;  // passes of each job
  std::string json;    // may be empty, and so may html
  std::string html;
  bool instructions = false;
};

// Runs and reports it; returns the exit code. Throws UserError.
int run_suite_command(const SuiteArguments& arguments);

}  // namespace tidemark::cli
