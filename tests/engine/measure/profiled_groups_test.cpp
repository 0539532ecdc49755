// SPDX-License-Identifier: Apache-2.0
// Which devices take part in a collective together, and where a module's devices are.
#include "engine/measure/import/profiled_groups.h"

#include <gtest/gtest.h>

#include "engine/measure/import/module_index.h"
#include "engine/program/module_form.h"
#include "tests/engine/measure/paired_module.h"
#include "tests/engine/measure/xplane_file.h"

namespace shardscope::profiled_groups_test {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

TEST(ProfiledGroups, AreReadFromAnInstructionsText) {
  EXPECT_EQ(groups_of("channel_id=1, replica_groups={{0,3},{1,2}}, to_apply=%add")->groups,
            (Groups{{0, 3}, {1, 2}}));
  EXPECT_EQ(groups_of("replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}")->groups, (Groups{{0, 2}, {1, 3}}));
  for (const char* none :
       {"dimensions={0}", "replica_groups={}", "replica_groups={{0,", "replica_groups={{a}}",
        "replica_groups=[8]<=[8]", "replica_groups=", "replica_groups=mesh['x'=2] {'x'}"})
    EXPECT_EQ(groups_of(none), nullptr) << none;
}

TEST(ProfiledGroups, AModuleSaysOnWhichDevicesItRuns) {
  const auto partition = [](const std::string& devices) { return Message().text(1, devices); };
  const Message assignment = Message()
                                 .integer(1, 1)
                                 .integer(2, 3)
                                 .add(3, partition("\x02"))
                                 .add(3, partition(std::string(1, '\0')))
                                 .add(3, Message().integer(1, 1));
  const std::string proto = Message().add(1, Message().text(1, "jit_f").add(15, assignment)).bytes();
  EXPECT_EQ(device_assignment(proto), (std::vector<int64_t>{2, 0, 1}));
  EXPECT_TRUE(device_assignment(Message().add(1, Message().text(1, "jit_f")).bytes()).empty());
  for (size_t length = 0; length < proto.size(); ++length) device_assignment(proto.substr(0, length));
}

TEST(ProfiledGroups, AreThoseOfTheMachineWhereTheModuleSaysWhereItRuns) {
  const auto read = read_module_bytes(testing::kPairs, "module.hlo");
  ASSERT_TRUE(read.ok()) << read.error().text();
  const auto program = std::make_shared<const Program>(read->program);
  ProfiledOperation operation;
  operation.op = "psum.1";
  ASSERT_TRUE(ModuleIndex::of(program, {0, 2, 1, 3}).join(operation));
  EXPECT_EQ(*operation.groups, (ProfiledGroups{{{0, 2}, {1, 3}}, true}));
  ASSERT_TRUE(ModuleIndex::of(program).join(operation));
  EXPECT_EQ(*operation.groups, (ProfiledGroups{{{0, 1}, {2, 3}}, false}));
}

}  // namespace
}  // namespace shardscope::profiled_groups_test
