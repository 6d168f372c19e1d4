// Options of measurements on the generated stream.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/operators/aggregate_spec.h"

namespace tidemark::cli {

// From 1 to `highest`. Throws UserError with a sentence that names the option.
std::uint64_t positive_count(const char* option, const std::string& text, std::uint64_t highest);

// What --agg says, over the one value column of BenchStream; `command` is for errors.
std::vector<AggregateSpec> stream_aggregates(const std::string& text, const char* command);

}  // namespace tidemark::cli
