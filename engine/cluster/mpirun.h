// SPDX-License-Identifier: Apache-2.0
// What Open MPI's mpirun reads from the environment of who starts it, and gives to the ranks. Source: its
// manual page mpirun(1), version 4.1.
#pragma once

#include <unistd.h>
#include <utility>
#include <vector>

namespace shardscope::inline cluster {

// The number of a rank, in the environment of each process that mpirun starts.
inline constexpr const char* kRankVariable = "OMPI_COMM_WORLD_RANK";

// {name, value} that let mpirun start more ranks than there are cores, and start at all for root, as in a
// container.
inline std::vector<std::pair<const char*, const char*>> mpirun_environment() {
  std::vector<std::pair<const char*, const char*>> out{{"OMPI_MCA_rmaps_base_oversubscribe", "1"}};
  if (geteuid() == 0)
    out.insert(out.end(), {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  return out;
}

}  // namespace shardscope::inline cluster
