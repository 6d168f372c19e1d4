#include "cli/stream_arguments.h"

#include <fmt/format.h>

#include "cli/user_error.h"
#include "tidemark/connectors/aggregate_list.h"
#include "tidemark/connectors/quantity.h"

namespace tidemark::cli {

std::uint64_t positive_count(const char* option, const std::string& text, std::uint64_t highest) {
  const std::uint64_t number = value_or_throw(parse_count(text, option));
  if (number == 0 || number > highest) {
    throw UserError(fmt::format("{} must be from 1 to {}, but is {}", option, highest, text));
  }
  return number;
}

std::vector<AggregateSpec> stream_aggregates(const std::string& text, const char* command) {
  Expected<std::vector<AggregateRequest>> list = parse_aggregate_list(text);
  if (!list) throw UserError("--agg: " + list.error().message);
  std::vector<AggregateSpec> aggregates;
  for (const AggregateRequest& request : *list) {
    if (request.condition) {
      throw UserError(fmt::format("--agg: {} has a condition, which {} does not measure",
                                  request.name, command));
    }
    if (request.column && *request.column != "amount") {
      throw UserError(fmt::format("--agg: the generated stream has no column {:?}; it has amount",
                                  *request.column));
    }
    aggregates.push_back({request.function, request.column ? 0 : AggregateSpec::kRows, request.name,
                          request.parameter});
  }
  return aggregates;
}

}  // namespace tidemark::cli
