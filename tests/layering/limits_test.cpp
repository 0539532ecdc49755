// SPDX-License-Identifier: Apache-2.0
// The house's limits: no god classes, no functions of many pages, no calls that read f(x, true, false).
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

#include "tests/layering/source_scan.h"

namespace shardscope::layering::limits_test {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 60, kMostParameters = 6, kMostMethods = 25;
// Languages, in which strategies and kernels are written: they have as many words as they need.
const std::set<std::string> kLanguages = {"SpmdBuilder", "Kernel"};

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// Our sources by their path from the root, without comments and quoted text.
const std::map<std::string, std::string>& sources() {
  static const std::map<std::string, std::string> all = [] {
    const fs::path root = SHARDSCOPE_SOURCE_DIR;
    std::map<std::string, std::string> out;
    for (const char* top : {"engine", "views", "app"}) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
        const std::string ending = entry.path().extension().string();
        if (ending == ".h" || ending == ".cpp")
          out[fs::relative(entry.path(), root).string()] = code_of(text_of(entry.path()));
      }
    }
    return out;
  }();
  return all;
}

bool two_bools(const std::vector<std::string>& parameters) {
  static const std::regex bare("^(const )?bool( .*)?$");
  bool before = false;
  for (const std::string& parameter : parameters) {
    const bool now = std::regex_match(parameter, bare);
    if (now && before) return true;
    before = now;
  }
  return false;
}

// "<limit> <file> <name>" of everything beyond a limit, and its figure.
std::map<std::string, int> offenders() {
  std::map<std::string, int> out;
  const auto add = [&](const std::string& limit, const std::string& file, const std::string& name,
                       int figure) {
    int& most = out[limit + " " + file + " " + name];
    most = std::max(most, figure);
  };
  for (const auto& [file, code] : sources()) {
    const FoundInFile found = scan_code(code);
    for (const FoundFunction& f : found.functions) {
      const auto parameters = static_cast<int>(f.parameters.size());
      if (f.lines > kMostLines) add("lines", file, f.name, f.lines);
      if (parameters > kMostParameters) add("parameters", file, f.name, parameters);
      if (two_bools(f.parameters)) add("bools", file, f.name, 2);
    }
    for (const FoundClass& c : found.classes)
      if (c.methods > kMostMethods && !kLanguages.contains(c.name)) add("methods", file, c.name, c.methods);
  }
  return out;
}

// exceptions.txt names what is still beyond a limit; it may only get shorter.
TEST(Limits, FunctionsAndClassesStaySmall) {
  ASSERT_GT(sources().size(), 500U);
  std::set<std::string> allowed;
  std::ifstream in(fs::path(SHARDSCOPE_SOURCE_DIR) / "tests/layering/exceptions.txt");
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') allowed.insert(line);
  for (const auto& [what, figure] : offenders()) EXPECT_EQ(allowed.erase(what), 1U) << what << ": " << figure;
  for (const std::string& line : allowed) ADD_FAILURE() << "no exception any more, take it out: " << line;
}

// Two types of one name are one to the linker: it keeps the functions of either.
TEST(Limits, NoTwoTypesHaveOneName) {
  std::map<std::string, std::string> written;
  for (const auto& [file, code] : sources())
    for (const std::string& type : scan_code(code).types) {
      const auto [first, is_new] = written.emplace(type, file);
      EXPECT_TRUE(is_new) << type << " is written in " << first->second << " and in " << file;
    }
  EXPECT_GT(written.size(), 1000U);
}

// Sources of a module are compiled together, in batches that move with the next file: what one hides from the
// others is not hidden there.
TEST(Limits, HiddenNamesOfAModuleDiffer) {
  std::map<std::string, std::string> written;
  for (const auto& [file, code] : sources()) {
    const std::string module = file.substr(0, file.find('/', file.find('/') + 1));
    for (const std::string& name : scan_code(code).hidden) {
      const auto [first, is_new] = written.emplace(module + " " + name, file);
      EXPECT_TRUE(is_new || first->second == file)
          << name << " is hidden in " << first->second << " and in " << file;
    }
  }
  EXPECT_GT(written.size(), 1000U);
}

// The lines that say something, with their numbers: no blank ones, comments or includes.
std::vector<std::pair<int, std::string>> telling_lines(const std::string& text) {
  std::vector<std::pair<int, std::string>> out;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    line.erase(0, first);
    if (!line.starts_with("//") && !line.starts_with("#include")) out.emplace_back(number, line);
  }
  return out;
}

TEST(Limits, NoTwelveLinesStandTwice) {
  constexpr size_t kLines = 12;
  std::map<std::string, std::string> places;
  for (const auto& [file, code] : sources()) {
    const auto lines = telling_lines(text_of(fs::path(SHARDSCOPE_SOURCE_DIR) / file));
    for (size_t k = 0; k + kLines <= lines.size(); ++k) {
      std::string run;
      for (size_t n = k; n < k + kLines; ++n) run += lines[n].second + "\n";
      const std::string place = file + ":" + std::to_string(lines[k].first);
      const auto [first, is_new] = places.emplace(std::move(run), place);
      EXPECT_TRUE(is_new) << place << " says what " << first->second << " says";
    }
  }
  EXPECT_GT(places.size(), 100'000U);
}

// What is asked of an operation is a trait, a class or a rule of a table; that it is one certain operation,
// only where nothing but that one is meant.
TEST(Limits, OperationsAreAskedWhatTheyAreLike) {
  struct Kind {
    const char* text;
    std::ptrdiff_t most;
  };
  for (const auto& [text, most] : {Kind{"\\bcase (\\w+::)*Opcode::", 40}, Kind{"== (\\w+::)*Opcode::", 200},
                                   Kind{"!= (\\w+::)*Opcode::", 135}}) {
    const std::regex asked(text);
    std::ptrdiff_t all = 0;
    for (const auto& [file, code] : sources())
      all += std::distance(std::sregex_iterator(code.begin(), code.end(), asked), std::sregex_iterator());
    EXPECT_LE(all, most) << text;
  }
}

TEST(Limits, TheScanFindsWhatIsWritten) {
  const FoundInFile found = scan_code(code_of(R"code(
// class Comment { void f(); };
#define MACRO(x) { x
namespace a::b {
enum class E { one, two };
struct Value { int x = f({1, 2}); std::function<void(int)> call; bool operator==(const Value&) const = default; };
class Big : public Base<int> {
  Q_OBJECT
 public:
  explicit Big(int a, std::map<int, int> b = {}) : a_{a}, b_(b) {
    if (a > 0) { auto g = [](bool c, bool d) { return c; }; }
  }
  int size() const { return "}"[0] == '{' ? 1 : 2; }
  void operator()(int x);
  ~Big() override;
  Big(const Big&) = delete;
 Q_SIGNALS:
  void done();

 private:
  int a_ = 1'000;
};
bool Big::both(const std::string& s, bool a,
               bool b) {
  return a && b;
}
int table[] = {f(1), 2};
template <typename T>
struct Of {};
template <>
struct Of<int> {};
namespace {
struct Hidden {};
constexpr int kOne = f(1), kTwo[] = {1, 2};
const std::map<std::string, int> kThree = {{"a", 1}};
constexpr std::array kFour{1, 2};
constexpr auto four = [](int a) { return a; };
constexpr int five(int a) { return a; }
}  // namespace
}  // namespace
)code"));
  EXPECT_EQ(found.types, (std::vector<std::string>{"a::b::E", "a::b::Value", "a::b::Big", "a::b::Of"}));
  EXPECT_EQ(found.hidden, (std::vector<std::string>{"Hidden", "kOne", "kThree", "kFour", "four"}));
  ASSERT_EQ(found.classes.size(), 5U);
  EXPECT_EQ(found.classes[0].methods, 0);
  EXPECT_EQ(found.classes[1].name, "Big");
  EXPECT_EQ(found.classes[1].methods, 5);
  ASSERT_EQ(found.functions.size(), 7U);
  EXPECT_EQ(found.functions[0].parameters.size(), 2U);
  EXPECT_EQ(found.functions[0].lines, 3);
  EXPECT_EQ(found.functions[2].name, "operator()");
  EXPECT_EQ(found.functions[5].name, "Big::both");
  EXPECT_EQ(found.functions[5].lines, 4);
  EXPECT_TRUE(two_bools(found.functions[5].parameters));
  EXPECT_FALSE(two_bools(found.functions[0].parameters));
}

}  // namespace
}  // namespace shardscope::layering::limits_test
