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

# Debian ships these two as plain headers.
find_path(TIDEMARK_CONCURRENTQUEUE_DIR concurrentqueue/concurrentqueue.h REQUIRED)
find_path(TIDEMARK_XXHASH_DIR xxhash.h REQUIRED)
