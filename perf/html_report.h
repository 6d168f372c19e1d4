// One self-contained HTML page with charts and tables, made from the JSON documents of the
// instrument. The documents are in the page, and its script draws from nothing else.
#pragma once

#include <string>
#include <vector>

#include "tidemark/runtime/error.h"

namespace tidemark {

struct ReportDocument {
  // For people, such as the file's name.
  std::string name;
  // Of `tidemark bench`, `profile` or `compare`; or a history, one JSON object a line.
  std::string json;
};

// The page opens without a network, and asks none. Refuses no documents, a text that is not JSON,
// and JSON of other programs, with the name of the document in the sentence.
Expected<std::string> html_report(const std::vector<ReportDocument>& documents);

}  // namespace tidemark
