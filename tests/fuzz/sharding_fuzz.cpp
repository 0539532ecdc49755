// SPDX-License-Identifier: Apache-2.0
// Any bytes are a sharding or an error; its canonical text means the same. Also the texts inside: tuples of
// shardings, tile assignments, replica groups on named axes.
#include "engine/base/check.h"
#include "engine/sharding/hlo_sharding.h"
#include "tests/fuzz/text_mutator.h"

namespace {
constexpr std::string_view kWords[] = {"{replicated}",
                                       "{manual}",
                                       "{maximal device=3}",
                                       "devices=[2,1,2]<=[4]",
                                       "<=[2,2]T(1,0)",
                                       " last_tile_dim_replicate",
                                       " last_tile_dims={manual, replicated}",
                                       "mesh['a'=2,'b'=4]",
                                       "'b':(1)2",
                                       "replicated={'a'}",
                                       "shard_as 3",
                                       "metadata={op_name=\"a\"}",
                                       "P('a',('b','c'),None)"};
}
SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto spec = PartitionSpec::parse(text); spec.ok()) {
    const auto again = PartitionSpec::parse(spec->text());
    CHECK(again.ok() && *again == *spec, spec->text());
  }
  if (const auto sharding = HloSharding::parse(text); sharding.ok()) {
    const auto again = HloSharding::parse(sharding->text());
    CHECK(again.ok() && *again == *sharding, sharding->text());
  }
  if (const auto leaves = HloSharding::parse_tuple(text); leaves.ok()) {
    for (const HloSharding& leaf : *leaves) {
      const auto again = HloSharding::parse(leaf.text());
      CHECK(again.ok() && *again == leaf, leaf.text());
    }
  }
  for (const auto parse : {parse_tile_assignment, parse_axis_groups}) {
    const auto tiles = parse(text);
    if (!tiles.ok()) continue;
    const auto again = parse_tile_assignment(tile_assignment_text(*tiles));
    CHECK(again.ok() && *again == *tiles, tile_assignment_text(*tiles));
  }
  return 0;
}
