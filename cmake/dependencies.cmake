find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(date REQUIRED)
find_package(FastFloat REQUIRED)
find_package(mimalloc REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(prometheus-cpp REQUIRED)

# Debian ships these two as plain headers.
find_path(TIDEMARK_CONCURRENTQUEUE_DIR concurrentqueue/concurrentqueue.h REQUIRED)
find_path(TIDEMARK_XXHASH_DIR xxhash.h REQUIRED)

# The charts of reports; Debian ships them as a plain file, which is built into the command.
find_file(TIDEMARK_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/javascript/Chart.js
          NO_DEFAULT_PATH)
if(NOT TIDEMARK_CHART_JS)
  message(FATAL_ERROR "Chart.js is missing: install the package libjs-chart.js, or say where "
                      "chart.min.js (version 3) is with -DTIDEMARK_CHART_JS=FILE")
endif()
