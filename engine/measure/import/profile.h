// SPDX-License-Identifier: Apache-2.0
// A profile as it was read: the measured trace, and what of it a workspace does not keep.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/import/profiled_groups.h"
#include "engine/program/ir/program.h"
#include "engine/run/measured.h"

namespace shardscope::inline measure {

struct ProfiledOperation : MeasuredOperation {
  ProfiledOperation() = default;
  ProfiledOperation(MeasuredOperation facts) : MeasuredOperation(std::move(facts)) {}

  // Of a GPU: what ran, empty: it is called as `op` is. Where it is `op`, that is no instruction's name.
  std::string kernel;
  ProfiledGroupsPtr groups;  // of a collective
  int64_t program = 0;       // its module's number in the run, 0: not known
  double sure = 1;           // that it is this instruction, 0…1
  bool part = false;   // goes with another kernel of its instruction, as the memset in front of a product
  bool early = false;  // launched before the first step: of none

  const std::string& ran() const { return kernel.empty() ? op : kernel; }
  bool named_by_kernel() const { return op == kernel; }
  // A copy or a memset, which no kernel computes.
  bool is_transfer() const {
    const std::string& what = ran();
    return what.starts_with("Memcpy") || what.starts_with("Memset") || what.starts_with("memcpy") ||
           what.starts_with("memset");
  }
};

// A module that work of the profile is of.
struct ProfiledModule {
  std::string name;
  int64_t program = 0;  // its number in the run, 0: not known
  std::shared_ptr<const Program> text;
};

struct Profile {
  MeasuredTrace trace;
  std::vector<ProfiledOperation> operations;  // those of the trace, one for one, without their statistics
  std::vector<ProfiledModule> modules;        // by name and program
  std::string chip;                           // what the profile calls its devices, empty: it does not say
  // From the first to the last work of the steps. Wider than they are where steps overlap on a device: then
  // what the first one did early is of it too.
  TimeRange worked = {};
};

}  // namespace shardscope::inline measure
