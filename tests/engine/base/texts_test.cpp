// SPDX-License-Identifier: Apache-2.0
// The texts of the sources and the files of assets/language agree. With SHARDSCOPE_UPDATE=1 the template
// (shardscope.pot) is written anew and every language gets the new texts, to be translated, and loses those
// that are gone.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "engine/base/catalogue.h"
#include "engine/base/read_file.h"

namespace shardscope::texts_test {
namespace {

namespace fs = std::filesystem;

struct Text {
  std::string many;  // empty: nothing is counted
  std::set<std::string> files;
};
using Texts = std::map<std::string, Text>;

// Adjacent literals are one.
struct Literal {
  size_t begin = 0, end = 0;
  std::string text;
};

fs::path source_dir() {
  return fs::path(SHARDSCOPE_SOURCE_DIR);
}

size_t end_of_quoted(const std::string& code, size_t at) {
  const char quote = code[at++];
  while (at < code.size() && code[at] != quote) at += code[at] == '\\' ? 2 : 1;
  return at + 1;
}

std::string unescaped(const std::string& body) {
  std::string out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      out += body[i];
    } else {
      const char next = body[++i];
      out += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    }
  }
  return out;
}

std::vector<Literal> literals_of(const std::string& code) {
  std::vector<Literal> out;
  for (size_t i = 0; i < code.size();) {
    if (code.compare(i, 2, "//") == 0) {
      i = std::min(code.find('\n', i), code.size());
    } else if (code.compare(i, 2, "R\"") == 0) {
      const size_t open = code.find('(', i);
      const std::string close = ")" + code.substr(i + 2, open - i - 2) + "\"";
      i = std::min(code.find(close, i), code.size() - close.size()) + close.size();
    } else if (code[i] == '\'') {
      const bool digits = i > 0 && std::isxdigit(static_cast<unsigned char>(code[i - 1])) != 0;
      i = digits ? i + 1 : end_of_quoted(code, i);
    } else if (code[i] == '"') {
      const size_t end = end_of_quoted(code, i);
      const std::string text = unescaped(code.substr(i + 1, end - i - 2));
      const bool more = !out.empty() &&
                        std::all_of(code.begin() + static_cast<std::ptrdiff_t>(out.back().end),
                                    code.begin() + static_cast<std::ptrdiff_t>(i),
                                    [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
      if (more) {
        out.back().text += text;
        out.back().end = end;
      } else {
        out.push_back({i, end, text});
      }
      i = end;
    } else {
      ++i;
    }
  }
  return out;
}

// The function that a literal at `begin` is the first argument of; empty for a method or for none.
std::string door_before(const std::string& code, size_t begin) {
  size_t at = begin;
  const auto back_over = [&](auto is) {
    while (at > 0 && is(static_cast<unsigned char>(code[at - 1]))) --at;
  };
  back_over([](unsigned char c) { return std::isspace(c) != 0; });
  if (at == 0 || code[at - 1] != '(') return "";
  const size_t open = --at;
  back_over([](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  if (at > 0 && (code[at - 1] == '.' || code[at - 1] == '>')) return "";
  return code.substr(at, open - at);
}

// Whether a literal at `begin` stands among the arguments of counted(n, "thing") or counted_tr.
bool is_counted(const std::string& code, size_t begin) {
  int depth = 0;
  for (size_t at = begin; at-- > 0 && begin - at < 200;) {
    if (code[at] == ';' || code[at] == '"') return false;
    if (code[at] == ')') ++depth;
    if (code[at] == '(' && --depth < 0) {
      const std::string before = code.substr(at - std::min<size_t>(at, 13), std::min<size_t>(at, 13));
      return before.ends_with("counted") || before.ends_with("counted_tr") ||
             before.ends_with("grouped_count") || before.ends_with("counted_span");
    }
  }
  return false;
}

bool has_letter(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

void add_texts(const std::string& code, const std::string& file, Texts& out) {
  static const std::set<std::string> kOne{"said", "say", "spoken", "tr"}, kMany{"say_count", "said_count"};
  const std::vector<Literal> all = literals_of(code);
  const auto add = [&](const std::string& text, const std::string& many = "") {
    if (!has_letter(text)) return;
    Text& one = out[text];
    one.files.insert(file);
    if (!many.empty()) one.many = many;
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string door = door_before(code, all[i].begin);
    if (kMany.contains(door) && i + 1 < all.size()) {
      add(all[i].text, all[i + 1].text);
    } else if (kOne.contains(door) || code.compare(all[i].end, 3, "_tr") == 0) {
      add(all[i].text);
    } else if (is_counted(code, all[i].begin)) {
      add("{} " + all[i].text, "{} " + all[i].text + "s");
    } else if (door == "to_say") {  // a path of menus is said menu by menu
      size_t from = 0;
      for (size_t cut = all[i].text.find("/&"); cut != std::string::npos;
           cut = all[i].text.find("/&", from)) {
        add(all[i].text.substr(from, cut - from));
        from = cut + 1;
      }
      add(all[i].text.substr(from));
    }
  }
}

Texts texts_of_sources() {
  Texts out;
  for (const char* top : {"engine", "views", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_dir() / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".cpp" && ending != ".h") continue;
      const std::string file = fs::relative(entry.path(), source_dir()).string();
      if (file != "engine/base/say.h") add_texts(*read_file(entry.path().string()), file, out);
    }
  }
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
  return out + "\"";
}

// One entry, with its translation as far as the language has it.
std::string entry_text(const std::string& english, const Text& text, const Catalogue* language) {
  std::string out = "\n";
  for (const std::string& file : text.files) out += "#: " + file + "\n";
  out += "msgid " + quoted(english) + "\n";
  std::vector<std::string> forms;
  if (language != nullptr && language->forms.contains(english)) forms = language->forms.at(english);
  if (text.many.empty()) return out + "msgstr " + quoted(forms.size() == 1 ? forms[0] : "") + "\n";
  out += "msgid_plural " + quoted(text.many) + "\n";
  const size_t wanted = language == nullptr || language->plural == PluralRule::one_other ||
                                language->plural == PluralRule::zero_one_other
                            ? 2
                        : language->plural == PluralRule::none ? 1
                                                               : 3;
  for (size_t i = 0; i < wanted; ++i)
    out += fmt::format("msgstr[{}] {}\n", i, quoted(forms.size() == wanted ? forms[i] : ""));
  return out;
}

void write_language(const fs::path& file, const std::string& header, const Texts& texts,
                    const Catalogue* language) {
  std::string out = header;
  for (const auto& [english, text] : texts) out += entry_text(english, text, language);
  std::ofstream(file) << out;
}

std::vector<fs::path> language_files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(source_dir() / "assets/language")) {
    if (entry.path().extension() == ".po") out.push_back(entry.path());
  }
  return out;
}

constexpr const char* kTemplateHeader =
    "# The texts of Shardscope. Copy to assets/language/xx.po, fill in, build: the language is on offer.\n"
    "msgid \"\"\n"
    "msgstr \"\"\n"
    "\"Language: xx\\n\"\n"
    "\"Language-Name: what its speakers call it\\n\"\n"
    "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
    "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n";

void update(const Texts& texts) {
  write_language(source_dir() / "assets/language/shardscope.pot", kTemplateHeader, texts, nullptr);
  for (const fs::path& file : language_files()) {
    const std::string there = *read_file(file.string());
    const auto language = read_catalogue(there, file.string());
    ASSERT_TRUE(language.ok()) << language.error().text();
    write_language(file, there.substr(0, there.find("\n\n") + 1), texts, &*language);
  }
}

TEST(Texts, ThoseOfTheSourcesAreFound) {
  Texts found;
  add_texts(R"code(
    f("no text"); c.say("a method"); // said("a comment")
    g("Run " "all"_tr, said("it"), say("{} \"of\" {}", 1, 2));
    const char* kMenu = to_say("&Run/&More"); count = say_count("{} run", "{} runs", n); said("123");
    out += counted(size(a[0]), "block");
  )code",
            "x.cpp", found);
  std::set<std::string> keys;
  for (const auto& [english, text] : found) keys.insert(english);
  EXPECT_EQ(keys,
            (std::set<std::string>{"&More", "&Run", "Run all", "it", "{} \"of\" {}", "{} run", "{} block"}));
  EXPECT_EQ(found["{} run"].many, "{} runs");
}

// A text may be new since the languages were brought up to date, as long as few are.
TEST(Texts, TheTemplateAndEveryLanguageFollowTheSources) {
  const Texts texts = texts_of_sources();
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) update(texts);
  std::vector<fs::path> files = language_files();
  files.push_back(source_dir() / "assets/language/shardscope.pot");
  for (const fs::path& file : files) {
    const std::string there = *read_file(file.string());
    size_t missing = 0;
    std::string one;
    for (const auto& [english, text] : texts) {
      if (there.find("msgid " + quoted(english) + "\n") != std::string::npos) continue;
      ++missing;
      one = english;
    }
    EXPECT_LE(missing, texts.size() / 10)
        << file.filename() << " lacks '" << one << "': SHARDSCOPE_UPDATE=1 adds it";
  }
}

}  // namespace
}  // namespace shardscope::texts_test
