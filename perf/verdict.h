// What a comparison says, of one figure and of all.
#pragma once

#include <string>

namespace tidemark {

enum class Verdict { kSame, kRegressed, kImproved, kAdded, kMissing, kInvalid };

enum class OverallVerdict { kSame, kRegressed, kImproved, kNotComparable };

// As in the JSON: `same`, `not_comparable`.
std::string to_string(Verdict verdict);
std::string to_string(OverallVerdict verdict);

}  // namespace tidemark
