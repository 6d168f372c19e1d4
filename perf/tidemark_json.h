// JSON that `tidemark bench` and `tidemark profile` write, read back as figures.
#pragma once

#include "tidemark/perf/json_document.h"
#include "tidemark/perf/measurement.h"

namespace tidemark {

// Whether the document says that it comes from Tidemark.
bool is_tidemark(const JsonDocument::Json& root);

// Refuses schemas other than those that this version writes, and parts of them that do not hold
// what they should.
Expected<Measurement> read_tidemark(const JsonDocument& document);

}  // namespace tidemark
