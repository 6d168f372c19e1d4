// What a report page is made of: the files of perf/report and Chart.js, built into the library.
#pragma once

#include <string_view>

namespace tidemark {

// With the places @TITLE@, @STYLE@, @DOCUMENTS@, @CHARTS@ and @SCRIPT@.
extern const std::string_view report_template;
extern const std::string_view report_style;
// Chart.js 3, minified, with its licence in the first lines.
extern const std::string_view chart_library;
// One script in this order.
extern const std::string_view report_figures_script;
extern const std::string_view report_charts_script;
extern const std::string_view report_bench_script;
extern const std::string_view report_profile_script;
extern const std::string_view report_compare_script;
extern const std::string_view report_page_script;

}  // namespace tidemark
