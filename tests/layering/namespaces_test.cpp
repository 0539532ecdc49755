// SPDX-License-Identifier: Apache-2.0
// Each module has its namespace: shardscope::mesh, shardscope::program. They are inline, so that a name is
// read without its module where nothing else has it. What everything stands on, engine/base, is in shardscope
// itself.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

// Modules whose folder is called as one of their functions is, or as another module.
const std::map<std::string, std::string> kOtherNames = {
    {"engine/partition", "partitioner"}, {"engine/plan", "planner"}, {"engine/schedule", "scheduler"},
    {"engine/strategies", "strategy"},   {"engine/tune", "tuner"},   {"app/report", "app_report"}};

// "engine/mesh/mesh.h": "shardscope::inline mesh".
std::string namespace_of(const std::string& file) {
  if (file.starts_with("engine/base/")) return "shardscope";
  if (file.starts_with("views/")) return "shardscope::inline views";
  const std::string module = file.substr(0, file.find('/', file.find('/') + 1));
  if (module == "engine/kernels") return "shardscope::kernels";  // its names are those of programs too
  const auto other = kOtherNames.find(module);
  return "shardscope::inline " +
         (other != kOtherNames.end() ? other->second : module.substr(module.find('/') + 1));
}

// Of a namespace that is another module's: whether only names are declared in it.
bool only_declares(std::ifstream& in) {
  static const std::regex declared(
      "(class|struct|enum class|std::span<.*>|extern const char\\* const) \\w+( : \\w+|\\(\\))?;.*");
  std::string text;
  while (std::getline(in, text) && !text.starts_with('}'))
    if (!text.empty() && !std::regex_match(text, declared)) return false;
  return true;
}

TEST(Namespaces, EachModuleHasItsOwn) {
  const fs::path root = SHARDSCOPE_SOURCE_DIR;
  static const std::regex opened("^namespace (shardscope[\\w: ]*) \\{.*");
  int files = 0;
  for (const char* top : {"engine", "views", "app"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string own = namespace_of(file);
      std::ifstream in(entry.path());
      std::smatch match;
      for (std::string text; std::getline(in, text);) {
        if (!std::regex_match(text, match, opened)) continue;
        const std::string name = match[1];
        EXPECT_TRUE(name == own || name.starts_with(own + "::") || only_declares(in))
            << file << " opens " << name << ", not " << own;
      }
      ++files;
    }
  }
  EXPECT_GT(files, 1500);
}

}  // namespace
