// SPDX-License-Identifier: Apache-2.0
// What XLA serialised gives the program of the text that XLA printed of it (tests/oracle/hlo/make.py).
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "engine/base/file/wire.h"
#include "engine/program/module_form.h"
#include "engine/program/proto/module_proto.h"

namespace shardscope::hlo_proto_test {
namespace {

std::string content(const std::string& name) {
  std::ostringstream out;
  out << std::ifstream(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/oracle/hlo/" + name, std::ios::binary)
             .rdbuf();
  return out.str();
}

Program read(const std::string& name) {
  const auto out = read_module_bytes(content(name), name);
  EXPECT_TRUE(out.ok()) << name << " " << (out.ok() ? "" : out.error().text());
  return out.ok() ? out->program : Program();
}

// Each computation as its own text, by its name: the order in which they stand means nothing.
std::map<std::string, std::string> computations(const Program& program) {
  std::map<std::string, std::string> out;
  for (const Computation& c : program.computations)
    for (size_t k = 0; k < c.instructions.size(); ++k)
      out[c.name] += (c.root == InstructionId(static_cast<int64_t>(k)) ? "ROOT " : "") +
                     print_instruction(program, c, InstructionId(static_cast<int64_t>(k))) + "\n";
  return out;
}

class HloProto : public testing::TestWithParam<std::string> {};

TEST_P(HloProto, IsTheProgramOfItsText) {
  const Program of_proto = read(GetParam() + ".hlo.pb"), of_text = read(GetParam() + ".xla.hlo");
  EXPECT_EQ(computations(of_proto), computations(of_text));
  EXPECT_EQ(of_proto.entry_computation().name, of_text.entry_computation().name);
  EXPECT_EQ(of_proto.source_tables, of_text.source_tables);
  EXPECT_EQ(of_proto.mesh, of_text.mesh);
  // Its header lacks how far shardings may spread, and says nothing that the text does not.
  for (const VerbatimAttribute& a : of_proto.verbatim)
    EXPECT_EQ(std::ranges::count(of_text.verbatim, a), 1) << *a.key << "=" << a.value;
}

INSTANTIATE_TEST_SUITE_P(OfXla, HloProto,
                         testing::Values("step", "gathered_product", "partly_manual", "constants",
                                         "every_operation"),
                         [](const auto& of) { return of.param; });

TEST(HloProtoText, IsReadLineByLineAsXlaPrintsIt) {
  const auto text = module_text(content("partly_manual.hlo.pb"), "f");
  ASSERT_TRUE(text.ok());
  std::istringstream ours(text->text), theirs(content("partly_manual.xla.hlo"));
  std::string a, b;
  std::getline(ours, a);
  std::getline(theirs, b);  // the header
  const auto next = [](std::istringstream& in, std::string& line) {
    while (std::getline(in, line))
      if (!line.empty()) return true;
    return false;
  };
  while (next(theirs, b)) {
    ASSERT_TRUE(next(ours, a)) << b;
    EXPECT_EQ(a, b);
  }
  EXPECT_FALSE(next(ours, a)) << a;
}

// An HloProto holds the module as its first field, a snapshot the proto as its first.
std::string wrapped(const std::string& message, char tag = '\x0a') {
  std::string length;
  for (size_t rest = message.size();; rest >>= 7) {
    length += static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0));
    if (rest < 128) break;
  }
  return tag + length + message;
}

TEST(HloProtoText, AModuleIsFoundInWhatHoldsIt) {
  const std::string module = content("partly_manual.hlo.pb");
  for (const std::string& bytes : {module, wrapped(module), wrapped(wrapped(module))}) {
    EXPECT_EQ(module_form(bytes), ModuleForm::proto);
    EXPECT_EQ(proto::module_in_proto(bytes), module);
  }
}

TEST(HloProtoText, TheBuffersOfAProtoAreNoComputationsOfAModule) {
  const std::string module = content("partly_manual.hlo.pb");
  const std::string buffers = wrapped(wrapped("1") + wrapped("2", '\x12'), '\x1a');
  const std::string bytes = wrapped(module) + buffers;
  EXPECT_EQ(proto::module_in_proto(bytes), module);
}

TEST(HloProtoText, EveryCutIsOneLineOfError) {
  const std::string module = content("partly_manual.hlo.pb");
  for (size_t size = 0; size < module.size(); size += 7) {
    const auto cut = read_module_bytes(module.substr(0, size), "f.hlo.pb");
    if (cut.ok()) continue;  // between two computations, or before the tables
    EXPECT_EQ(cut.error().text().find('\n'), std::string::npos);
    EXPECT_NE(cut.error().text().find("f.hlo.pb"), std::string::npos) << cut.error().text();
  }
}

// computation(name "c", root_id 1){instruction{…}} in a module "m".
std::string module_of(const std::string& instruction) {
  const auto field = [](int number, const std::string& bytes) {
    return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
  };
  return field(1, "m") + field(3, field(1, "c") + field(2, instruction) + "\x28\x01\x30\x01");
}

std::string error_of(const std::string& instruction) {
  const auto read = read_module_bytes(module_of(instruction), "f.hlo.pb");
  return read.ok() ? "" : read.error().text();
}

TEST(HloProtoText, IdsOfNothingAreRefused) {
  // name "a", opcode "negate", shape f32[], id 1, operand 9
  const std::string head = std::string(
      "\x0a\x01"
      "a"
      "\x12\x06negate\x1a\x02\x10\x0b\x98\x02\x01",
      18);
  EXPECT_EQ(error_of(head + std::string("\xa2\x02\x01\x09", 4)),
            "reads instruction 9, which its computation does not have; f.hlo.pb: instruction a");
}

TEST(HloProtoText, NamesCannotAddLinesToTheText) {
  const std::string evil = "a\nROOT b = f32[] parameter(0)";
  const std::string i = std::string("\x0a", 1) + static_cast<char>(evil.size()) + evil +
                        std::string("\x12\x09parameter\x1a\x02\x10\x0b\x98\x02\x01", 18);
  const auto read = read_module_bytes(module_of(i), "f.hlo.pb");
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_EQ(read->program.entry_computation().instructions.size(), 1U);
  EXPECT_EQ(read->program.entry_computation().instructions[0].name, "a_ROOT_b___f32___parameter_0_");
}

TEST(HloProtoText, ConstantsHaveAsManyNumbersAsTheirShape) {
  // name "a", opcode "constant", shape f32[3] of a literal with two
  const std::string shape("\x10\x0b\x1a\x01\x03", 5);
  const std::string literal =
      std::string("\x0a\x05", 2) + shape + std::string("\x42\x08\0\0\x80\x3f\0\0\0\x40", 10);
  const std::string i = std::string(
                            "\x0a\x01"
                            "a"
                            "\x12\x08"
                            "constant\x1a\x05",
                            15) +
                        shape + "\x42" + static_cast<char>(literal.size()) + literal +
                        std::string("\x98\x02\x01", 3);
  EXPECT_EQ(error_of(i), "the constant has 2 numbers, expected 3 of f32[3]; f.hlo.pb: instruction a");
}

}  // namespace
}  // namespace shardscope::hlo_proto_test
