// SPDX-License-Identifier: Apache-2.0
// A file's form is found by what is in it; what we cannot read ends in a line that says what makes text of
// it.
#include "engine/program/module_form.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/program/text/log_prefixes.h"

namespace shardscope::module_form_test {
namespace {

constexpr const char* kModule = "HloModule m\n\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n";

std::string field(int number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  for (size_t rest = bytes.size();; rest >>= 7) {
    out += static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0));
    if (rest < 128) break;
  }
  return out + bytes;
}

std::string proto(const std::string& module) {
  const std::string i = field(1, "x") + field(2, "parameter") + field(3, "\x10\x0b") + "\x98\x02\x01";
  return field(1, module) + field(2, "e") + field(3, field(1, "e") + field(2, i) + "\x28\x01\x30\x01") +
         "\x30\x01";
}

// A profile that keeps these modules, "jit_f(1)" and so on.
std::string profile(const std::vector<std::string>& names) {
  std::string plane = field(2, "/host:metadata");
  for (const std::string& name : names) {
    const std::string module = proto(name.substr(0, name.find('(')) + std::string(names.size(), 'x'));
    plane += field(4, field(2, field(2, name) + field(5, field(6, field(1, module)))));
  }
  return field(1, plane) + field(1, field(2, "/device:GPU:0"));
}

TEST(ModuleForm, FollowsFromWhatIsInTheFile) {
  EXPECT_EQ(module_form(kModule), ModuleForm::text);
  EXPECT_EQ(module_form("module @m {}"), ModuleForm::text);
  EXPECT_EQ(module_form(""), ModuleForm::text);
  EXPECT_EQ(module_form(proto("m")), ModuleForm::proto);
  EXPECT_EQ(module_form(field(1, proto("m"))), ModuleForm::proto);
  EXPECT_EQ(module_form(profile({"f(1)"})), ModuleForm::profile);
  EXPECT_EQ(module_form("ML\xefR\x0d"), ModuleForm::mlir_bytecode);
  EXPECT_EQ(module_form(std::string("\x3c\0\0\0\0\0\0\0ML\xefR", 12)), ModuleForm::exported);
  EXPECT_EQ(module_form(std::string("\x7f\x45\x4c\x46\x02\0", 6)), ModuleForm::unknown);
}

TEST(ModuleForm, EveryFormHasARowThatSaysWhereItComesFrom) {
  for (const ModuleForm form : {ModuleForm::text, ModuleForm::proto, ModuleForm::profile,
                                ModuleForm::mlir_bytecode, ModuleForm::exported}) {
    EXPECT_TRUE(std::ranges::any_of(
        module_sources(), [&](const ModuleSource& s) { return s.form == form && !s.from.empty(); }));
  }
}

TEST(ModuleForm, BytecodeEndsInTheCommandThatMakesTextOfIt) {
  const auto mlir = module_text("ML\xefR\x0d", "it's.mlirbc");
  ASSERT_FALSE(mlir.ok());
  EXPECT_EQ(mlir.error().text(),
            "MLIR bytecode, expected its text; it's.mlirbc; write it as text: python3 -c 'import sys, "
            "jax._src.interpreters.mlir as m, jaxlib.mlir.ir as ir; print(ir.Module.parse(open(sys.argv[1],"
            "\"rb\").read(), context=m.make_ir_context()))' 'it'\\''s.mlirbc' > module.mlir");
  const auto exported = module_text(std::string("\x3c\0\0\0\0\0\0\0ML\xefR", 12), "f.bin");
  ASSERT_FALSE(exported.ok());
  EXPECT_NE(exported.error().text().find("export.deserialize(bytearray(open(sys.argv[1],\"rb\").read()))"),
            std::string::npos);
}

TEST(ModuleForm, AProfileGivesItsModulesByName) {
  const std::string bytes = profile({"jit_a(1)", "jit_longer_name(2)", "jit_b(3)"});
  const auto largest = read_module_bytes(bytes, "f");
  ASSERT_TRUE(largest.ok()) << largest.error().text();
  EXPECT_EQ(largest->program.name, "jit_longer_namexxx");
  EXPECT_EQ(largest->other_modules, (std::vector<std::string>{"jit_a(1)", "jit_b(3)"}));
  for (const char* name : {"jit_b", "jit_b(3)"}) {
    const auto named = read_module_bytes(bytes, "f", name);
    ASSERT_TRUE(named.ok()) << named.error().text();
    EXPECT_EQ(named->program.name, "jit_bxxx");
  }
  const auto none = read_module_bytes(bytes, "f", "jit_c");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().text(),
            "no module 'jit_c', the profile has jit_longer_name(2), jit_a(1), jit_b(3); f");
}

TEST(ModuleForm, AReportOfADumpFolderSaysWhichFileToGive) {
  const std::string of = "module_0002.jit_step.cpu_after_optimizations";
  const std::vector<std::array<std::string, 3>> cases = {
      {of + "-buffer-assignment.txt", "BufferAssignment:\nallocation 0: size 4\n", "XLA's buffer assignment"},
      {of + "-buffer-assignment-values.txt", "\nTotal bytes used: 35667 (34.8KiB)\n",
       "the values of XLA's buffer assignment"},
      {of + "-memory-usage-report.txt", "Memory Space: default (color=0)\n", "XLA's report of memory usage"},
      {of + "-memory-usage-report.pb", "\x0a\xa7\x88\x01\x08\xd3\x96\x02", "XLA's report of memory usage"},
      {of + "-live-range.txt", "HloLiveRange (max 94):\n", "XLA's live ranges"}};
  for (const auto& [name, bytes, what] : cases) {
    const auto read = read_module_bytes(bytes, "dump/" + name);
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.error().text(),
              what + ", expected a module; dump/" + name + "; of the same folder give " + of + ".txt");
  }
  const auto renamed = read_module_bytes("xla_cpu_enable_fast_min_max: false\nxla_dump_to: \"d\"\n", "o.txt");
  ASSERT_FALSE(renamed.ok());
  EXPECT_NE(renamed.error().text().find("whose name ends in after_optimizations.txt"), std::string::npos);
}

TEST(ModuleForm, OneCompiledByXlaIsInItsProfile) {
  std::ostringstream module;
  module << std::ifstream(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/oracle/hlo/step.hlo.pb",
                          std::ios::binary)
                .rdbuf();
  const std::string plane =
      field(2, "/host:metadata") +
      field(4, field(2, field(2, "jit_step(7)") + field(5, field(6, field(1, module.str())))));
  const auto read = read_module_bytes(field(1, plane), "f", "jit_step");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->program.mesh.device_count(), 8);
}

const std::string kGlog = "I0503 10:00:00.123456    77 hlo_module.cc:812] ";

std::string logged(std::string_view text, const std::string& prefix) {
  std::string out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) out += prefix + line + "\n";
  return out;
}

TEST(LogPrefixes, AreTakenOffWithWhatElseWasLogged) {
  const std::string before = "I0503 10:00:00.000001    77 service.cc:10] XLA service\nsome line\n";
  const std::string behind = "I0503 10:00:00.200000    77 service.cc:90] done }\n";
  for (const std::string& prefix :
       {kGlog, std::string("2024-05-03 10:00:00.123456: I external/xla/xla/service/hlo_module.cc:812] ")}) {
    const auto text = without_log_prefixes(before + logged(kModule, prefix) + behind);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "\n\n" + std::string(kModule) + "\n");
    const auto read = read_module_bytes(before + logged(kModule, prefix) + behind, "f");
    ASSERT_TRUE(read.ok()) << read.error().text();
    EXPECT_EQ(read->program.name, "m");
  }
}

TEST(LogPrefixes, ATextWithoutThemIsNone) {
  EXPECT_FALSE(without_log_prefixes(kModule));
  EXPECT_FALSE(without_log_prefixes("x] HloModule m"));
}

}  // namespace
}  // namespace shardscope::module_form_test
