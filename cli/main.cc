#include <fmt/format.h>
#include <mimalloc.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "cli/bench_command.h"
#include "cli/build_info.h"
#include "cli/compare_command.h"
#include "cli/explain_command.h"
#include "cli/gen_command.h"
#include "cli/out_of_memory.h"
#include "cli/profile_command.h"
#include "cli/report_command.h"
#include "cli/user_error.h"
#include "cli/window_command.h"
#include "tidemark/connectors/output_file.h"

namespace tidemark::cli {
namespace {

std::string version_text() {
  const BuildInfo& info = build_info();
  const int allocator = mi_version();
  return fmt::format(
      "tidemark {}\ncommit {}\ncompiler {}\nbuild type {}, flags {}\n"
      "allocator mimalloc {}.{}.{}\n",
      info.version, info.commit, info.compiler, info.build_type, info.flags, allocator / 100,
      allocator / 10 % 10, allocator % 10);
}

int run(int argument_count, char** arguments) {
  CLI::App app{"Event-time windows over streams, built to be measured", "tidemark"};
  int exit_code = kExitDone;
  bool version = false;
  app.add_flag("--version", version, "version, commit, compiler, build type, allocator");
  add_window_command(app, exit_code);
  add_bench_command(app, exit_code);
  add_profile_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_gen_command(app, exit_code);
  add_report_command(app, exit_code);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw UserError(fmt::format("{} (--help shows what there is)", error.what()));
  }
  if (version) {
    fmt::print("{}", version_text());
  } else if (app.get_subcommands().empty()) {
    throw UserError("no command is given (--help shows what there is)");
  }
  return exit_code;
}

// What the build was told to use is not there on every machine that the program may be copied to.
bool cpu_has_what_the_build_uses() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") != 0;
#else
  return true;
#endif
}

}  // namespace
}  // namespace tidemark::cli

int main(int argument_count, char** arguments) {
  if (!tidemark::cli::cpu_has_what_the_build_uses()) {
    std::fputs(
        "tidemark: this build needs a CPU with AVX2; configure with -DTIDEMARK_MARCH=x86-64 to "
        "build for any\n",
        stderr);
    return tidemark::cli::kExitUsage;
  }
  // A broken pipe then is an error of write(), which ends the command quietly.
  std::signal(SIGPIPE, SIG_IGN);
  tidemark::cli::report_out_of_memory();
  try {
    return tidemark::cli::run(argument_count, arguments);
  } catch (const tidemark::BrokenPipe&) {
    return tidemark::cli::kExitDone;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "tidemark: {}\n", tidemark::cli::kOutOfMemory);
    return tidemark::cli::kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tidemark: {}\n", error.what());
    return tidemark::cli::kExitUsage;
  }
}
