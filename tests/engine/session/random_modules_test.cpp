// SPDX-License-Identifier: Apache-2.0
// Random modules, partitioned and compared with one device.
#include "tests/engine/session/random_modules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"

namespace shardscope::random_modules_test {
namespace {

// What a set of modules has tried.
struct Coverage {
  std::map<Opcode, int> opcodes, collectives;
  std::set<int64_t> devices;
  std::set<SpmdDialect> dialects;
  int uneven = 0, propagated = 0, windowed = 0;  // modules

  void look(const Program& module, const Partitioned& made, const PartitionOptions& options) {
    bool is_uneven = false, is_windowed = false;
    for (const Instruction& i : module.entry_computation().instructions) {
      ++opcodes[i.opcode];
      const bool tiled = i.sharding && i.sharding->kind == HloSharding::Kind::tiled;
      for (size_t d = 0; tiled && d < i.shape.rank(); ++d)
        is_uneven = is_uneven || i.shape.dims[d] % i.sharding->tiles.dims[d] != 0;
    }
    for (const Computation& c : made.program->computations)
      for (const Instruction& i : c.instructions)
        if (is_collective(i.opcode)) ++collectives[i.opcode];
    for (const CollectiveOrigin& c : made.collectives)
      is_windowed = is_windowed || c.rule.find("windowed einsum") != std::string::npos;
    devices.insert(*options.devices);
    dialects.insert(options.dialect);
    uneven += is_uneven ? 1 : 0;
    windowed += is_windowed ? 1 : 0;
    propagated += options.propagate ? 1 : 0;
  }
};

// Every module that comes of a seed is partitioned and computed; whole numbers must agree bit for bit.
Coverage prove_random(uint64_t first, uint64_t count) {
  const Workers workers;
  Coverage seen;
  int failures = 0;
  for (uint64_t seed = first; seed < first + count && failures < 5; ++seed) {
    const testing::RandomModule random(seed);
    const auto module = parse_program(random.text());
    EXPECT_TRUE(module.ok()) << module.error().text() << "\n" << random.text();
    PartitionOptions options{random.devices(), seed % 3 == 0 ? SpmdDialect::tpu2022 : SpmdDialect::current,
                             std::nullopt, seed % 5 < 2};
    if (seed % 2 == 0) options.windowed_einsum_mib = 0;
    options.unroll_windowed_einsum = seed % 4 == 0;
    options.bidirectional_windowed_einsum = seed % 6 == 0;
    const auto made = partition(*module, options);
    if (!made.ok()) {
      ADD_FAILURE() << "seed " << seed << ": " << made.error().text() << "\n" << random.text();
      ++failures;
      continue;
    }
    seen.look(*module, *made, options);
    const auto again = parse_program(print_program(*made->program));
    EXPECT_TRUE(again.ok() && *again == *made->program)
        << "seed " << seed << " " << print_program(*made->program);
    const auto proof = prove(*made, *module_arguments(*module, seed, workers), workers, {});
    const bool fine = proof.ok() && proof->report.allclose && (proof->bit_equal || !random.is_exact());
    if (fine) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": "
                  << (proof.ok() ? fmt::format("max_abs {} {}", proof->report.max_abs,
                                               fmt::join(proof->report.warnings, " "))
                                 : proof.error().text())
                  << "\n"
                  << random.text() << print_program(*made->program);
  }
  return seen;
}

TEST(RandomModules, ComputeWhatOneDeviceComputes) {
#ifdef SHARDSCOPE_NIGHTLY
  const Coverage seen = prove_random(1, 10'000);
#else
  const Coverage seen = prove_random(1, 300);
#endif
  for (const Opcode opcode : {Opcode::dot, Opcode::add, Opcode::negate, Opcode::transpose, Opcode::reshape,
                              Opcode::reduce, Opcode::broadcast})
    EXPECT_GE(seen.opcodes.at(opcode), 20) << opcode_text(opcode);
  EXPECT_EQ(seen.devices, (std::set<int64_t>{2, 3, 4, 6, 8, 12, 16}));
  EXPECT_EQ(seen.dialects.size(), 2U);
  EXPECT_GE(seen.uneven, 100);
  EXPECT_GE(seen.propagated, 50);
  EXPECT_GE(seen.windowed, 5);
  for (const Opcode opcode :
       {Opcode::all_gather, Opcode::all_reduce, Opcode::all_to_all, Opcode::collective_permute})
    EXPECT_GE(seen.collectives.at(opcode), 20) << opcode_text(opcode);
}

}  // namespace
}  // namespace shardscope::random_modules_test
