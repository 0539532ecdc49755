// SPDX-License-Identifier: Apache-2.0
// Several MLIR modules in one text, and locations that are no MLIR.
#include <gtest/gtest.h>

#include "engine/program/mlir/module_text.h"

namespace shardscope::mlir_modules_test {
namespace {

// As lowered.as_text(debug_info=True) prints it: aliases in front and behind.
std::string located(const std::string& name, const std::string& line) {
  return "#loc = loc(unknown)\n#loc1 = loc(\"x\")\nmodule @" + name +
         " {\n  func.func public @main(%arg0: tensor<4xf32> loc(\"x\")) -> tensor<4xf32> {\n"
         "    %0 = stablehlo.negate %arg0 : tensor<4xf32> loc(#loc3)\n    return %0 : tensor<4xf32> "
         "loc(#loc)\n  } loc(#loc)\n} loc(#loc)\n#loc2 = loc(\"m.py\":" +
         line + ":4)\n#loc3 = loc(\"neg\"(#loc2))\n";
}
std::string plain(const std::string& head) {
  return head +
         " {\n  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    return %arg0 : tensor<4xf32>\n "
         " "
         "}\n}\n";
}

std::string line_of_negate(const HloText& read) {
  for (const Instruction& i : read.program.entry_computation().instructions)
    if (i.opcode == Opcode::negate) return source_line(read.program, i);
  return "none";
}

TEST(MlirModules, OfOneTextEachHasItsOwnLocations) {
  const std::string text = located("jit_a", "7") + located("jit_b", "9");
  const auto first = read_hlo_or_mlir(text, "f.mlir");
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_EQ(first->program.name, "jit_a");
  EXPECT_EQ(first->other_modules, std::vector<std::string>{"jit_b"});
  EXPECT_EQ(line_of_negate(*first), "m.py:7");
  const auto second = read_hlo_or_mlir(text, "f.mlir", "jit_b");
  ASSERT_TRUE(second.ok()) << second.error().text();
  EXPECT_EQ(second->program.name, "jit_b");
  EXPECT_EQ(line_of_negate(*second), "m.py:9");
}

TEST(MlirModules, WithoutLocationsAndInTheGenericFormToo) {
  const std::string generic =
      "\"builtin.module\"() <{sym_name = \"c\"}> ({\n  \"func.func\"() <{function_type = (tensor<4xf32>) -> "
      "tensor<4xf32>, sym_name = \"main\"}> ({\n  ^bb0(%arg0: tensor<4xf32>):\n    "
      "\"func.return\"(%arg0) : (tensor<4xf32>) -> ()\n  }) : () -> ()\n}) : () -> ()\n";
  const std::string text = plain("module @a") + plain("module") + generic;
  const auto first = read_hlo_or_mlir(text, "f.mlir");
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_EQ(first->other_modules, (std::vector<std::string>{"module", "c"}));
  for (const char* name : {"a", "module", "c"}) {
    const auto read = read_hlo_or_mlir(text, "f.mlir", name);
    EXPECT_TRUE(read.ok()) << name << read.error().text();
  }
}

TEST(MlirModules, AnErrorSaysItsLineInTheWholeText) {
  std::string text = plain("module @a") + plain("module @b");
  text.replace(text.rfind("return %arg0"), 12, "return %none");
  const auto read = read_hlo_or_mlir(text, "f.mlir", "b");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().text().find("f.mlir:8:"), std::string::npos) << read.error().text();
}

TEST(MlirModules, AnUnknownNameIsRefusedWithThoseThatAreThere) {
  for (const std::string& text : {plain("module @a"), plain("module @a") + plain("module @b")}) {
    const auto read = read_hlo_or_mlir(text, "f.mlir", "c");
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().text().find("no module 'c', the file has a"), std::string::npos);
  }
}

TEST(MlirModules, LocationsInThePrettyFormSayHowToPrintThem) {
  for (const std::string text :
       {"#loc = [unknown]\n", "#loc5 = /home/m.py:130:15 to :30\n", "#loc1 = \"x\"\n"}) {
    const auto read = read_hlo_or_mlir(text + plain("module @a"), "f.mlir");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.error().text().find("MLIR's pretty form"), std::string::npos) << read.error().text();
    EXPECT_NE(read.error().fix.find("without pretty_debug_info"), std::string::npos) << read.error().text();
  }
}

}  // namespace
}  // namespace shardscope::mlir_modules_test
