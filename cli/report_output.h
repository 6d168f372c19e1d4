// What the reports of all measurements have in common: the build that made them, and their files.
#pragma once

#include <memory>
#include <string>

#include "tidemark/connectors/output_file.h"
#include "tidemark/perf/machine.h"

namespace tidemark::cli {

// This program.
Build describe_build();

// Nothing for an empty path; throws UserError if the file cannot be made.
std::unique_ptr<OutputFile> open_report(const std::string& path);

// Writes the whole report, if there is a file for it.
void write_report(OutputFile* file, const std::string& text);

// Writes the HTML page of a report's JSON, if there is a file for it; `name` is how the page calls
// it.
void write_page(OutputFile* file, const std::string& name, const std::string& json);

}  // namespace tidemark::cli
