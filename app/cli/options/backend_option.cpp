// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/backend_option.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "app/cli/options/common_options.h"
#include "app/report/made_now.h"
#include "engine/base/text.h"
#include "engine/cluster/mpirun.h"

namespace shardscope::inline cli {
namespace {

// MPI is there once in a process.
std::unique_ptr<Cluster>& cluster() {
  static std::unique_ptr<Cluster> joined;
  return joined;
}

std::string typed(const CLI::App& command, const char* name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->count() > 0 ? option->results().front() : "";
}

}  // namespace

void add_backend(CLI::App& command) {
  command
      .add_option("--backend",
                  "Who executes the program: threads of this process, or by MPI the processes that "
                  "mpirun -n 8 shardscope … starts, each with some of the devices (default: threads)")
      ->check(CLI::IsMember({"threads", "mpi"}));
}

bool is_quiet_rank() {
  if (cluster() != nullptr) return !cluster()->leads();
  const char* const rank = std::getenv(kRankVariable);
  return rank != nullptr && std::string_view(rank) != "0";
}

Result<bool> join_ranks(const CLI::App& app, const std::stop_token& stop) {
  const CLI::App& command = called_command(app);
  if (typed(command, "--backend") != "mpi") return true;
  Cluster::Options options;
  options.version = built_version();
  if (const auto threads = parse_int(typed(command, "--threads")))
    options.threads = static_cast<int>(*threads);
  options.on_lost = [](const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.text().c_str());
    std::fflush(stderr);
  };
  TRY(cluster(), Cluster::join(options));
  if (command.get_name() == "tune" || !typed(command, "--over").empty()) {
    cluster()->share(stop);
    return true;
  }
  if (cluster()->leads()) return true;
  cluster()->serve(stop);
  return false;
}

Cluster* joined_ranks() {
  return cluster().get();
}

Sharing* shared_work() {
  return cluster().get();
}

int leave_ranks(int status) {
  if (cluster() == nullptr) return status;
  std::fflush(nullptr);
  cluster()->leave(status);
  cluster() = nullptr;
  return status;
}

}  // namespace shardscope::inline cli
