// SPDX-License-Identifier: Apache-2.0
// What a machine's own files say of its processor and its memory.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "engine/base/machine/memory_here.h"
#include "engine/base/machine/processor.h"
#include "tests/temporary_folder.h"

namespace shardscope::machine_test {
namespace {

namespace fs = std::filesystem;

class Tree {
 public:
  Tree() {
    write("proc/meminfo", "MemTotal:       16000 kB\nMemFree:  1 kB\nMemAvailable:    8000 kB\n");
    write("proc/self/statm", "100 50 10 1 0 20 0\n");
  }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_.file(path)).parent_path());
    std::ofstream(root_.file(path)) << text;
  }
  MemoryHere read() const { return memory_here(root_.path()); }

 private:
  TemporaryFolder root_;
};

TEST(Processor, HasTheUnitsThatItsFlagsName) {
  const Processor found = parse_processor(
      "processor\t: 0\nmodel name\t: A chip @ 2 GHz\nflags\t\t: fpu amx_bf16 fma avx2 avx512foo\n"
      "processor\t: 1\nmodel name\t: Another\nflags\t\t: avx512f\n");
  EXPECT_EQ(found, (Processor{"A chip @ 2 GHz", {"avx2", "fma", "amx_bf16"}}));
  EXPECT_EQ(parse_processor(""), Processor{});
}

TEST(Memory, WithoutGroupsIsWhatTheMachineHas) {
  const Tree tree;
  const MemoryHere memory = tree.read();
  EXPECT_EQ(memory.total, 16'384'000);
  EXPECT_EQ(memory.available, 8'192'000);
  EXPECT_EQ(memory.group_limit, std::nullopt);
  EXPECT_LE(memory.usable(), 8'192'000);
}

TEST(Memory, TheTightestGroupOnTheWayUpCounts) {
  const Tree tree;
  tree.write("proc/self/cgroup", "0::/outer/inner\n");
  tree.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  tree.write("sys/fs/cgroup/outer/memory.max", "4000000\n");
  tree.write("sys/fs/cgroup/outer/memory.current", "1500000\n");
  tree.write("sys/fs/cgroup/outer/memory.stat", "anon 1000000\ninactive_file 500000\n");
  const MemoryHere memory = tree.read();
  EXPECT_EQ(memory.group_limit, 4'000'000);
  EXPECT_EQ(memory.group_used, 1'000'000);
  EXPECT_LE(memory.usable(), 3'000'000);
}

TEST(Memory, GroupsOfTheFirstKindAreReadToo) {
  const Tree tree;
  tree.write("proc/self/cgroup", "7:cpu,cpuacct:/a\n4:memory:/docker/x\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
  tree.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "300000\n");
  EXPECT_EQ(tree.read().group_limit, 2'000'000);
  EXPECT_EQ(tree.read().group_used, 300'000);
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(tree.read().group_limit, std::nullopt);
}

TEST(Memory, LimitsOfTheProcessCount) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  rlimit less = before;
  less.rlim_cur = rlim_t{1} << 46U;
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &less), 0);
  EXPECT_EQ(memory_here().data_limit, int64_t{1} << 46);
  setrlimit(RLIMIT_DATA, &before);
}

TEST(Memory, IsNeverLessThanNothing) {
  MemoryHere memory;
  memory.available = 5;
  memory.data_limit = 4;
  EXPECT_EQ(memory.usable(), 4);
  memory.group_limit = 3;
  memory.group_used = 9;
  EXPECT_EQ(memory.usable(), 0);
}

}  // namespace
}  // namespace shardscope::machine_test
