// SPDX-License-Identifier: Apache-2.0
// `shardscope hlo …` as a user types it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/engine/partition/seed_modules.h"

namespace shardscope::hlo_test {
namespace {

using nlohmann::json;

class HloCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    write_text(path(name), text);
    return path(name);
  }
  std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

json run_json(const std::vector<std::string>& words) {
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

TEST_F(HloCommand, PartitionSaysWhyEachCollectiveIsThereAndProvesTheProgram) {
  const std::string in = file("matmul.hlo", testing::sharded_matmul("f32[64,64]{1,0}"));
  const json out = run_json({"hlo", "partition", in, "--dialect", "tpu2022", "--json"});
  EXPECT_EQ(out["devices"], 4);
  EXPECT_EQ(out["counts"], json({{"all-gather", 3},
                                 {"all-reduce", 0},
                                 {"all-to-all", 0},
                                 {"collective-permute", 0},
                                 {"reduce-scatter", 0}}));
  ASSERT_EQ(out["collectives"].size(), 3U);
  const json& first = out["collectives"][0];
  EXPECT_EQ(first["opcode"], "all-gather");
  EXPECT_EQ(first["name"], "all-gather");
  EXPECT_EQ(first["channel_id"], 1);
  EXPECT_EQ(first["shape"], "f32[2,32,32]{2,1,0}");
  EXPECT_EQ(first["replica_groups"], "{{0,1},{2,3}}");
  EXPECT_EQ(first["axes"], json({"y"}));
  EXPECT_EQ(first["bytes_sent_per_device"], 32 * 32 * 4);
  EXPECT_EQ(first["operand"], "lhs");
  EXPECT_EQ(first["from"], "{devices=[2,2]0,1,2,3}");
  EXPECT_EQ(first["to"], "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}");
  EXPECT_NE(first["rule"].get<std::string>().find("non-contracting"), std::string::npos);
  EXPECT_EQ(out["parameters"][1]["name"], "p1.7");
  EXPECT_EQ(out["parameters"][1]["shape"], "f32[64,64]{1,0}");
  EXPECT_EQ(out["parameters"][1]["sharding"], "{devices=[2,2]<=[4]}");
  EXPECT_EQ(out["result"]["sharding"], "{{replicated}}");
  EXPECT_TRUE(out["rematerializations"].empty());
  EXPECT_EQ(out["memory"]["before"].size(), 3U);
  EXPECT_EQ(out["memory"]["after"].size(), 5U);
  EXPECT_GT(out["memory"]["peak_bytes"].get<int64_t>(), 64 * 64 * 4);
  EXPECT_EQ(out["numerics"]["checked"], true);
  EXPECT_EQ(out["numerics"]["allclose"], true);
  EXPECT_EQ(out["numerics"]["max_abs"], 0);
}

// Each word of a collective's bytes has one number, whoever says it.
TEST_F(HloCommand, BytesOfACollectiveSayWhatTheyAre) {
  const std::string in = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/mlp.mlir";
  const json all = run_json({"hlo", "partition", in, "--json"});
  const json& c = all["collectives"][0];
  EXPECT_EQ(c["bytes_moved"], 4 * c["bytes_sent_per_device"].get<double>());
  const std::string text = run_program({"hlo", "partition", in}).out;
  EXPECT_NE(text.find("data 1.0 KiB, sent by a device 1.0 KiB (" + c["algorithm"].get<std::string>() +
                      "), moved by all 4.0 KiB"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("for %3 (dot.5) (mlp/down, mlp.py:14)"), std::string::npos) << text;
  EXPECT_EQ(c["consumer"], "%3 (dot.5)");
  const json ran = run_json({"hlo", "run", in, "--json"});
  EXPECT_EQ(ran["collectives"][0]["bytes_sent_per_device"], c["bytes_sent_per_device"]);
  EXPECT_NE(run_program({"hlo", "run", in}).out.find("sent by a device 1.0 KiB"), std::string::npos);
}

TEST_F(HloCommand, ThePartitionedModuleIsAModule) {
  const std::string in = file("matmul.hlo", testing::sharded_matmul("f32[64,64]{1,0}"));
  EXPECT_EQ(run_program({"hlo", "partition", in, "-o", path("out.hlo")}).exit_code, 0);
  const json parsed = run_json({"hlo", "parse", path("out.hlo"), "--json"});
  EXPECT_EQ(parsed["devices"], 4);
  const json ran = run_json({"hlo", "run", path("out.hlo"), "--json"});
  EXPECT_GT(ran["simulated"]["total_s"].get<double>(), 0);
  const ProcessOutcome again = run_program({"hlo", "partition", path("out.hlo")});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("partitioned already"), std::string::npos) << again.err;
}

TEST_F(HloCommand, AWindowedProductIsALoopHoweverItIsWritten) {
  const std::string in =
      file("product.hlo",
           "HloModule m\nENTRY main {\n  a = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}\n"
           "  b = f32[16,8] parameter(1), sharding={devices=[4,1]<=[4]}\n"
           "  ROOT c = f32[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
           "sharding={devices=[4,1]<=[4]}\n}\n");
  const auto permutes = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"hlo", "partition", in, "--windowed-einsum-mib", "0", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const json out = run_json(words);
    EXPECT_EQ(out["numerics"]["allclose"], true);
    for (const json& c : out["collectives"]) {
      EXPECT_TRUE(c["replica_groups"].is_null());
      EXPECT_EQ(c["source_target_pairs"].get<std::string>().substr(0, 2), "{{");
    }
    return out["counts"]["collective-permute"].get<int>();
  };
  EXPECT_EQ(permutes({}), 1);
  EXPECT_EQ(permutes({"--unroll-windowed-einsum", "on"}), 2);
  EXPECT_EQ(permutes({"--bidirectional-windowed-einsum", "on"}), 3);
}

TEST_F(HloCommand, AShardMapIsPartitionedRunAndProved) {
  const std::string in = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/shard_map_ring.hlo";
  const json out = run_json({"hlo", "partition", in, "--json"});
  EXPECT_EQ(out["devices"], 4);
  EXPECT_EQ(out["counts"]["collective-permute"], 1);
  EXPECT_EQ(out["collectives"][0]["source_line"], "ring.py:15");
  EXPECT_EQ(out["numerics"]["allclose"], true);
  const json ran = run_json({"hlo", "run", in, "--json"});
  EXPECT_EQ(ran["numerics"]["allclose"], true);
  EXPECT_EQ(run_program({"hlo", "propagate", in}).exit_code, 0);
}

TEST_F(HloCommand, RunPartitionsExecutesComparesAndRecords) {
  const std::string in = file("multiply.hlo", testing::sharded_multiply("f32[16,32]{1,0}"));
  const json out = run_json({"hlo", "run", in, "--db", path("runs.shardscope"), "--json"});
  EXPECT_EQ(out["strategy"], "hlo");
  EXPECT_EQ(out["run_id"], 1);
  EXPECT_EQ(out["mesh"]["devices"], 8);
  EXPECT_EQ(out["numerics"]["allclose"], true);
  EXPECT_TRUE(std::filesystem::exists(path("runs.shardscope")));
}

TEST_F(HloCommand, RunTakesValuesAndShowsWhatComesOut) {
  const std::string add = file("add.hlo", testing::sharded_add());
  const ProcessOutcome text = run_program({"hlo", "run", add, "--arg", "0=3", "--arg", "p1.7=4"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("argument   p0.1 f32[2,2]: 3 everywhere"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("[[7. 7.]\n [7. 7.]]"), std::string::npos) << text.out;
  const json out = run_json({"hlo", "run", add, "--arg", "0=[[0,1],[2,3]]", "--arg", "1=[[0,0],[2,6]]",
                             "--out", path("results"), "--json"});
  EXPECT_EQ(out["results"][0]["values"], json::parse("[[0,1],[4,9]]"));
  EXPECT_EQ(out["results"][0]["shape"], "f32[2,2]");
  EXPECT_EQ(out["arguments"][0]["from"], "[[0,1],[2,3]]");
  EXPECT_TRUE(out["part"].is_null());
  ASSERT_EQ(out["arrays"].size(), 3U);
  EXPECT_EQ(out["arrays"][0]["name"], "p0.1");
  EXPECT_EQ(out["arrays"][0]["shape"], "f32[2,2]");
  EXPECT_EQ(out["arrays"][0]["spec"], "P('x',None)");
  EXPECT_EQ(out["arrays"][2]["role"], "result");
  EXPECT_EQ(out["arrays"][2]["sharding"], "{replicated}");
  EXPECT_EQ(out["output_sharding"], "P()");
  const std::string npy = path("results/result.npy");
  ASSERT_TRUE(std::filesystem::exists(npy));
  const json again = run_json({"hlo", "run", add, "--arg", "0=" + npy, "--arg", "1=0", "--json"});
  EXPECT_EQ(again["results"][0]["values"], json::parse("[[0,1],[4,9]]"));
  EXPECT_EQ(run_program({"hlo", "run", add}).out.find("\nargument "), std::string::npos);
  EXPECT_NE(run_program({"hlo", "run", add, "--print"}).out.find("drawn from seed 0"), std::string::npos);
}

TEST_F(HloCommand, ACutModuleIsProvedAsFarAsItGoesAndTheVerdictSaysSo) {
  const std::string cut =
      file("cut.hlo",
           "HloModule m\nENTRY e {\n  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
           "  k = f32[8] constant({...})\n  a = f32[8] add(x, k)\n  b = f32[8] multip");
  for (const char* command : {"run", "partition"}) {
    const json out = run_json({"hlo", command, cut, "--json"});
    EXPECT_EQ(out["numerics"]["allclose"], true);
    const std::string reference = out["numerics"]["reference"];
    EXPECT_NE(reference.find("as far as a (3 of 3 instructions; text ends inside"), std::string::npos)
        << reference;
    EXPECT_NE(out["numerics"]["warnings"][0].get<std::string>().find("drawn from seed 0: k"),
              std::string::npos);
  }
  const json ran = run_json({"hlo", "run", cut, "--json"});
  EXPECT_EQ(ran["part"]["ends"], json({"a"}));
}

TEST_F(HloCommand, RunHasTheMeshAndTheLinksOfRun) {
  const std::string gather =
      file("gather.hlo",
           "HloModule m, num_partitions=8\nENTRY e {\n  x = f32[2097152] parameter(0)\n"
           "  ROOT g = f32[16777216] all-gather(x), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}\n}\n");
  const auto total = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"hlo", "run", gather, "--check", "off", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words)["simulated"]["total_s"].get<double>();
  };
  EXPECT_NEAR(total({}), 1312e-6, 1e-6);
  EXPECT_NEAR(total({"--wrap", "all"}), 656e-6, 1e-6);
  EXPECT_GT(total({"--collective", "bruck"}), 1312e-6);
  EXPECT_LT(total({"--mesh", "x=2,y=4", "--overlap", "off"}), 1312e-6);
}

TEST_F(HloCommand, ReportIsTheLogAndDiffNamesWhatChanged) {
  const std::string in = file("add.hlo", testing::sharded_add());
  const ProcessOutcome report = run_program({"hlo", "report", in, "--dialect", "tpu2022"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_NE(report.out.find("***** SPMD memory usage before partition *****"), std::string::npos);
  EXPECT_NE(report.out.find("Partitioning computation"), std::string::npos);
  EXPECT_EQ(run_program({"hlo", "partition", in, "--dialect", "tpu2022", "-o", path("a.hlo")}).exit_code, 0);
  EXPECT_EQ(run_program({"hlo", "partition", in, "-o", path("b.hlo")}).exit_code, 0);
  const ProcessOutcome same = run_program({"hlo", "diff", path("a.hlo"), path("a.hlo")});
  EXPECT_NE(same.out.find("equal"), std::string::npos);
  const ProcessOutcome differs = run_program({"hlo", "diff", path("a.hlo"), path("b.hlo")});
  EXPECT_EQ(differs.exit_code, 0) << differs.err;
  EXPECT_NE(differs.out.find("all-gather"), std::string::npos) << differs.out;
}

TEST_F(HloCommand, TheLogLeavesOutWhatStandsInLargeConstants) {
  const std::string in = file("c.hlo", R"(HloModule c, num_partitions=2
ENTRY e {
  x = f32[12]{0} parameter(0), sharding={devices=[2]<=[2]}
  c = f32[12]{0} constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  ROOT sum = f32[12]{0} add(x, c), sharding={devices=[2]<=[2]}
}
)");
  const ProcessOutcome report = run_program({"hlo", "report", in});
  EXPECT_NE(report.out.find("constant({...})"), std::string::npos) << report.out << report.err;
  EXPECT_EQ(report.out.find("11, 12"), std::string::npos) << report.out;
}

TEST_F(HloCommand, SaysWhoSpreadTheShardingsAndThatTwoLanguagesAreOneProgram) {
  const std::string folder = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/";
  const ProcessOutcome report = run_program({"hlo", "report", folder + "mlp.hlo"});
  EXPECT_NE(report.out.find("note: shardings spread by XLA's own propagation"), std::string::npos)
      << report.out;
  const ProcessOutcome run = run_program({"hlo", "run", folder + "mlp.hlo", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("shardings spread by XLA's own propagation"), std::string::npos) << run.out;
  const ProcessOutcome two = run_program({"hlo", "diff", folder + "mlp.hlo", folder + "mlp.mlir"});
  EXPECT_EQ(two.out.find("partitioned, the modules are equal"), 0U) << two.out;
  const ProcessOutcome others = run_program({"hlo", "diff", folder + "mlp.hlo", folder + "fsdp_gather.mlir"});
  EXPECT_EQ(others.out.find("equal"), std::string::npos) << others.out;
}

TEST_F(HloCommand, AnErrorOfAnInstructionThatHasNoNameInTheTextSaysItsLine) {
  const std::string in = file(
      "collective.mlir",
      "module attributes {mhlo.num_partitions = 2 : i32} {\n func.func @main(%a: tensor<4xf32>) -> "
      "tensor<8xf32> {\n"
      "  %0 = stablehlo.negate %a : tensor<4xf32>\n"
      "  %1 = \"stablehlo.all_gather\"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : "
      "tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>\n  return %1 : tensor<8xf32>\n }\n}\n");
  const ProcessOutcome refused = run_program({"hlo", "partition", in});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("collective.mlir:4: instruction %1 (all-gather."), std::string::npos)
      << refused.err;
}

TEST_F(HloCommand, PrintsAModuleInTheFormInWhichItCame) {
  const std::string bare =
      "HloModule m\n\nENTRY e {\n  x = f32[2]{0} parameter(0)\n  ROOT y = f32[2]{0} negate(x)\n}\n";
  EXPECT_EQ(run_program({"hlo", "print", file("bare.hlo", bare)}).out, bare);
  const std::string full =
      "HloModule m\n\nENTRY %e (x: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n  ROOT %y = f32[2]{0} "
      "negate(f32[2]{0} %x)\n}\n";
  EXPECT_EQ(run_program({"hlo", "print", file("full.hlo", full)}).out, full);
}

// Mesh a=4, b=2 and an array of 16x8: what JAX writes and what XLA reads, each made of the other.
TEST_F(HloCommand, ShardingsGoBothWaysBetweenJaxAndXla) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"P('a',None)", "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"},
      {"P(None,'a')", "{devices=[1,4,2]<=[8] last_tile_dim_replicate}"},
      {"P('b',None)", "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"},
      {"P('a','b')", "{devices=[4,2]<=[8]}"},
      {"P('b','a')", "{devices=[2,4]<=[4,2]T(1,0)}"},
      {"P(('a','b'),None)", "{devices=[8,1]<=[8]}"},
      {"P(('b','a'),None)", "{devices=[8,1]<=[4,2]T(1,0)}"},
  };
  for (const auto& [spec, hlo] : pairs) {
    const auto described = [&](const char* option, const std::string& text) {
      return run_json({"sharding", "--mesh", "a=4,b=2", "--shape", "16,8", option, text, "--json"});
    };
    const json of_spec = described("--spec", spec), of_hlo = described("--hlo", hlo);
    EXPECT_EQ(of_spec["hlo_sharding"], hlo);
    EXPECT_EQ(of_hlo["spec"], spec);
    EXPECT_EQ(of_spec, of_hlo) << spec;
  }
  const json whole =
      run_json({"sharding", "--mesh", "a=4,b=2", "--shape", "16,8", "--hlo", "{replicated}", "--json"});
  EXPECT_EQ(whole["replicas"], 8);
  const ProcessOutcome wrong =
      run_program({"sharding", "--mesh", "a=4,b=2", "--shape", "16,8", "--hlo", "{devices=[4]<=[4]}"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("--hlo"), std::string::npos) << wrong.err;
}

TEST_F(HloCommand, BadInputIsOneLineAndItsExitCode) {
  const std::string broken =
      file("broken.hlo", "HloModule m\nENTRY main {\n  ROOT a = f32[2 parameter(0)\n}\n");
  const std::string devices = file("devices.hlo",
                                   "HloModule m\nENTRY main {\n  ROOT a = f32[4] parameter(0), "
                                   "sharding={devices=[4]<=[4]}\n}\n");
  const std::string manual =
      file("manual.hlo", "HloModule m\nENTRY main {\n  ROOT a = f32[4] parameter(0), sharding={manual}\n}\n");
  const std::string binary = file("binary.hlo", std::string("\x7f"
                                                            "ELF\0\1\xff\xfe",
                                                            8));
  const auto with_sharding = [&](const std::string& name, const std::string& a, const std::string& b) {
    return file(name, "HloModule m\nENTRY main {\n  a = f32[4] parameter(0), sharding={" + a +
                          "}\n  ROOT b = f32[4] negate(a), sharding={" + b + "}\n}\n");
  };
  const std::string rank = with_sharding("rank.hlo", "devices=[2,2]<=[4]", "replicated");
  const std::string twice = with_sharding("twice.hlo", "devices=[4]0,1,2,2", "replicated");
  const std::string count = with_sharding("count.hlo", "devices=[4]<=[8]", "replicated");
  const std::string far = with_sharding("far.hlo", "devices=[4]0,1,2,7", "replicated");
  const std::string mixed = with_sharding("mixed.hlo", "devices=[3]<=[3]", "devices=[4]<=[4]");
  const auto all_reduce = [&](const std::string& name, const std::string& groups) {
    return file(name,
                "HloModule m, num_partitions=4\nadd { x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
                " ROOT z = f32[] add(x, y)\n}\nENTRY main {\n  a = f32[4] parameter(0)\n"
                "  ROOT b = f32[4] all-reduce(a), replica_groups=" +
                    groups + ", to_apply=add\n}\n");
  };
  const std::string foreign = all_reduce("foreign.hlo", "{{0,1},{2,5}}");
  const std::string missing = all_reduce("missing_device.hlo", "{{0,1},{2}}");
  struct Case {
    std::vector<std::string> words;
    int exit_code;
    std::string says;
  };
  const std::vector<Case> cases = {
      {{"hlo", "parse", file("empty.hlo", "")}, 2, "the file is empty"},
      {{"hlo", "print", binary}, 2, "binary.hlo"},
      {{"hlo", "print", path("")}, 4, "cannot"},
      {{"hlo", "partition", rank}, 2, "has rank 1"},
      {{"hlo", "propagate", rank}, 2, "has rank 1"},
      {{"hlo", "run", twice}, 2, "twice.hlo:3"},
      {{"hlo", "partition", count}, 2, "count.hlo:3"},
      {{"hlo", "partition", far}, 2, "expected 0 to 3"},
      {{"hlo", "report", mixed}, 2, "names 3 devices"},
      {{"hlo", "run", foreign}, 2, "replica_groups name device 5"},
      {{"hlo", "run", missing}, 2, "replica_groups name 3 devices"},
      {{"hlo", "propagate", devices, "--devices", "0"}, 2, "--devices"},
      {{"hlo", "run", devices, "--devices", "-1"}, 2, "--devices"},
      {{"hlo", "report", devices, "--devices", "4x"}, 2, "--devices"},
      {{"hlo", "partition", devices, "-o", path("no/such/folder.hlo")}, 4, "folder.hlo"},
      {{"hlo", "run", devices, "--db", path("no/such/folder.db")}, 4, "folder"},
      {{"hlo", "diff", devices, path("missing.hlo")}, 4, "missing.hlo"},
      {{"hlo", "diff", devices}, 2, "error: "},
      {{"hlo", "partition", devices, "--windowed-einsum-mib", "nan"}, 2, "--windowed-einsum-mib"},
      {{"hlo", "partition", devices, "--unroll-windowed-einsum", "2"}, 2, "--unroll-windowed-einsum"},
      {{"hlo"}, 2, "error: "},
      {{"hlo", "parse", path("missing.hlo")}, 4, "missing.hlo"},
      {{"hlo", "parse", broken}, 2, "broken.hlo:3"},
      {{"hlo", "partition", devices, "--devices", "3"}, 2, "4 devices"},
      {{"hlo", "partition", devices, "--devices", "0"}, 2, "--devices"},
      {{"hlo", "partition", devices, "--dialect", "tpu2023"}, 2, "tpu2022 or current"},
      {{"hlo", "partition", devices, "--check", "maybe"}, 2, "expected auto, full, shrunk or off"},
      {{"hlo", "partition", devices, "--windowed-einsum-mib", "-1"}, 2, "--windowed-einsum-mib"},
      {{"hlo", "partition", manual}, 2, "cannot be partitioned"},
      {{"hlo", "run", devices, "--hardware", "tpu-v99"}, 2, "tpu-v99"},
      {{"hlo", "frobnicate", devices}, 2, "error: "},
      {{"hlo", "run", devices, "--arg", "a"}, 2, "--arg"},
      {{"hlo", "run", devices, "--arg", "b=1"}, 2, "expected a or 0 to 0"},
      {{"hlo", "run", devices, "--arg", "a=[1,2]"}, 2, "expected f32[4], got f32[2]"},
      {{"hlo", "run", devices, "--arg", "a=none.npy"}, 4, "none.npy"},
      {{"hlo", "run", devices, "--print", "--check", "off"}, 2, "--print"},
      {{"hlo", "run", devices, "--mesh", "x=3"}, 2, "4 devices"},
      {{"hlo", "run", devices, "--threads", "2000"}, 2, "--threads"},
  };
  for (const Case& c : cases) {
    const ProcessOutcome outcome = run_program(c.words);
    EXPECT_EQ(outcome.exit_code, c.exit_code) << c.says << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(c.says), std::string::npos) << outcome.err;
  }
}

// SHARDSCOPE_UPDATE=1 writes the file anew.
TEST_F(HloCommand, OpsSaysWhatEachOperationCanDo) {
  const ProcessOutcome got = run_program({"hlo", "ops", "--json"});
  ASSERT_EQ(got.exit_code, 0) << got.err;
  const std::string golden = SHARDSCOPE_SOURCE_DIR "/tests/cli/golden/hlo_ops.json";
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) write_text(golden, got.out);
  EXPECT_EQ(got.out, read_text(golden));
  for (const json& row : json::parse(got.out)["ops"]) {
    EXPECT_EQ(row.size(), 8U);
    if (row["run"] == true) {
      EXPECT_EQ(row["time"], true) << row;
    }
  }
  EXPECT_NE(run_program({"hlo", "ops"}).out.find("dot "), std::string::npos);
}

}  // namespace
}  // namespace shardscope::hlo_test
