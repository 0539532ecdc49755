// SPDX-License-Identifier: Apache-2.0
// Faults planted into right programs: whatever the type of the arrays, the proof finds every one.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"

namespace shardscope::planted_faults_test {
namespace {

struct Fault {
  std::string what;
  Program program;
};

Instruction& at(Program& p, size_t computation, size_t k) {
  return p.computations[computation].instructions[k];
}

// Puts an instruction on `k` behind it; what read `k` reads the new one.
void put_behind(Computation& c, size_t k, Instruction made) {
  const auto place = static_cast<int32_t>(k);
  for (Instruction& i : c.instructions)
    for (InstructionId& operand : i.operands)
      if (operand.value >= place) ++operand.value;
  if (c.root.value >= place) ++c.root.value;
  made.operands.assign(made.operands.size(), InstructionId(place));
  c.instructions.insert(c.instructions.begin() + place + 1, std::move(made));
}

Instruction like(const Instruction& i, Opcode opcode, ElementType type, size_t operands) {
  Instruction out;
  out.name = i.name + "." + std::string(opcode_text(opcode)) + name(type);
  out.opcode = opcode;
  out.shape = i.shape;
  out.shape.type = type;
  out.operands.resize(operands);
  return out;
}

class Planter {
 public:
  explicit Planter(const Program& right) : right_(right) {}

  std::vector<Fault> all() {
    for (size_t c = 0; c < right_.computations.size(); ++c)
      for (size_t k = 0; k < right_.computations[c].instructions.size(); ++k) {
        const Instruction& i = right_.computations[c].instructions[k];
        if (is_collective(i.opcode)) collective(c, k, i);
        if (i.opcode == Opcode::constant && i.shape.rank() == 1 && !is_floating(i.shape.type))
          offsets(c, k, i);
      }
    return std::move(faults_);
  }

 private:
  template <class F>
  void plant(const std::string& what, const F& change) {
    Fault fault{what, right_};
    change(fault.program);
    faults_.push_back(std::move(fault));
  }

  void collective(size_t c, size_t k, const Instruction& i) {
    const std::string& who = i.name;
    const bool same_shape = i.shape == right_.computations[c].at(i.operands[0]).shape;
    if (same_shape)
      plant("dropped " + who, [&](Program& p) {
        Instruction& dropped = at(p, c, k);
        dropped = like(dropped, Opcode::copy, dropped.shape.type, 1);
        dropped.operands = right_.computations[c].instructions[k].operands;
      });
    if (i.permutation) return permute(c, k, i);
    const TileAssignment& tiles = i.replica_groups->tiles;
    const auto groups = static_cast<size_t>(tiles.dims[0]), size = static_cast<size_t>(tiles.dims[1]);
    const auto regrouped = [&](const char* what, auto change) {
      plant(what + who, [&](Program& p) { change(at(p, c, k).replica_groups.edit().tiles); });
    };
    if (groups > 1)
      regrouped("mis-grouped ", [&](TileAssignment& t) {
        std::vector<int64_t>& of = t.devices.edit();
        std::swap(of[size - 1], of[size]);
      });
    if (i.opcode == Opcode::all_reduce) {
      if (size > 1)
        regrouped("too few devices in ", [&](TileAssignment& t) {
          t.dims = {static_cast<int64_t>(groups * 2), static_cast<int64_t>(size / 2)};
        });
      plant("doubled " + who, [&](Program& p) {
        const bool truth = i.shape.type == ElementType::pred;
        put_behind(p.computations[c], k, like(i, truth ? Opcode::xor_ : Opcode::add, i.shape.type, 2));
      });
      narrowed(c, i);
    } else {
      regrouped("swapped shards of ", [&](TileAssignment& t) {
        for (size_t g = 0; g < groups; ++g) {
          std::vector<int64_t>& of = t.devices.edit();
          std::swap(of[g * size], of[g * size + 1]);
        }
      });
    }
  }

  // A sum in half the bits where more were asked for.
  void narrowed(size_t c, const Instruction& i) {
    const ElementType type = i.shape.type;
    if (!is_floating(type)) return;
    const ElementType narrow = type == ElementType::f64    ? ElementType::f32
                               : type == ElementType::f32  ? ElementType::bf16
                               : type == ElementType::bf16 ? ElementType::f8e5m2
                                                           : ElementType::f8e4m3fn;
    plant("a narrower sum before " + i.name, [&](Program& p) {
      const auto before = static_cast<size_t>(i.operands[0].value);
      put_behind(p.computations[c], before, like(i, Opcode::convert, type, 1));
      put_behind(p.computations[c], before, like(i, Opcode::convert, narrow, 1));
    });
  }

  void permute(size_t c, size_t k, const Instruction& i) {
    std::vector<SourceTarget> pairs = i.permutation->pairs();
    if (pairs.size() < 2) return;
    std::swap(pairs[0].target, pairs[1].target);
    auto wrong = Permutation::make(std::move(pairs), right_.mesh.device_count());
    ASSERT_TRUE(wrong.ok());
    plant("swapped targets of " + i.name, [&](Program& p) {
      at(p, c, k).permutation = std::make_shared<const Permutation>(*std::move(wrong));
    });
  }

  // A table of where each device's part begins, turned by one device.
  void offsets(size_t c, size_t k, const Instruction& i) {
    std::vector<std::string> numbers;
    std::string one;
    for (const char letter : i.literal->substr(i.literal->find('{') + 1)) {
      if (letter == ',' || letter == '}') {
        numbers.push_back(std::exchange(one, ""));
      } else if (letter != ' ') {
        one += letter;
      }
    }
    std::vector<std::string> turned = numbers;
    std::ranges::rotate(turned, turned.begin() + 1);
    if (turned == numbers) return;
    std::string text = "{";
    for (const std::string& number : turned) text += (text.size() > 1 ? ", " : "") + number;
    plant("wrong offsets in " + i.name, [&](Program& p) { at(p, c, k).literal = text + "}"; });
  }

  const Program& right_;
  std::vector<Fault> faults_;
};

std::string with_type(std::string text, const std::string& type) {
  for (size_t found = text.find("T["); found != std::string::npos; found = text.find("T[", found + 1))
    text.replace(found, 1, type);
  return text;
}

constexpr const char* kProducts[] = {
    // Rows and columns of k: partial products are added up.
    R"(ENTRY e {
  x = T[16,64] parameter(0), sharding={devices=[1,8]<=[8]}
  w = T[64,24] parameter(1), sharding={devices=[8,1]<=[8]}
  ROOT d = T[16,24] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
})",
    R"(ENTRY e {
  x = T[16,64] parameter(0), sharding={devices=[2,4]<=[8]}
  w = T[64,24] parameter(1), sharding={devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}
  ROOT d = T[16,24] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,4]<=[8]}
})",
    R"(ENTRY e {
  x = T[8,32,16] parameter(0), sharding={devices=[2,1,4]<=[8]}
  w = T[8,16,32] parameter(1), sharding={devices=[2,1,4]<=[8]}
  ROOT d = T[8,32,32] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, sharding={devices=[2,4,1]<=[8]}
})"};
constexpr const char* kSum = R"(sum {
  a = T[] parameter(0)
  b = T[] parameter(1)
  ROOT c = T[] add(a, b)
}
ENTRY e {
  x = T[32,64] parameter(0), sharding={devices=[4,2]<=[8]}
  zero = T[] constant(0)
  ROOT s = T[64] reduce(x, zero), dimensions={0}, to_apply=sum, sharding={devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}
})";
constexpr const char* kMoves[] = {
    R"(ENTRY e {
  a = T[32,64] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT b = T[32,64] copy(a), sharding={devices=[1,8]<=[8]}
})",
    R"(ENTRY e {
  a = T[32,64] parameter(0), sharding={devices=[2,4]<=[8]}
  ROOT b = T[32,64] copy(a), sharding={devices=[4,2]<=[8]}
})",
    R"(ENTRY e {
  a = T[32,64] parameter(0), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  ROOT b = T[32,64] copy(a), sharding={replicated}
})",
    R"(ENTRY e {
  a = T[32,64] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT b = T[32,64] copy(a), sharding={devices=[8,1]<=[2,4]T(1,0)}
})",
    R"(ENTRY e {
  a = T[30,64] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT b = T[28,64] slice(a), slice={[1:29], [0:64]}, sharding={devices=[8,1]<=[8]}
})"};

struct Found {
  int planted = 0;
  std::vector<std::string> missed;
};

void look_for_faults(const std::string& text, Found& out) {
  const auto module = parse_program("HloModule m\n\n" + text + "\n");
  ASSERT_TRUE(module.ok()) << module.error().text() << text;
  const auto made = partition(*module, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Workers workers;
  const std::vector<Array> arguments = *module_arguments(*module, 3, workers);
  const auto right = prove(*made, arguments, workers, {});
  ASSERT_TRUE(right.ok()) << right.error().text();
  ASSERT_TRUE(right->report.allclose) << text;
  for (Fault& fault : Planter(*made->program).all()) {
    Partitioned wrong = *made;
    change_program(std::move(fault.program), wrong);
    const auto proof = prove(wrong, arguments, workers, {});
    ++out.planted;
    if (proof.ok() && proof->report.allclose) out.missed.push_back(fault.what + " in\n" + text);
  }
}

TEST(PlantedFaults, AreAllFoundInEveryType) {
  Found found;
  for (const char* type : {"f64", "f32", "bf16", "f16", "s32", "u32"})
    for (const char* text : kProducts) look_for_faults(with_type(text, type), found);
  for (const char* type : {"f64", "f32", "bf16", "f16", "s64", "s32", "s16", "s8"})
    look_for_faults(with_type(kSum, type), found);
  for (const char* type : {"f64", "f32", "bf16", "f16", "f8e4m3fn", "f8e5m2", "s64", "s32", "s16", "s8",
                           "u64", "u32", "u16", "u8", "pred"})
    for (const char* text : kMoves) look_for_faults(with_type(text, type), found);
  for (const std::string& missed : found.missed) ADD_FAILURE() << missed;
  EXPECT_GE(found.planted, 300);
}

}  // namespace
}  // namespace shardscope::planted_faults_test
