// SPDX-License-Identifier: Apache-2.0
// --backend: who executes programs, this process or those that mpirun started with it.
#pragma once

#include <memory>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/cluster/cluster.h"

namespace CLI {
class App;
}

namespace shardscope::inline cli {

void add_backend(CLI::App& command);

// Whether this process is one of several of which another speaks.
bool is_quiet_rank();

// With --backend mpi this process is one of mpirun's. Rank 0 runs the command and the others serve it; tune
// and sweep --over are run by every rank, each with a part of the points. False: this process served until
// rank 0 was done. Errors: as Cluster::join.
Result<bool> join_ranks(const CLI::App& app, const std::stop_token& stop);
Cluster* joined_ranks();  // null: --backend threads
Sharing* shared_work();   // likewise; of commands that all ranks run, each a part of the work
// At the end of rank 0's command, with its exit status, which is given back.
int leave_ranks(int status);

}  // namespace shardscope::inline cli
