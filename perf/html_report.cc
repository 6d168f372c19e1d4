#include "tidemark/perf/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tidemark/perf/json_document.h"
#include "tidemark/perf/report_assets.h"

namespace tidemark {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view kHistorySchema = "tidemark-history/1";
constexpr std::array<std::string_view, 4> kReportSchemas{"tidemark-bench/2", "tidemark-profile/1",
                                                         "tidemark-compare/1", kHistorySchema};

std::string schema_of(const ordered_json& document) {
  if (!document.is_object()) return "";
  const auto schema = document.find("schema");
  return schema == document.end() || !schema->is_string() ? "" : schema->get<std::string>();
}

bool is_known(const std::string& schema) {
  for (const std::string_view known : kReportSchemas) {
    if (schema == known) return true;
  }
  return false;
}

tl::unexpected<Error> refused(const ReportDocument& document, std::string_view what) {
  return make_error(fmt::format("{}: {}", document.name, what));
}

// A history is lines of JSON; in the page it is one document.
Expected<ordered_json> parse_history(const ReportDocument& document) {
  ordered_json history = {{"schema", kHistorySchema}, {"runs", ordered_json::array()}};
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < document.json.size();) {
    const std::size_t end = std::min(document.json.find('\n', begin), document.json.size());
    const std::string_view line(document.json.data() + begin, end - begin);
    ++number;
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ordered_json run = ordered_json::parse(line, nullptr, false);
    if (schema_of(run) != kHistorySchema) {
      return refused(document,
                     fmt::format("line {} is not a run of a history ({})", number, kHistorySchema));
    }
    history["runs"].push_back(std::move(run));
  }
  return history;
}

Expected<ordered_json> parse_document(const ReportDocument& document) {
  if (document.json.find_first_not_of(" \t\r\n") == std::string::npos) {
    return refused(document, "is empty; a report needs JSON of tidemark bench, profile or compare");
  }
  ordered_json parsed = ordered_json::parse(document.json, nullptr, false);
  if (parsed.is_discarded() || schema_of(parsed) == kHistorySchema) {
    const std::string first_line = document.json.substr(0, document.json.find('\n'));
    if (schema_of(ordered_json::parse(first_line, nullptr, false)) == kHistorySchema) {
      return parse_history(document);
    }
  }
  if (parsed.is_discarded()) {
    // Read once more by what says where it stops being JSON.
    const Expected<JsonDocument> again = JsonDocument::parse(document.json, document.name);
    return again ? refused(document, "is not JSON") : tl::make_unexpected(again.error());
  }
  const std::string schema = schema_of(parsed);
  if (schema.empty()) {
    return refused(document,
                   "has no schema; a report needs JSON of tidemark bench, profile or compare");
  }
  if (!is_known(schema)) {
    return refused(document,
                   fmt::format("has schema {:?}, which no report is made of; there are: {}", schema,
                               fmt::join(kReportSchemas, ", ")));
  }
  return parsed;
}

// Text between tags, or in an attribute.
std::string escaped_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// JSON that cannot end the script element that holds it: `<` stands only in its strings.
std::string json_in_script(const ordered_json& document) {
  std::string escaped;
  for (const char c : document.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string joined_script() {
  std::string script;
  for (const std::string_view part :
       {report_figures_script, report_charts_script, report_bench_script, report_profile_script,
        report_compare_script, report_page_script}) {
    script += part;
  }
  return script;
}

// Fills the places of the template, each of which is there once, in this order.
std::string filled(const std::vector<std::pair<std::string_view, std::string_view>>& places) {
  std::string page;
  std::string_view rest = report_template;
  for (const auto& [place, text] : places) {
    const std::size_t where = rest.find(place);
    page += rest.substr(0, where);
    page += text;
    rest.remove_prefix(where + place.size());
  }
  page += rest;
  return page;
}

}  // namespace

Expected<std::string> html_report(const std::vector<ReportDocument>& documents) {
  if (documents.empty()) return make_error("a report needs at least one document");
  std::string scripts;
  std::string title = "Tidemark";
  for (const ReportDocument& document : documents) {
    Expected<ordered_json> parsed = parse_document(document);
    if (!parsed) return tl::unexpected(parsed.error());
    const std::string name = escaped_html(document.name);
    scripts += fmt::format("<script type=\"application/json\" data-document=\"{}\">{}</script>\n",
                           name, json_in_script(*parsed));
    title += (&document == &documents.front() ? ": " : ", ") + name;
  }
  const std::string script = joined_script();
  return filled({{"@TITLE@", title},
                 {"@STYLE@", report_style},
                 {"@DOCUMENTS@", scripts},
                 {"@CHARTS@", chart_library},
                 {"@SCRIPT@", script}});
}

}  // namespace tidemark
