// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/named_sharding.h"

#include <gtest/gtest.h>
#include <random>

#include "engine/sharding/hlo_sharding.h"

namespace shardscope::named_sharding_test {
namespace {

NamedSharding named(const char* mesh, const char* spec) {
  return *NamedSharding::make(*Mesh::parse(mesh), *PartitionSpec::parse(spec));
}

TEST(NamedSharding, the_first_axis_of_a_tuple_is_the_most_significant) {
  const NamedSharding s = named("a=4,b=2", "P(('b','a'))");
  const DeviceId device = s.mesh().device_at({1, 1});  // a=1, b=1
  EXPECT_EQ(s.shard_index(device, 0), 1 * 4 + 1);
  EXPECT_EQ(s.slices(device, {16}), (IndexBox{{10, 12}}));
}

TEST(NamedSharding, axes_that_the_spec_does_not_name_replicate) {
  const NamedSharding s = named("a=4,b=2", "P('a',None)");
  EXPECT_EQ(s.replicas(), 2);
  EXPECT_EQ(*s.shard_shape({16, 4}), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(s.slices(DeviceId(2), {16, 4}), s.slices(DeviceId(3), {16, 4}));
  EXPECT_EQ(*s.shard_shape({16, 4, 3}), (std::vector<int64_t>{4, 4, 3}));
}

TEST(NamedSharding, a_dimension_that_its_axes_do_not_divide_is_refused) {
  EXPECT_EQ(
      named("row=4,col=2", "P('row')").shard_shape({10, 4}).error().text(),
      "dimension 0 of size 10 is not divisible by 4, the size of axis 'row'; shape (10,4), spec P('row'); "
      "use a multiple of 4");
  EXPECT_EQ(named("row=4,col=2", "P(None,('row','col'))").shard_shape({10, 4}).error().what,
            "dimension 1 of size 4 is not divisible by 8, the product of axes 'row', 'col'");
  EXPECT_EQ(named("a=2", "P('a',None)").shard_shape({4}).error().what,
            "the spec has 2 entries, the array has rank 1");
  EXPECT_EQ(named("a=2", "P('a')").shard_shape({-4}).error().what,
            "dimension 0 must not be negative, got -4");
}

TEST(NamedSharding, axes_must_exist_and_be_used_once) {
  const auto error = [](const char* spec, std::vector<std::string> unreduced = {}) {
    return NamedSharding::make(*Mesh::parse("row=2,col=4"), *PartitionSpec::parse(spec), unreduced)
        .error()
        .text();
  };
  EXPECT_EQ(error("P('rwo')"),
            "unknown mesh axis 'rwo', the mesh has row=2,col=4; spec P('rwo'); did you mean 'row'?");
  EXPECT_EQ(error("P('row','row')"),
            "axis 'row' is used twice; spec P('row','row'); an axis splits one dimension only");
  EXPECT_EQ(error("P('row')", {"row"}),
            "axis 'row' is used twice; unreduced axes of P('row'); an axis splits one dimension only");
}

struct Case {
  NamedSharding sharding;
  std::vector<int64_t> global;
};

Case random_case(std::mt19937& random) {
  std::vector<MeshAxis> axes;
  for (size_t i = 0, n = 1 + random() % 4; i < n; ++i)
    axes.push_back({"a" + std::to_string(i), 1 + static_cast<int64_t>(random() % 4)});
  const Mesh mesh = *Mesh::make(axes);
  std::shuffle(axes.begin(), axes.end(), random);
  PartitionSpec spec;
  spec.dims.resize(1 + random() % 3);
  for (const MeshAxis& axis : axes) {
    // A one-device axis leaves no mark in tiles.
    if (axis.size > 1 && random() % 4 != 0) spec.dims[random() % spec.dims.size()].push_back(axis.name);
  }
  Case c{*NamedSharding::make(mesh, spec), {}};
  for (size_t d = 0; d < spec.dims.size(); ++d)
    c.global.push_back(c.sharding.shards(d) * (1 + static_cast<int64_t>(random() % 3)));
  return c;
}

TEST(NamedSharding, shards_tile_the_array_replicas_times) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto [sharding, global] = random_case(random);
    int64_t elements = 1;
    for (int64_t size : global) elements *= size;
    std::vector<int64_t> holders(static_cast<size_t>(elements));
    for (int64_t device = 0; device < sharding.mesh().device_count(); ++device) {
      const IndexBox box = sharding.slices(DeviceId(device), global);
      for (int64_t e = 0; e < elements; ++e) {
        bool inside = true;
        int64_t rest = e;
        for (size_t d = global.size(); d-- > 0; rest /= global[d]) {
          inside = inside && rest % global[d] >= box[d].start && rest % global[d] < box[d].stop;
        }
        holders[static_cast<size_t>(e)] += inside;
      }
    }
    EXPECT_EQ(holders, std::vector<int64_t>(static_cast<size_t>(elements), sharding.replicas()))
        << sharding.spec().text();
  }
}

TEST(NamedSharding, tiles_hold_the_same_slices_and_give_the_spec_back) {
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    const auto [sharding, global] = random_case(random);
    const HloSharding tiles = HloSharding::from(sharding, global.size());
    EXPECT_EQ(*HloSharding::parse(tiles.text()), tiles);
    for (int64_t device = 0; device < sharding.mesh().device_count(); ++device) {
      EXPECT_EQ(tiles.slices(DeviceId(device), global), sharding.slices(DeviceId(device), global))
          << tiles.text();
    }
    const auto back = tiles.to_named(sharding.mesh());
    ASSERT_TRUE(back.ok()) << back.error().text();
    PartitionSpec spec = back->spec();
    spec.dims.resize(global.size());
    EXPECT_EQ(spec, sharding.spec()) << sharding.mesh().text() << " " << tiles.text();
  }
}

}  // namespace
}  // namespace shardscope::named_sharding_test
