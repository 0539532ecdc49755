// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/hlo_sharding.h"

#include <gtest/gtest.h>
#include <random>

namespace shardscope::hlo_sharding_test {
namespace {

Mesh mesh_of(const char* text) {
  return *Mesh::parse(text);
}

std::string hlo_of(const char* mesh, const char* spec, size_t rank) {
  return HloSharding::from(*NamedSharding::make(mesh_of(mesh), *PartitionSpec::parse(spec)), rank).text();
}

std::string error_of(const std::string& text) {
  const auto sharding = HloSharding::parse(text);
  return sharding.ok() ? "no error: " + sharding->text() : sharding.error().text();
}

TEST(HloSharding, a_spec_gives_the_text_that_xla_prints) {
  const char* mesh = "a=4,b=2";
  EXPECT_EQ(hlo_of(mesh, "P()", 2), "{replicated}");
  EXPECT_EQ(hlo_of(mesh, "P('a',None)", 2), "{devices=[4,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(hlo_of(mesh, "P(None,'a')", 2), "{devices=[1,4,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(hlo_of(mesh, "P('b',None)", 2), "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(hlo_of(mesh, "P('a','b')", 2), "{devices=[4,2]<=[8]}");
  EXPECT_EQ(hlo_of(mesh, "P('b','a')", 2), "{devices=[2,4]<=[4,2]T(1,0)}");
  EXPECT_EQ(hlo_of(mesh, "P(('a','b'),None)", 2), "{devices=[8,1]<=[8]}");
  EXPECT_EQ(hlo_of(mesh, "P(('b','a'),None)", 2), "{devices=[8,1]<=[4,2]T(1,0)}");
  EXPECT_EQ(hlo_of("a=2,b=2,c=2,d=2", "P(None,('d','b'),'c',None)", 4),
            "{devices=[1,4,2,1,2]<=[2,4,2]T(2,1,0) last_tile_dim_replicate}");
  EXPECT_EQ(hlo_of("a=1", "P('a')", 1), "{replicated}");
}

TEST(HloSharding, partial_sums_are_an_unreduced_subgroup) {
  const auto named = NamedSharding::make(mesh_of("a=2,b=2,c=2"), P("a", ""), {"b"});
  EXPECT_EQ(HloSharding::from(*named, 2).text(),
            "{devices=[2,1,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={replicated,unreduced}}");
  EXPECT_EQ(HloSharding::from(*named, 2).to_named(named->mesh())->unreduced(), std::vector<std::string>{"b"});
  const auto all = NamedSharding::make(mesh_of("a=2"), P(), {"a"});
  EXPECT_EQ(HloSharding::from(*all, 1).text(), "{unreduced}");
  EXPECT_EQ(*HloSharding::from(*all, 1).to_named(all->mesh()), *all);
}

TEST(TileAssignment, an_iota_is_reshaped_transposed_and_reshaped) {
  const auto devices = [](const char* text) { return parse_tile_assignment(text)->devices; };
  using Ids = std::vector<int64_t>;
  EXPECT_EQ(devices("[2,2]<=[2,2]T(1,0)"), (Ids{0, 2, 1, 3}));
  EXPECT_EQ(devices("[8]<=[4,2]T(1,0)"), (Ids{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(devices("[16]<=[4,2,2]T(1,0,2)"), (Ids{0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}));
  EXPECT_EQ(*parse_tile_assignment("[2,2]<=[2,2]T(1,0)"), *parse_tile_assignment("[2,2]0,2,1,3"));
}

TEST(TileAssignment, the_text_is_canonical) {
  const auto text = [](const char* in) { return tile_assignment_text(*parse_tile_assignment(in)); };
  EXPECT_EQ(text("[4]<=[2,2]T(0,1)"), "[4]<=[4]");
  EXPECT_EQ(text("[4]<=[2,1,2]T(2,1,0)"), "[4]<=[2,2]T(1,0)");
  EXPECT_EQ(text("[4]0,1,2,3"), "[4]<=[4]");
  EXPECT_EQ(text("[2,2]0,2,1,3"), "[2,2]<=[2,2]T(1,0)");
  EXPECT_EQ(text("[4]0,1,3,2"), "[4]0,1,3,2");
  EXPECT_EQ(text("[2]4,5"), "[2]4,5");
  EXPECT_EQ(text("[2]1,0"), "[2]1,0");
  EXPECT_EQ(text("[1]0"), "[1]<=[1]");
  EXPECT_EQ(text("[12]<=[2,3,2]T(2,1,0)"), "[12]<=[2,3,2]T(2,1,0)");
}

TEST(HloSharding, tokens_come_in_any_order_and_subgroups_are_normal) {
  const auto text = [](const char* in) { return HloSharding::parse(in)->text(); };
  EXPECT_EQ(text("{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}"),
            "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(text("{last_tile_dim_replicate devices=[2,1,2]<=[4]}"),
            "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(text("{devices=[2,1,2]<=[4] last_tile_dims={replicated}}"),
            "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(text("{devices=[2,1,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual,replicated}}"),
            "{devices=[2,1,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual,replicated}}");
  EXPECT_EQ(text("{devices=[2,2,2]<=[8] last_tile_dims={manual,manual}}"),
            "{devices=[2,4]<=[8] last_tile_dims={manual}}");
  EXPECT_EQ(text("{devices=[2,2,2,2]<=[16] last_tile_dims={manual,replicated,manual}}"),
            "{devices=[2,2,4]<=[2,2,2,2]T(0,2,1,3) last_tile_dims={replicated,manual}}");
  EXPECT_EQ(text("{devices=[1,1,4]<=[4] last_tile_dim_replicate}"), "{replicated}");
  EXPECT_EQ(text("{devices=[2,2,1]<=[4] last_tile_dim_replicate}"), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(text("{ replicated }"), "{replicated}");
  EXPECT_EQ(text("{maximal device=3}"), "{maximal device=3}");
  EXPECT_EQ(text("{device=3 maximal}"), "{maximal device=3}");
  EXPECT_EQ(text("{manual}"), "{manual}");
  EXPECT_EQ(text("{unknown shard_as 7}"), "{unknown shard_as 7}");
  EXPECT_EQ(text("{devices=[2]<=[2] metadata={op_name=\"a}{\"}}"), "{devices=[2]<=[2]}");
  EXPECT_EQ(text("{replicated metadata={{op_name=\"a\"},{op_name=\"b\"}}}"), "{replicated}");
}

TEST(HloSharding, a_tuple_has_one_per_leaf) {
  const auto leaves = HloSharding::parse_tuple("{{replicated}, {devices=[2]<=[2]}}");
  ASSERT_EQ(leaves->size(), 2u);
  EXPECT_EQ((*leaves)[1].text(), "{devices=[2]<=[2]}");
  EXPECT_EQ(HloSharding::parse_tuple("{}")->size(), 0u);
  EXPECT_FALSE(HloSharding::parse_tuple("{{replicated}").ok());
}

TEST(HloSharding, errors_name_the_column_and_what_was_expected) {
  EXPECT_EQ(error_of("{devices=[2,2}"), "expected ']', got '}'; sharding column 14");
  EXPECT_EQ(error_of("{devices=[2,2]0,1,2}"), "3 devices listed, the tiles need 4; sharding column 20");
  EXPECT_EQ(error_of("{devices=[2,2]0,1,2,2}"), "device 2 is there twice; sharding column 21");
  EXPECT_EQ(error_of("{devices=[2,2]<=[3]}"), "the iota has 3 devices, the tiles need 4; sharding column 17");
  EXPECT_EQ(error_of("{devices=[2,2]<=[2,2]}"), "expected 'T', got '}'; sharding column 22");
  EXPECT_EQ(error_of("{devices=[2,2]<=[2,2]T(1,1)}"),
            "expected a permutation of 0 to 1, got (1,1); sharding column 23");
  EXPECT_EQ(error_of("{devices=[0,2]<=[0]}"), "sizes must be at least 1, got 0; sharding column 10");
  EXPECT_EQ(error_of("{devices=[1099511627776]<=[1099511627776]}"),
            "more than 1,048,576 devices; sharding column 10");
  EXPECT_EQ(error_of("{devices=[4294967296,4294967296]<=[4]}"),
            "more than 1,048,576 devices; sharding column 10");
  EXPECT_EQ(error_of("{devices=[99999999999999999999]0}"),
            "a tile count is too large: 99999999999999999999; sharding column 11");
  EXPECT_EQ(error_of("{devices=[2]0,4194304}"),
            "device 4194304, expected less than 1048576; sharding column 15");
  EXPECT_EQ(error_of("{maximal}"), "'maximal' needs device=N; sharding column 1");
  EXPECT_EQ(error_of("{replicated devices=[2]<=[2]}"),
            "'replicated' takes no devices and no tiles; sharding column 1");
  EXPECT_EQ(error_of("{devices=[1]0}"), "tiles need more than one device; sharding column 1");
  EXPECT_EQ(error_of("{{replicated}}"),
            "this is a tuple's sharding, expected one of a single array; sharding column 1");
  EXPECT_NE(error_of("{replicate}").find("got 'replicate'; sharding column 2"), std::string::npos);
  EXPECT_NE(error_of("{replicated").find("got the end of the text"), std::string::npos);
}

TEST(HloSharding, tiles_that_do_not_divide_are_padded_at_the_end) {
  const auto sharding = *HloSharding::parse("{devices=[4,1]<=[4]}");
  EXPECT_EQ(sharding.tile_shape({5, 7}), (std::vector<int64_t>{2, 7}));
  EXPECT_EQ(sharding.slices(DeviceId(2), {5, 7}), (IndexBox{{4, 5}, {0, 7}}));
  EXPECT_EQ(sharding.slices(DeviceId(3), {5, 7}), (IndexBox{{5, 5}, {0, 7}}));
  EXPECT_EQ(sharding.slices(DeviceId(9), {5, 7}), (IndexBox{{0, 0}, {0, 0}}));
  EXPECT_EQ(sharding.accepts({5}).error().what, "the sharding tiles 2 dimensions, the array has rank 1");
  EXPECT_TRUE(sharding.accepts({INT64_MAX, 1}).ok());
  EXPECT_EQ(sharding.slices(DeviceId(3), {INT64_MAX, 1})[0].stop, INT64_MAX);
}

TEST(HloSharding, a_sharding_that_no_spec_gives_is_refused) {
  const auto error = [](const char* text, const char* mesh) {
    const auto named = HloSharding::parse(text)->to_named(mesh_of(mesh));
    return named.ok() ? named->spec().text() : named.error().what;
  };
  EXPECT_EQ(error("{devices=[4]0,1,3,2}", "a=2,b=2"), "no PartitionSpec on mesh a=2,b=2 gives this sharding");
  EXPECT_EQ(error("{maximal device=0}", "a=2,b=2"), "no PartitionSpec on mesh a=2,b=2 gives this sharding");
  EXPECT_EQ(error("{devices=[2,2]<=[4]}", "a=4"), "no PartitionSpec on mesh a=4 gives this sharding");
  EXPECT_EQ(error("{devices=[2]5,6}", "a=2"), "no PartitionSpec on mesh a=2 gives this sharding");
  EXPECT_EQ(error("{devices=[2]0,1}", "a=4"), "the sharding names 2 devices, mesh a=4 has 4");
  // Replicas in another order hold the same shards.
  EXPECT_EQ(error("{devices=[2,1,2]1,0,3,2 last_tile_dim_replicate}", "a=2,b=2"), "P('a',None)");
}

TEST(HloSharding, any_text_is_a_sharding_that_prints_back_or_an_error) {
  std::mt19937 random(2);
  const std::vector<std::string> good = {
      "{devices=[2,1,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual,replicated}}",
      "{devices=[2,2,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
      "{maximal device=3 metadata={op_name=\"a\"}}"};
  const std::string letters = "{}[]()<=T,0123456789 \"devicsunrplato_";
  int parsed = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string text = good[random() % good.size()];
    for (int k = std::uniform_int_distribution<int>(1, 3)(random); k > 0; --k) {
      const size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = letters[random() % letters.size()];
      else
        text.erase(at, 1);
    }
    const auto sharding = HloSharding::parse(text);
    if (!sharding.ok()) continue;
    ++parsed;
    EXPECT_EQ(*HloSharding::parse(sharding->text()), *sharding) << text;
  }
  EXPECT_GT(parsed, 100);
}

// A mesh is looked for by trying many: the text of thousands of devices is not made for each.
TEST(HloSharding, of_very_many_devices_a_refusal_does_not_list_them) {
  const auto where = [](const std::string& sharding, const char* mesh) {
    return HloSharding::parse(sharding)->to_named(*Mesh::parse(mesh)).error().where;
  };
  EXPECT_EQ(where("{devices=[2,2]<=[4]}", "a=4"), "sharding {devices=[2,2]<=[4]}");
  EXPECT_EQ(where("{devices=[4096,2]<=[8192]}", "a=8192"), "sharding of 8192 devices");
}

}  // namespace
}  // namespace shardscope::hlo_sharding_test
