// SPDX-License-Identifier: Apache-2.0
// What the partitioner writes for single arrays that change their sharding, against what XLA's writes: the
// same collectives with the same shapes, but for dimensions of one element.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/mlir/module_text.h"
#include "engine/sharding/axis_split.h"

namespace shardscope::xla_moves_test {
namespace {

struct Golden {
  Mesh mesh;
  std::vector<int64_t> sizes;
  std::vector<std::vector<std::string>> rows;  // specs, then collectives
};

Golden read(const std::string& file) {
  std::ifstream in(std::string(SHARDSCOPE_SOURCE_DIR "/tests/engine/partition/golden/") + file);
  EXPECT_TRUE(in.good()) << file;
  Golden out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> parts = split(line, ';');
    if (out.sizes.empty()) {
      out.mesh = *Mesh::parse(parts[0]);
      for (const std::string& size : split(parts[1], ',')) out.sizes.push_back(*parse_int(size));
    } else {
      out.rows.push_back(parts);
    }
  }
  return out;
}

HloSharding sharding_of(const std::string& spec, const Mesh& mesh, size_t rank) {
  return tiling_of(parse_axis_split(spec, mesh, rank)->split, mesh, false).sharding();
}

// "f32[1,8,64]" is f32[8,64].
std::string without_ones(const std::string& shape) {
  const size_t open = shape.find('[');
  std::vector<std::string> dims = split(shape.substr(open + 1, shape.find(']') - open - 1), ',');
  std::erase(dims, "1");
  return shape.substr(0, open) + "[" + join(dims, ",") + "]";
}

std::vector<std::string> sorted(std::vector<std::string> list) {
  std::ranges::sort(list);
  return list;
}

std::vector<std::string> golden_collectives(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string& part : split(text, '|')) {
    const std::string one(trim(part));
    if (one.empty()) continue;
    const size_t blank = one.find(' ');
    out.push_back(one.substr(0, blank) + " " + without_ones(one.substr(blank + 1)));
  }
  return sorted(out);
}

std::vector<std::string> our_collectives(const Program& module, ReplicaParts parts) {
  PartitionOptions options;
  options.replica_parts = parts;
  options.devices = 8;
  options.propagate = true;
  const auto made = partition(module, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().what);
  std::vector<std::string> out;
  if (!made.ok()) return out;
  for (const Instruction& i : made->program->entry_computation().instructions)
    if (is_collective(i.opcode))
      out.push_back(std::string(opcode_text(i.opcode)) + " " + without_ones(i.shape.text_without_layout()));
  return sorted(out);
}

Instruction parameter(int64_t number, std::vector<int64_t> dims, HloSharding sharding) {
  Instruction out;
  out.name = "p" + std::to_string(number);
  out.opcode = Opcode::parameter;
  out.parameter_number = number;
  out.shape = Shape::array(ElementType::f32, std::move(dims));
  out.sharding = std::move(sharding);
  return out;
}

Program module_of(const Mesh& mesh, std::vector<Instruction> instructions) {
  Program out;
  out.name = "array";
  out.mesh = mesh;
  Computation entry{"main", std::move(instructions), {}};
  entry.root = InstructionId(static_cast<int64_t>(entry.instructions.size()) - 1);
  out.computations = {std::move(entry)};
  out.entry = ComputationId(0);
  return out;
}

Program reshard(const Golden& golden, const std::vector<std::string>& row) {
  Instruction copy;
  copy.name = "copy";
  copy.opcode = Opcode::copy;
  copy.shape = Shape::array(ElementType::f32, golden.sizes);
  copy.operands = {InstructionId(0)};
  copy.sharding = sharding_of(row[1], golden.mesh, golden.sizes.size());
  return module_of(golden.mesh,
                   {parameter(0, golden.sizes, sharding_of(row[0], golden.mesh, golden.sizes.size())), copy});
}

// As JAX writes it: the result's sharding is said of the function.
Program product(const Golden& golden, const std::vector<std::string>& row) {
  const auto said = [&](const std::string& spec) {
    std::string dims;
    const AxisSplit of = parse_axis_split(spec, golden.mesh, 2)->split;
    for (const AxisParts& parts : of.dims) {
      std::vector<std::string> axes = axis_texts(parts, golden.mesh);
      for (std::string& axis : axes) axis = '"' + axis + '"';
      dims += (dims.empty() ? "{" : ", {") + join(axes, ", ") + "}";
    }
    return " {sdy.sharding = #sdy.sharding<@mesh, [" + dims + "]>}";
  };
  const auto type = [&](size_t rows, size_t columns) {
    return "tensor<" + std::to_string(golden.sizes[rows]) + "x" + std::to_string(golden.sizes[columns]) +
           "xf32>";
  };
  std::vector<std::string> axes;
  for (const MeshAxis& axis : golden.mesh.axes())
    axes.push_back('"' + axis.name + "\"=" + std::to_string(axis.size));
  const std::string x = type(0, 1), w = type(1, 2), y = type(0, 2);
  const auto module = read_stablehlo(
      "module @product {\n sdy.mesh @mesh = <[" + join(axes, ", ") + "]>\n func.func public @main(%a: " + x +
      said(row[0]) + ", %b: " + w + said(row[1]) + ") -> (" + y + said(row[2]) +
      ") {\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + x + ", " + w + ") -> " +
      y + "\n  return %0 : " + y + "\n }\n}\n");
  EXPECT_TRUE(module.ok());
  return *module;
}

using MakeModule = Program (*)(const Golden& golden, const std::vector<std::string>& row);

// Rows of the file that are as XLA's; SHARDSCOPE_UPDATE=1 prints the others.
int64_t as_xla(const char* file, MakeModule make, size_t specs, ReplicaParts parts = ReplicaParts::never) {
  const Golden golden = read(file);
  int64_t equal = 0;
  for (const auto& row : golden.rows) {
    const auto want = golden_collectives(row.size() > specs ? row[specs] : "");
    const auto got = our_collectives(make(golden, row), parts);
    equal += want == got ? 1 : 0;
    if (want != got && std::getenv("SHARDSCOPE_UPDATE") != nullptr) {
      std::vector<std::string> of(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(specs));
      std::printf("%s: %s | XLA %s | ours %s\n", file, join(of, " ").c_str(), join(want, ", ").c_str(),
                  join(got, ", ").c_str());
    }
  }
  std::printf("%s: %ld of %zu as XLA\n", file, static_cast<long>(equal), golden.rows.size());
  return equal;
}

TEST(XlaMoves, ReshardingsAreXlas) {
  EXPECT_GE(as_xla("xla_reshard_2x4.txt", reshard, 2, ReplicaParts::allowed), 109);
  EXPECT_GE(as_xla("xla_reshard_4x2.txt", reshard, 2, ReplicaParts::allowed), 109);
  EXPECT_GE(as_xla("xla_reshard_2x2x2.txt", reshard, 2, ReplicaParts::allowed), 236);
}

// Of arrays that are handed on as they are (jax.lax.with_sharding_constraint); the others were computed with.
TEST(XlaMoves, ReshardingsOfCopiesAreXlas) {
  EXPECT_GE(as_xla("xla_reshard_copies_2x4.txt", reshard, 2), 109);
  EXPECT_GE(as_xla("xla_reshard_two_axes.txt", reshard, 2), 600);
  EXPECT_GE(as_xla("xla_reshard_three_axes.txt", reshard, 2), 446);
  EXPECT_GE(as_xla("xla_reshard_rank_3.txt", reshard, 2), 301);
}

TEST(XlaMoves, ProductsAreXlas) {
  EXPECT_GE(as_xla("xla_dot_2x4.txt", product, 3), 729);
  EXPECT_GE(as_xla("xla_dot_4x2.txt", product, 3), 729);
  // Of P(None, 'y') · P('x', 'y') to P('y', ('z', 'x')) XLA's program is wrong: it takes devices of one group
  // in another order. Ours has a permute more.
  EXPECT_GE(as_xla("xla_dot_2x2x2.txt", product, 3), 392);
  EXPECT_GE(as_xla("xla_dot_2x4_tall.txt", product, 3), 300);
  EXPECT_GE(as_xla("xla_dot_4x2_wide.txt", product, 3), 300);
  EXPECT_GE(as_xla("xla_dot_2x4_long.txt", product, 3), 300);
}

}  // namespace
}  // namespace shardscope::xla_moves_test
