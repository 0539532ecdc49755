// SPDX-License-Identifier: Apache-2.0
// The house, as CONTRIBUTING.md draws it: a file includes only from rows below its own, and each third-party
// library has its doors.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Rows from the bottom up; modules on one row do not include each other.
const std::vector<std::vector<std::string>> kRows = {
    {"engine/base"},
    {"engine/help"},
    {"engine/mesh"},
    {"engine/sharding", "engine/hardware"},
    {"engine/program"},
    {"engine/collectives"},
    {"engine/partition", "engine/strategies"},
    {"engine/backend", "engine/grad"},
    {"engine/request"},
    {"engine/run"},
    {"engine/study"},
    {"engine/story"},
    {"engine/plan"},
    {"engine/numerics", "engine/schedule"},
    {"engine/kernels", "engine/grouped", "engine/cluster"},
    {"engine/trace"},
    {"engine/measure"},
    {"engine/report", "engine/lesson"},
    {"engine/session"},
    {"engine/tune"},
    {"views/scene"},
    {"views/draw"},
    {"views/host", "views/player"},
    {"app/report"},
    {"app/window"},
    {"app/cli"},
};

// Rooms of the modules that have them, from the bottom floor up; rooms on one floor do not include each
// other.
const std::map<std::string, std::vector<std::vector<std::string>>> kRooms = {
    {"engine/report", {{"page"}, {""}, {"residual"}, {"document"}}},
    {"engine/program",
     {{"ir"},
      {"analysis", "stages"},
      {"memory", "rules"},
      {"text", "build"},
      {"proto"},
      {"mlir", "source"},
      {""}}},
    {"engine/partition", {{"types"}, {"propagate", "reshard"}, {"rules", "shardy"}, {"entry"}}},
    {"engine/story", {{""}, {"checks", "sums"}}},
    {"engine/numerics",
     {{"array"}, {"functions"}, {"product", "solve"}, {"plan"}, {"rules"}, {"indexed"}, {"data"}, {"check"}}},
    {"engine/plan", {{""}, {"loops"}}},
    {"engine/schedule", {{"events"}, {""}, {"loops", "parts"}}},
    {"engine/trace", {{"sql", "blocks"}, {""}}},
    {"engine/kernels", {{"program"}, {"machine", "text"}, {"catalogue"}, {"time", "pallas"}}},
    {"views/scene",
     {{"core"}, {"story"}, {"grid", "ring", "timeline", "charts", "chip", "module"}, {"compare"}}},
    {"app/window",
     {{"settings"},
      {"document"},
      {"widgets"},
      {"text"},
      {"experiment", "runs", "results", "sql", "studies", "module", "chip"},
      {"lesson"},
      {"docks"},
      {"dialogs", "present"},
      {"shell"}}},
    {"app/cli", {{"options"}, {"output"}, {"gui", "without_gui"}, {"commands"}, {""}}},
};

// Rows that views may read: engine/study and below, nothing that plans or runs.
const std::vector<std::string> kHiddenFromViews = {
    "engine/partition", "engine/strategies", "engine/numerics", "engine/schedule", "engine/kernels",
    "engine/trace",     "engine/report",     "engine/session",  "engine/tune",     "engine/grouped",
    "engine/lesson",    "engine/measure",    "engine/cluster",  "engine/plan"};
const std::vector<std::string> kHiddenFromStrategies = {"engine/hardware", "engine/plan", "engine/schedule",
                                                        "engine/numerics"};

struct Door {
  std::string library;
  std::regex include;
  std::vector<std::string> doors;
};
const std::vector<Door> kDoors = {
    {"oneTBB", std::regex("<(tbb|oneapi/tbb)/.*"), {"engine/base/parallel."}},
    {"Protocol Buffers",
     std::regex("<google/protobuf/.*"),
     {"engine/base/file/wire.", "engine/measure/import/"}},
    {"MPI", std::regex("<mpi.*"), {"engine/cluster/link_mpi."}},
    {"zlib", std::regex("<zlib.*"), {"engine/measure/import/", "views/player/packed."}},
    {"libpng", std::regex("<png.*"), {"views/draw/gui/png."}},
    {"SQLite", std::regex("<(sqlite3|SQLiteCpp/).*"), {"engine/trace/"}},
    {"toml++", std::regex("<toml\\+\\+.*"), {"engine/base/toml"}},
    {"NLopt", std::regex("<nlopt.*"), {"engine/measure/optimiser."}},
    {"cmark", std::regex("<cmark.*"), {"engine/report/page/markdown_html."}},
    {"Eigen, BLAS", std::regex("<(Eigen/|cblas|openblas).*"), {"engine/numerics/", "engine/kernels/"}},
    {"Dear ImGui", std::regex("<(imgui|backends/imgui).*"), {"views/draw/gui/", "views/host/"}},
    {"OpenGL", std::regex("<(QOpenGL|GL/).*"), {"views/host/"}},
    {"Qt",
     std::regex("<Q[A-Z].*"),
     {"views/draw/gui/", "views/host/", "app/report/gui/", "app/cli/gui/", "app/window/"}},
};

struct Include {
  std::string file;
  int line = 0;
  std::string target;  // with its quotes or angle brackets
};

std::vector<Include> all_includes() {
  const fs::path root = SHARDSCOPE_SOURCE_DIR;
  const std::regex pattern("^\\s*#\\s*include\\s*([<\"][^>\"]+[>\"]).*");
  std::vector<Include> out;
  for (const char* top : {"engine", "views", "app"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      std::ifstream in(entry.path());
      std::string text;
      for (int line = 1; std::getline(in, text); ++line) {
        std::smatch match;
        if (std::regex_match(text, match, pattern))
          out.push_back({fs::relative(entry.path(), root).string(), line, match[1]});
      }
    }
  }
  return out;
}

std::string module_of(const std::string& path) {
  const size_t second = path.find('/', path.find('/') + 1);
  return path.substr(0, second);
}

std::string room_of(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  const std::string module = module_of(path);
  return folder.size() > module.size() ? folder.substr(module.size() + 1) : "";
}

int floor_of(const std::vector<std::vector<std::string>>& floors, const std::string& name) {
  for (size_t floor = 0; floor < floors.size(); ++floor)
    if (std::count(floors[floor].begin(), floors[floor].end(), name) > 0) return static_cast<int>(floor);
  return -1;
}

int row_of(const std::string& module) {
  return floor_of(kRows, module);
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& p) { return text.rfind(p, 0) == 0; });
}

std::string place(const Include& include) {
  return include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

TEST(Layering, IncludesPointDownwards) {
  const std::vector<Include> includes = all_includes();
  ASSERT_GT(includes.size(), 500U);
  for (const Include& include : includes) {
    if (include.target[0] != '"' || include.file == "app/main.cpp") continue;
    const std::string target = include.target.substr(1, include.target.size() - 2);
    const std::string from = module_of(include.file);
    const std::string to = module_of(target);
    ASSERT_GE(row_of(from), 0) << include.file << " is in no row of the house";
    ASSERT_GE(row_of(to), 0) << place(include) << ": include from the project's root";
    if (from != to) {
      EXPECT_GT(row_of(from), row_of(to)) << place(include);
    }
  }
}

TEST(Layering, RoomsStandOnFloorsToo) {
  for (const Include& include : all_includes()) {
    if (include.target[0] != '"') continue;
    const std::string target = include.target.substr(1, include.target.size() - 2);
    const auto rooms = kRooms.find(module_of(target));
    if (rooms == kRooms.end() || module_of(include.file) != rooms->first) continue;
    const std::string from = room_of(include.file);
    const std::string to = room_of(target);
    ASSERT_GE(floor_of(rooms->second, from), 0) << include.file << " is in no room of " << rooms->first;
    ASSERT_GE(floor_of(rooms->second, to), 0) << place(include);
    if (from != to) {
      EXPECT_GT(floor_of(rooms->second, from), floor_of(rooms->second, to)) << place(include);
    }
  }
}

// "folder: sentence" of tests/layering/folders.txt.
std::map<std::string, std::string> folder_sentences() {
  std::ifstream in(fs::path(SHARDSCOPE_SOURCE_DIR) / "tests/layering/folders.txt");
  std::map<std::string, std::string> out;
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    out.emplace(line.substr(0, colon), colon == std::string::npos ? "" : line.substr(colon + 2));
  }
  return out;
}

TEST(Layering, EveryFolderIsOneConceptAndSaysWhichInASentence) {
  const fs::path root = SHARDSCOPE_SOURCE_DIR;
  std::set<std::string> folders;
  for (const char* top : {"engine", "views", "app"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".h" || ending == ".cpp")
        folders.insert(fs::relative(entry.path().parent_path(), root).string());
    }
  }
  std::set<std::string> sentences;
  for (const auto& [folder, sentence] : folder_sentences()) {
    EXPECT_TRUE(folders.contains(folder)) << folder << " has no sources";
    EXPECT_TRUE(sentence.ends_with('.')) << folder;
    EXPECT_TRUE(sentences.insert(sentence).second) << folder << " says what another folder says";
    folders.erase(folder);
  }
  for (const std::string& folder : folders) ADD_FAILURE() << folder << " has no sentence in folders.txt";
}

TEST(Layering, ViewsReadRunsAndNothingThatMakesThem) {
  for (const Include& include : all_includes()) {
    if (include.file.rfind("views/", 0) != 0 || include.target[0] != '"') continue;
    EXPECT_FALSE(starts_with_any(include.target.substr(1), kHiddenFromViews)) << place(include);
  }
}

TEST(Layering, AStrategyNeverSeesHardwareScheduleOrNumerics) {
  for (const Include& include : all_includes()) {
    if (include.file.rfind("engine/strategies/", 0) != 0 || include.target[0] != '"') continue;
    EXPECT_FALSE(starts_with_any(include.target.substr(1), kHiddenFromStrategies)) << place(include);
  }
}

TEST(Layering, EachLibraryHasItsDoors) {
  std::map<std::string, int> uses;
  for (const Include& include : all_includes()) {
    for (const Door& door : kDoors) {
      if (!std::regex_match(include.target, door.include)) continue;
      ++uses[door.library];
      EXPECT_TRUE(starts_with_any(include.file, door.doors))
          << place(include) << ", which is " << door.library;
    }
  }
  EXPECT_GT(uses["oneTBB"], 0);
  EXPECT_GT(uses["Qt"], 0);
  EXPECT_GT(uses["SQLite"], 0);
}

// What shardscope_module() and app/cli's list build without the window.
bool is_in_program_without_window(const std::string& file) {
  if (file.rfind("app/window/docks/dock_names.", 0) == 0) return true;
  const std::string room = room_of(file);
  return room != "gui" && !room.ends_with("/gui") && !starts_with_any(file, {"app/window/", "views/host/"});
}

// Headers too: none of them comes with Qt, so that is what every file of that program includes.
TEST(Layering, TheProgramWithoutItsWindowIncludesNothingOfIt) {
  const std::set<std::string> kPlain = {"app/window/shell/run_window.h", "app/window/docks/dock_names.h"};
  int own = 0;
  for (const Include& include : all_includes()) {
    if (!is_in_program_without_window(include.file) && !kPlain.contains(include.file)) continue;
    const std::string target = include.target.substr(1, include.target.size() - 2);
    if (include.target[0] == '"') {
      ++own;
      EXPECT_TRUE(is_in_program_without_window(target) || kPlain.contains(target)) << place(include);
    } else {
      EXPECT_FALSE(std::regex_match(target, std::regex("Q[A-Z].*|imgui.*|GL/.*|png\\.h"))) << place(include);
    }
  }
  EXPECT_GT(own, 500);
}

// Each stand-in is beside what it stands for.
TEST(Layering, RoomsOfTheWindowHaveStandIns) {
  const fs::path root = SHARDSCOPE_SOURCE_DIR;
  int rooms = 0;
  for (const char* top : {"engine", "views", "app"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory() || (name != "gui" && name != "without_gui")) continue;
      ++rooms;
      EXPECT_TRUE(fs::is_directory(entry.path().parent_path() / (name == "gui" ? "without_gui" : "gui")))
          << entry.path();
    }
  EXPECT_EQ(rooms, 6);
}

TEST(Layering, EveryHeaderIsIncludedOnceAndEveryFileIsLicensed) {
  const fs::path root = SHARDSCOPE_SOURCE_DIR;
  for (const char* top : {"engine", "views", "app", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      std::ifstream in(entry.path());
      std::string first;
      std::getline(in, first);
      EXPECT_EQ(first, "// SPDX-License-Identifier: Apache-2.0") << entry.path();
      std::stringstream rest;
      rest << in.rdbuf();
      if (ending == ".h") {
        EXPECT_NE(rest.str().find("#pragma once"), std::string::npos) << entry.path();
      }
    }
  }
}

TEST(Layering, FilesStaySmall) {
  const fs::path root = SHARDSCOPE_SOURCE_DIR;
  for (const char* top : {"engine", "views", "app", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      std::ifstream in(entry.path());
      const auto lines =
          std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n');
      EXPECT_LE(lines, 400) << entry.path();
    }
  }
}

}  // namespace
