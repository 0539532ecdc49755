// SPDX-License-Identifier: Apache-2.0
// Which devices take part in a collective together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline measure {

struct ProfiledGroups {
  std::vector<std::vector<int64_t>> groups;
  // These are the machine's numbers of devices, not those of the module, which a mesh may put elsewhere.
  bool placed = false;
  bool operator==(const ProfiledGroups&) const = default;
};
using ProfiledGroupsPtr = std::shared_ptr<const ProfiledGroups>;  // null: not known

// Of a collective's instruction; `assignment`: by the module's numbers, empty: not known.
ProfiledGroupsPtr groups_of(const Program& program, const Instruction& collective,
                            const std::vector<int64_t>& assignment);
// Of an instruction's attributes as a profile writes them: "replica_groups={{0,1},{2,3}}, …", or
// "[2,2]<=[4]".
ProfiledGroupsPtr groups_of(std::string_view attributes);

// On which device each partition of each replica runs, as a serialised HloProto says; empty: it does not.
std::vector<int64_t> device_assignment(const std::string& proto);

}  // namespace shardscope::inline measure
