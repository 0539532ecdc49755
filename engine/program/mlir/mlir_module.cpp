// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_module.h"

#include <algorithm>

#include "engine/program/mlir/mlir_parser.h"

namespace shardscope::inline program {
namespace {

constexpr int kMostAliases = 16;  // one standing for the next

class ModuleReader {
 public:
  explicit ModuleReader(MlirLexer lexer)
      : lexer_(lexer), types_(module_.type_aliases), parser_(lexer_, types_) {}

  Result<MlirModule> read() {
    while (!lexer_.at_end()) TRY_VOID(item());
    if (open_ > 0) return lexer_.expected("'}'");
    return std::move(module_);
  }

 private:
  Result<void> item() {
    const char c = lexer_.peek();
    if (c == '#' || c == '!') return alias(c == '#' ? module_.attribute_aliases : module_.type_aliases);
    if (c == '}' && open_ > 0) {
      lexer_.accept("}");
      if (--open_ == 0 && generic_) TRY_VOID(behind_generic_module());
      return parser_.location(nullptr);
    }
    if (lexer_.accept("{-#")) return resources();
    const size_t start = lexer_.position();
    if (c == '"') {
      TRY(const std::string_view name, lexer_.expect_quoted("an operation"));
      return generic(name, start);
    }
    const std::string_view word = lexer_.word();
    if (word == "module") return module_header();
    if (word == "func.func" || word == "func") return function();
    if (word == "sdy.mesh") return mesh();
    lexer_.rewind(start);
    if (lexer_.starts_with("[unknown]")) return pretty_locations(start);
    if (word.find('.') == std::string_view::npos)
      return lexer_.expected("module, func.func, sdy.mesh or an alias");
    // Whatever else a dialect says of a module means nothing to a program.
    TRY_VOID(parser_.op());
    return {};
  }

  // As pretty_debug_info prints them, without "loc(…)" around: MLIR does not read that either.
  Error pretty_locations(size_t place) const {
    Error out = lexer_.error_at(place, "locations in MLIR's pretty form, which cannot be read back");
    out.fix = "print the module with enable_debug_info=True alone, without pretty_debug_info";
    return out;
  }

  // "#name = value", "!name = type".
  Result<void> alias(MlirAliases& aliases) {
    const size_t start = lexer_.position();
    lexer_.rewind(start + 1);
    const std::string_view name = lexer_.suffix();
    if (name.empty()) return lexer_.expected("the name of an alias");
    TRY_VOID(lexer_.expect("="));
    TRY(const std::string_view value, lexer_.balanced("\n"));
    if (value.empty()) return lexer_.expected("what the alias stands for");
    constexpr std::string_view kLocation = "loc";  // "#loc", "#loc12"
    const bool of_location = name.starts_with(kLocation) &&
                             name.find_first_not_of("0123456789", kLocation.size()) == std::string_view::npos;
    if (of_location && !value.starts_with("loc(")) return pretty_locations(start);
    if (!aliases.emplace(name, value).second)
      return lexer_.error_at(start, "alias '" + std::string(name) + "' is defined twice");
    return {};
  }

  // "module @name attributes {…} {"
  Result<void> module_header() {
    if (lexer_.accept("@")) {
      TRY(module_.name, symbol());
    }
    if (lexer_.accept_word("attributes")) TRY_VOID(parser_.dictionary(module_.attributes));
    TRY_VOID(lexer_.expect("{"));
    ++open_;
    return {};
  }

  // Behind '@'.
  Result<std::string_view> symbol() {
    if (lexer_.peek() == '"') return lexer_.expect_quoted("a name");
    const std::string_view name = lexer_.suffix();
    if (name.empty()) return lexer_.expected("a name");
    return name;
  }

  // "func.func public @f(…) -> … attributes {…} {…}"
  Result<void> function() {
    MlirFunction f;
    f.is_public = !lexer_.accept_word("private");
    lexer_.accept_word("public");
    f.place = lexer_.position();
    TRY_VOID(lexer_.expect("@"));
    TRY(f.name, symbol());
    f.header = lexer_.position();
    TRY_VOID(lexer_.bracket());
    if (lexer_.accept("->")) {
      if (lexer_.peek() == '(') {
        TRY_VOID(lexer_.bracket());
      } else {
        TRY_VOID(types_.read(lexer_));
      }
    }
    if (lexer_.accept_word("attributes")) TRY_VOID(lexer_.bracket());
    if (!lexer_.starts_with("{")) return lexer_.expected("'{' and the body of the function");
    TRY_VOID(lexer_.skip_braces());
    TRY_VOID(parser_.location(nullptr));
    return keep(f);
  }

  Result<void> keep(const MlirFunction& f) {
    if (!module_.by_name.emplace(f.name, module_.functions.size()).second)
      return lexer_.error_at(f.place, "function '" + std::string(f.name) + "' is defined twice");
    module_.functions.push_back(f);
    return {};
  }

  // "sdy.mesh @m = <…>"
  Result<void> mesh() {
    MlirMeshText made;
    TRY_VOID(lexer_.expect("@"));
    TRY(made.name, symbol());
    TRY_VOID(lexer_.expect("="));
    TRY(made.text, lexer_.bracket());
    if (lexer_.starts_with("{")) TRY_VOID(parser_.dictionary(made.attributes));
    module_.meshes.push_back(std::move(made));
    return parser_.location(nullptr);
  }

  Result<void> generic(std::string_view name, size_t start) {
    if (name == "builtin.module") return generic_module();
    std::vector<MlirAttribute> properties, said;
    TRY_VOID(lexer_.expect("("));
    TRY_VOID(lexer_.expect(")"));
    if (lexer_.accept("<")) {
      TRY_VOID(parser_.dictionary(properties));
      TRY_VOID(lexer_.expect(">"));
    }
    if (lexer_.starts_with("(")) TRY_VOID(lexer_.bracket());
    if (lexer_.starts_with("{")) TRY_VOID(parser_.dictionary(said));
    TRY_VOID(lexer_.expect(":"));
    TRY_VOID(lexer_.bracket());
    TRY_VOID(lexer_.expect("->"));
    TRY_VOID(lexer_.bracket());
    TRY_VOID(parser_.location(nullptr));
    if (name != "func.func" && name != "sdy.mesh") return {};
    // Older text has no properties: all is in the one dictionary.
    if (properties.empty()) std::swap(properties, said);
    const auto value = [&](std::string_view key) {
      const auto at = std::ranges::find(properties, key, &MlirAttribute::key);
      return at == properties.end() ? std::string_view() : at->value;
    };
    std::string_view symbol = value("sym_name");
    if (symbol.size() < 2) return lexer_.error_at(start, std::string(name) + " without sym_name");
    symbol = symbol.substr(1, symbol.size() - 2);
    if (name == "func.func")
      return keep({symbol, start, start, true, value("sym_visibility") != "\"private\""});
    module_.meshes.push_back({symbol, value("mesh"), std::move(said)});
    return {};
  }

  // "builtin.module"() <{…}> ({ … }) {…} : () -> ()
  Result<void> generic_module() {
    TRY_VOID(lexer_.expect("("));
    TRY_VOID(lexer_.expect(")"));
    if (lexer_.accept("<")) {
      TRY_VOID(parser_.dictionary(module_.attributes));
      TRY_VOID(lexer_.expect(">"));
    }
    TRY_VOID(lexer_.expect("("));
    TRY_VOID(lexer_.expect("{"));
    if (lexer_.accept("^")) {
      lexer_.suffix();
      TRY_VOID(lexer_.expect(":"));
    }
    generic_ = true;
    ++open_;
    return {};
  }

  Result<void> behind_generic_module() {
    generic_ = false;
    TRY_VOID(lexer_.expect(")"));
    if (lexer_.starts_with("{")) TRY_VOID(parser_.dictionary(module_.attributes));
    TRY_VOID(lexer_.expect(":"));
    TRY_VOID(lexer_.expect("("));
    TRY_VOID(lexer_.expect(")"));
    TRY_VOID(lexer_.expect("->"));
    TRY_VOID(lexer_.expect("("));
    return lexer_.expect(")");
  }

  // {-# dialect_resources: { builtin: { key: "0x…" } } #-}; '{' is read.
  Result<void> resources() {
    while (!lexer_.accept("#-}")) {
      const size_t start = lexer_.position();
      const std::string_view key = lexer_.word();
      if (!key.empty() && lexer_.accept(":") && lexer_.peek() == '"') {
        TRY(module_.resources[key], lexer_.expect_quoted("a resource"));
      } else if (lexer_.at_end()) {
        return lexer_.expected("'#-}'");
      } else if (lexer_.end_of_token() == start) {
        lexer_.rewind(start + 1);
      }
    }
    return {};
  }

  MlirModule module_;
  MlirLexer lexer_;
  MlirTypes types_;
  MlirParser parser_;
  int open_ = 0;
  bool generic_ = false;
};

}  // namespace

Result<MlirModule> read_mlir_module(MlirLexer lexer) {
  return ModuleReader(lexer).read();
}

const MlirFunction* MlirModule::find(std::string_view function) const {
  const auto at = by_name.find(function);
  return at == by_name.end() ? nullptr : &functions[at->second];
}

const MlirFunction* MlirModule::entry() const {
  if (const MlirFunction* main = find("main")) return main;
  const MlirFunction* first = nullptr;
  for (const MlirFunction& f : functions) {
    if (f.is_public) return &f;
    if (first == nullptr) first = &f;
  }
  return first;
}

Result<std::string_view> MlirModule::resolved(MlirLexer& lexer, std::string_view text) const {
  const size_t place = text.empty() ? 0 : lexer.place_of(text);
  for (int depth = 0; depth < kMostAliases; ++depth) {
    if (text.empty() || text.front() != '#') return text;
    const auto found = attribute_aliases.find(text.substr(1));
    if (found == attribute_aliases.end()) return text;
    text = found->second;
  }
  return lexer.error_at(place, "alias '" + std::string(text) + "' stands for itself");
}

}  // namespace shardscope::inline program
