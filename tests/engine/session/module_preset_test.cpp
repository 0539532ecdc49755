// SPDX-License-Identifier: Apache-2.0
// A module's run as a file: the module, its operations, how it is run.
#include "engine/session/module_preset.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace shardscope::module_preset_test {
namespace {

class ModulePresetFile : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  std::string refusal(const std::string& text) const {
    const auto read = read_module_preset(write("p.toml", text));
    EXPECT_FALSE(read.ok());
    const std::string said = read.ok() ? "" : read.error().text();
    const size_t place = said.find(folder_.file("p.toml"));
    return place == std::string::npos ? said
                                      : said.substr(0, place) + said.substr(place + folder_.file("").size());
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(ModulePresetFile, SaysModuleOperationsAndFields) {
  write("step.hlo", "HloModule step");
  write("mine.hlo", "HloModule mine");
  const auto read =
      read_module_preset(write("p.toml",
                               "title = 'T'\nmodule = 'step.hlo'\nhardware = 'h100'\nsteps = 30\n"
                               "warmup = 2\nannotate = 'train'\ncarry = '1=w,2=v'\noverlap = false\n"
                               "[[operation]]\nfile = 'adam'\n[[operation]]\nfile = 'mine.hlo'\n"
                               "[[operation]]\nhlo = 'HloModule here'\n"));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->title, "T");
  EXPECT_EQ(read->module.text, "HloModule step");
  ASSERT_EQ(read->operations.size(), 3U);
  EXPECT_NE(read->operations[0].text.find("%Adam ("), std::string::npos);
  EXPECT_EQ(read->operations[1].text, "HloModule mine");
  EXPECT_EQ(read->operations[2].text, "HloModule here");
  EXPECT_EQ(read->asked, (std::map<std::string, std::string, std::less<>>{{"annotate", "train"},
                                                                          {"carry", "1=w,2=v"},
                                                                          {"hardware", "h100"},
                                                                          {"overlap", "off"},
                                                                          {"steps", "30"},
                                                                          {"warmup", "2"}}));
}

TEST_F(ModulePresetFile, TakesABuiltInModuleByName) {
  const auto read = read_module_preset(write("p.toml", "module = 'two_layers_step'\n"));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_NE(read->module.text.find("ENTRY %two_layers_step"), std::string::npos);
}

TEST_F(ModulePresetFile, RefusalsSayTheLine) {
  EXPECT_NE(refusal("steps = 3\n").find("'module' is missing"), std::string::npos);
  EXPECT_NE(refusal("module = 'two_layer_step'\n").find("did you mean two_layers_step?"), std::string::npos);
  EXPECT_NE(refusal("module = 'mlp'\n[[operation]]\n").find("either a file or its text"), std::string::npos);
  EXPECT_NE(refusal("module = 'mlp'\n[[operation]]\nfile = 'adem'\n").find("no operations are called 'adem'"),
            std::string::npos);
  EXPECT_NE(refusal("module = 'mlp'\n[[operation]]\nfile = 'sgd'\nname = 'x'\n").find("unknown key 'name'"),
            std::string::npos);
  EXPECT_NE(refusal("module = 'mlp'\nstepps = 3\n").find("unknown key 'stepps'"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::module_preset_test
