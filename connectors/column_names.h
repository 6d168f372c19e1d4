// What to say about a column that is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark {

// A sentence that names the columns that there are, and the likeliest to be meant.
std::string no_such_column(std::string_view name, const std::vector<std::string>& columns,
                           std::string_view input_name);

}  // namespace tidemark
