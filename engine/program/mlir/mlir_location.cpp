// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_location.h"

#include "engine/program/text/hlo_text.h"

namespace shardscope::inline program {
namespace {

constexpr int kMostNested = 256;   // locations, one inside the other
constexpr int kMostParts = 2'000;  // of one location, aliases counted each time

class LocationReader {
 public:
  LocationReader(const MlirLexer& whole, const MlirModule& module) : whole_(whole), module_(module) {}

  MlirSource read(std::string_view text) {
    MlirLexer lexer = whole_.within(text);
    location(lexer, 0);
    return std::move(found_);
  }

 private:
  // location = #alias | loc(…) | callsite(location at location) | fused<…>?[location, …] | "name"(location)
  //          | "file":7:6 to :30 | unknown; false: it is none of them, or goes too deep.
  bool location(MlirLexer& lexer, int depth) {
    if (depth > kMostNested || ++parts_ > kMostParts) return false;
    if (lexer.accept("#")) return alias(lexer.suffix(), depth);
    if (lexer.peek() == '"') return quoted(lexer, depth);
    const std::string_view word = lexer.word();
    if (word == "loc") return lexer.accept("(") && location(lexer, depth + 1) && lexer.accept(")");
    if (word == "callsite")
      return lexer.accept("(") && location(lexer, depth + 1) && lexer.accept_word("at") &&
             location(lexer, depth + 1) && lexer.accept(")");
    if (word == "fused") return fused(lexer, depth);
    return word == "unknown";
  }

  bool alias(std::string_view name, int depth) {
    const auto text = module_.attribute_aliases.find(name);
    if (text == module_.attribute_aliases.end()) return false;
    MlirLexer lexer = whole_.within(text->second);
    return location(lexer, depth + 1);
  }

  bool quoted(MlirLexer& lexer, int depth) {
    const auto text = lexer.expect_quoted("a name");
    if (!text.ok()) return false;
    if (lexer.accept(":")) {
      const auto line = lexer.integer();
      if (line) frame(*text, *line);
      return line && range(lexer);
    }
    if (found_.name.empty()) found_.name = mlir_unescaped(*text);
    return !lexer.accept("(") || (location(lexer, depth + 1) && lexer.accept(")"));
  }

  // ":6", ":6 to :30", ":6 to 8:30" behind the line.
  static bool range(MlirLexer& lexer) {
    if (lexer.accept(":") && !lexer.integer()) return false;
    if (!lexer.accept_word("to")) return true;
    lexer.integer();
    return lexer.accept(":") && lexer.integer().has_value();
  }

  bool fused(MlirLexer& lexer, int depth) {
    if (lexer.starts_with("<") && !lexer.bracket().ok()) return false;
    if (!lexer.accept("[")) return false;
    while (!lexer.accept("]")) {
      if (!location(lexer, depth + 1)) return false;
      if (!lexer.accept(",") && !lexer.starts_with("]")) return false;
    }
    return true;
  }

  // Frames come innermost first.
  void frame(std::string_view file, int64_t line) {
    const std::string path = mlir_unescaped(file);
    const bool users = is_users_file(path);
    if (of_user_ || (!found_.file.empty() && !users)) return;
    of_user_ = users;
    found_.file = path;
    found_.line = std::to_string(line);
  }

  const MlirLexer& whole_;
  const MlirModule& module_;
  MlirSource found_;
  bool of_user_ = false;  // the frame that was found is
  int parts_ = 0;
};

}  // namespace

MlirSource mlir_source(const MlirLexer& lexer, const MlirModule& module, std::string_view text) {
  return LocationReader(lexer, module).read(text);
}

}  // namespace shardscope::inline program
