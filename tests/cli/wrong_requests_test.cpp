// SPDX-License-Identifier: Apache-2.0
// A request that names what is not there, or a number out of sense, is exit 2 and one line that helps.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/cli/every_command.h"
#include "tests/cli/process.h"

namespace shardscope::wrong_requests_test {
namespace {

constexpr const char* kRing =
    "HloModule ring, num_partitions=4\nENTRY main {\n  a = f32[4] parameter(0)\n"
    "  ROOT b = f32[4] collective-permute(a), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n}\n";
constexpr const char* kBranches =
    "HloModule branches\none { x = f32[4] parameter(0)\n ROOT y = f32[4] negate(x)\n}\n"
    "two { x = f32[4] parameter(0)\n ROOT y = f32[4] exponential(x)\n}\n"
    "ENTRY main {\n  which = s32[] parameter(0)\n  a = f32[4] parameter(1)\n"
    "  ROOT c = f32[4] conditional(which, a, a), branch_computations={one, two}\n}\n";

class WrongRequests : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    write_text(folder_.file(name), text);
    return folder_.file(name);
  }
  static void refused(const Words& words, const std::string& says) {
    const ProcessOutcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2) << says << ": " << outcome.out << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
  TemporaryFolder folder_;
};

TEST_F(WrongRequests, ChipsAndLinksThatAreNotThere) {
  const std::string ring = file("ring.hlo", kRing);
  const std::string preset = "teaching";
  for (const std::string speed : {"--slow-device=99=0.5", "--slow-link=0-99=0.5"}) {
    refused({"hlo", "run", ring, speed}, "there is no chip 99, the mesh has 0 to 3");
    refused({"hlo", "run", ring, speed, "--check", "off"}, "there is no chip 99, the mesh has 0 to 3");
    refused({"run", preset, "--strategy", "wang.os", speed}, "there is no chip 99");
    refused({"sweep", preset, speed}, "there is no chip 99");
    refused({"story", ring, speed}, "there is no chip 99");
  }
  refused({"hlo", "run", ring, "--slow-link", "0-2=0.5"}, "chips 0 and 2 have no link");
  refused({"hlo", "run", ring, "--wrap", "none", "--slow-link", "1-2=0"}, "no way leads round it");
}

TEST_F(WrongRequests, BranchesAndLoopsThatAreNotThere) {
  const std::string branches = file("branches.hlo", kBranches), ring = file("ring.hlo", kRing);
  refused({"hlo", "run", branches, "--take", "7"},
          "has no branch '7'; --take; give 0 to 1, or one of one, two");
  refused({"hlo", "run", branches, "--take", "d=1"}, "the module has no 'd'; --take; there is c");
  refused({"hlo", "run", ring, "--take", "1"}, "nothing in the module asks for it; --take");
  refused({"hlo", "run", ring, "--trip-count", "9"}, "nothing in the module asks for it; --trip-count");
  EXPECT_EQ(run_program({"hlo", "run", branches, "--take", "1"}).exit_code, 0);
}

TEST_F(WrongRequests, AModuleThatIsNotInTheFile) {
  const std::string two = file("two.mlir",
                               "module @a {\n  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n    "
                               "return %x : tensor<4xf32>\n  }\n}\nmodule @b {\n  func.func @main(%x: "
                               "tensor<4xf32>) -> tensor<4xf32> {\n    return %x : tensor<4xf32>\n  }\n}\n");
  refused({"hlo", "parse", two, "--module", "c"}, "no module 'c', the file has a, b");
  refused({"hlo", "run", file("ring.hlo", kRing), "--module", "c"}, "no module 'c', the file has ring");
  const ProcessOutcome first = run_program({"hlo", "parse", two});
  EXPECT_NE(first.err.find("holds 2 modules, this is a; --module takes another: b"), std::string::npos);
  const ProcessOutcome second = run_program({"hlo", "parse", two, "--module", "b"});
  EXPECT_TRUE(second.out.starts_with("b: ")) << second.out << second.err;
}

TEST_F(WrongRequests, FilesOfAnotherKind) {
  const std::string ring = file("ring.hlo", kRing), text = file("a.txt", "hello\n");
  for (const char* command : {"run", "sweep"})
    refused({command, ring}, "a module, expected an experiment; " + ring + "; say shardscope hlo run");
  refused({"hlo", "parse", text}, "give HLO or StableHLO, as a compiler printed it");
  for (const Words& words : {Words{"hlo", "parse", "."}, Words{"run", "."}}) {
    const ProcessOutcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
    EXPECT_NE(outcome.err.find("it is a folder"), std::string::npos) << outcome.err;
  }
}

TEST_F(WrongRequests, OtherDevicesThanTheModuleIsMadeFor) {
  const std::string made = file("made.hlo",
                                "HloModule m, num_partitions=4\nENTRY main {\n"
                                "  ROOT a = f32[4] parameter(0), sharding={devices=[4]<=[4]}\n}\n");
  for (const char* command : {"run", "partition", "propagate", "report", "code"})
    refused({"hlo", command, made, "--devices", "200000"}, "the module is made for 4 devices, got 200000");
}

TEST_F(WrongRequests, NumbersOutOfSense) {
  const std::string ring = file("ring.hlo", kRing), db = folder_.file("a.shardscope");
  make_runs(db);
  const Words wang = {"run", "teaching", "--strategy", "wang.os"};
  const auto with = [](Words words, const std::string& more) {
    words.push_back(more);
    return words;
  };
  refused(with(wang, "--threads=0"), "'threads' must be at least 1, got 0");
  refused({"hlo", "run", ring, "--threads", "0"}, "'threads' must be at least 1, got 0");
  refused({"hlo", "partition", ring, "--threads", "0"}, "0 not in range 1 to 1024; --threads");
  refused({"hlo", "run", ring, "--devices", "nan"}, "expected a number, got 'nan'; --devices");
  const Words render = {"render", "--db", db, "--run", "1", "-o", folder_.file("x.svg")};
  refused(with(render, "--beat=99999999999"), "99999999999 is too large; --beat");
  refused(with(render, "--measured=0"), "expected a number from 1, got 0; --measured");
  refused(with(render, "--step=2"), "no measured trace named; --measured");
  refused({"render", "--db", db, "--run", "-1", "-o", "-"}, "expected a number from 1, got -1; --run");
  refused({"gmm", "--m", "256", "--k", "128", "--n", "128", "--group-sizes", "128,128", "--rtol", "-1"},
          "expected a number that is not negative, got '-1'; --rtol");
  refused({"kernel", "run", "ag.ring", "--m", "4"}, "ag.ring has no size 'm'; --m; its sizes are rows, cols");
  refused({"atlas", "--mesh", "x=2", "--m", "8", "--m", "9", "--k", "8", "--n", "8"},
          "the option is there more than once; --m");
}

TEST_F(WrongRequests, OptionsThatGoTogetherOrDoNot) {
  const std::string db = folder_.file("a.shardscope");
  make_runs(db);
  refused({"run", "teaching", "--strategy", "wang.os", "--check", "quick", "--reference", "f64"},
          "--reference excludes --check; command line; see shardscope run --help");
  const Words render = {"render", "--db", db, "--run", "1", "-o", folder_.file("x.svg")};
  const auto with = [&](const Words& more) {
    Words out = render;
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  refused(with({"--width", "85mm"}), "--width requires --figure");
  refused(with({"--figure", "--size", "640x480"}), "excludes");
  refused({"runs", "--db", db, "--label", "1"}, "nothing is said of the run; --label");
  refused({"hlo", "run"}, "file is required; command line; see shardscope hlo run --help");
}

TEST_F(WrongRequests, AStoryOfTwoThings) {
  const std::string db = folder_.file("a.shardscope");
  make_runs(db);
  refused({"story", "--db", db, "--run", "1", "--strategy", "wang.os"}, "a recorded run and --strategy");
  refused({"story", "--db", db, "--run", "1", "--m", "64"}, "a recorded run and --m");
  refused({"story", "teaching", "--strategy", "wang.os", "--devices", "8"},
          "a strategy runs on the devices of its mesh; --devices");
  refused({"story", file("ring.hlo", kRing), "--strategy", "wang.os"}, "a module has no strategy");
}

}  // namespace
}  // namespace shardscope::wrong_requests_test
