// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/model_file.h"

#include <gtest/gtest.h>

namespace shardscope::model_file_test {
namespace {

TEST(ModelFile, HiddenStandsForABlock) {
  const auto model = find_model("gpt3");
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->layers.size(), 4U);
  EXPECT_EQ(model->layers[0], (ModelLayer{"qkv", 12288, 36864, ""}));
  EXPECT_EQ(model->layers[3], (ModelLayer{"fc2", 49152, 12288, "proj"}));
  EXPECT_EQ(model->tokens(64), 64 * 2048);
}

TEST(ModelFile, LayersAndBatchAreRead) {
  const auto model = parse_model(
      "name = \"m\"\nsequence = 8\nbatch = 3\n[[layer]]\nname = \"up\"\ninputs = 4\noutputs = 16\n",
      "m.toml");
  ASSERT_TRUE(model.ok()) << model.error().text();
  EXPECT_EQ(model->tokens(64), 24);
  EXPECT_EQ(model->layers[0], (ModelLayer{"up", 4, 16, ""}));
}

TEST(ModelFile, MistakesAreNamedWithTheirPlace) {
  struct Mistake {
    const char* toml;
    const char* says;
  };
  const std::vector<Mistake> mistakes = {
      {"hidden = 8", "'name' is missing"},
      {"name = \"m\"", "no layer"},
      {"name = \"m\"\nhidden = 0", "got 0"},
      {"name = \"m\"\nhidden = -4", "m.toml:2"},
      {"name = \"m\"\nhiden = 8", "hiden"},
      {"name = \"m\"\nhidden = 8\nbatch = 0", "got 0"},
      {"name = \"m\"\nhidden = 8\nsequence = 99999999999", "sequence"},
      {"name = \"m\"\nhidden = \"wide\"", "hidden"},
      {"name = \"m\"\n[[layer]]\nname = \"a\"\ninputs = 4", "'outputs' is missing"},
      {"name = \"m\"\n[[layer]]\nname = \"a\"\ninputs = 4\noutputs = 4\nresidual = \"b\"",
       "no earlier layer"},
      {"name = \"m\"\nhidden = 8\n[[layer]]\nname = \"a\"\ninputs = 4\noutputs = 4", "both"},
      {"name = \"m\"\nhidden =", "m.toml:2"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto model = parse_model(mistake.toml, "m.toml");
    ASSERT_FALSE(model.ok()) << mistake.toml;
    EXPECT_NE(model.error().text().find(mistake.says), std::string::npos) << model.error().text();
  }
}

TEST(ModelFile, UnknownNamesOfferTheNearest) {
  EXPECT_NE(find_model("gtp3").error().text().find("gpt3"), std::string::npos);
  EXPECT_EQ(find_model("/no/such.toml").error().kind, ErrorKind::io);
}

TEST(ModelFile, EveryPresetReads) {
  for (const std::string& name : model_preset_names()) EXPECT_TRUE(find_model(name).ok()) << name;
  EXPECT_GE(model_preset_names().size(), 2U);
}

}  // namespace
}  // namespace shardscope::model_file_test
