// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/print.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::kernels {
namespace {

constexpr size_t kWidth = 100;

// How tightly an expression holds together; an operand that holds looser stands in brackets.
int strength(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::choice:
      return 0;
    case Expr::Kind::binary:
      if (e.word == "or") return 1;
      if (e.word == "and") return 2;
      if (e.word == "+" || e.word == "-") return 5;
      return e.word == "*" || e.word == "//" || e.word == "%" ? 6 : 4;
    case Expr::Kind::unary:
      return e.word == "not" ? 3 : 7;
    default:
      return 8;
  }
}

std::string quoted(const std::string& text) {
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return quote + text + quote;
}

class Printer {
 public:
  explicit Printer(const KernelText& text) : text_(text) {}

  std::string held(const Expr& e, int least) const {
    return strength(e) < least ? "(" + shown(e) + ")" : shown(e);
  }

  std::string listed(const std::vector<Expr>& parts, size_t first) const {
    std::vector<std::string> out;
    for (size_t i = first; i < parts.size(); ++i) out.push_back(shown(parts[i]));
    return join(out, ", ");
  }

  const std::string& name(int32_t number) const { return text_.names[static_cast<size_t>(number)]; }

  std::string shown(const Expr& e) const {
    switch (e.kind) {
      case Expr::Kind::number:
        return std::to_string(e.number);
      case Expr::Kind::text:
        return quoted(e.word);
      case Expr::Kind::name:
        return name(e.name);
      case Expr::Kind::unary:
        return e.word + (e.word == "not" ? " " : "") + held(e.parts[0], strength(e));
      case Expr::Kind::binary:
        return fmt::format("{} {} {}", held(e.parts[0], strength(e)), e.word,
                           held(e.parts[1], strength(e) + 1));
      case Expr::Kind::choice:
        return fmt::format("{} if {} else {}", held(e.parts[0], 1), held(e.parts[1], 1), held(e.parts[2], 0));
      case Expr::Kind::call:
        return called(e);
      case Expr::Kind::attribute:
        return held(e.parts[0], 8) + "." + e.word;
      case Expr::Kind::subscript:
        return held(e.parts[0], 8) + "[" + listed(e.parts, 1) + "]";
      case Expr::Kind::tuple:
        return "(" + listed(e.parts, 0) + (e.parts.size() == 1 ? ",)" : ")");
      case Expr::Kind::list:
        return "[" + listed(e.parts, 0) + "]";
      case Expr::Kind::everything:
        return e.word;
    }
    return {};
  }

  void print(const std::vector<Statement>& statements, size_t depth) {
    for (const Statement& s : statements) {
      const std::string indent(4 * depth, ' ');
      for (const std::string& comment : s.comments) out_ += comment.empty() ? "\n" : indent + comment + "\n";
      out_ += wrapped(indent + line_of(s));
      if (!s.remark.empty()) out_ += "  " + s.remark;
      out_ += "\n";
      print(s.body, depth + 1);
    }
  }

  std::string all() {
    for (const std::string& comment : text_.comments) out_ += comment + "\n";
    out_ += "kernel " + text_.id + "\n";
    if (!text_.title.empty()) out_ += "title " + quoted(text_.title) + "\n";
    if (!text_.axes.empty()) out_ += "axes " + join(text_.axes, ", ") + "\n";
    if (!text_.result.empty()) out_ += "result " + text_.result + "\n";
    if (text_.broken) out_ += text_.mended.empty() ? "broken\n" : "broken, mended by " + text_.mended + "\n";
    print(text_.body, 0);
    for (const std::string& comment : text_.ending) out_ += comment + "\n";
    return out_;
  }

 private:
  std::string called(const Expr& e) const {
    std::vector<std::string> parts;
    for (size_t i = 1; i < e.parts.size(); ++i)
      parts.push_back((e.keys[i].empty() ? "" : e.keys[i] + "=") + shown(e.parts[i]));
    return held(e.parts[0], 8) + "(" + join(parts, ", ") + ")";
  }

  std::string names(const std::vector<int32_t>& targets, size_t first = 0) const {
    std::vector<std::string> out;
    for (size_t i = first; i < targets.size(); ++i) out.push_back(name(targets[i]));
    return join(out, ", ");
  }

  std::string line_of(const Statement& s) const {
    switch (s.kind) {
      case Statement::Kind::size:
        return fmt::format("size {} = {}", name(s.targets[0]), shown(s.values[0]));
      case Statement::Kind::assign:
        return names(s.targets) + " = " + listed(s.values, 0);
      case Statement::Kind::store:
        return fmt::format("{} {} {}", shown(s.values[0]), s.word, shown(s.values[1]));
      case Statement::Kind::call:
        return shown(s.values[0]);
      case Statement::Kind::loop:
        return fmt::format("for {} in {}:", names(s.targets), shown(s.values[0]));
      case Statement::Kind::when:
        return fmt::format("when {}:", shown(s.values[0]));
      case Statement::Kind::scope: {
        std::vector<std::string> parts;
        for (size_t i = 0; i < s.values.size(); ++i)
          parts.push_back(shown(s.values[i]) + " as " + name(s.targets[i]));
        return "with " + join(parts, ", ") + ":";
      }
      case Statement::Kind::function:
        return fmt::format("def {}({}):", name(s.targets[0]), names(s.targets, 1));
    }
    return {};
  }

  // Broken behind the commas of its first brackets, below their first letter.
  static std::string wrapped(const std::string& line) {
    if (line.size() <= kWidth) return line;
    const size_t open = line.find_first_of("([");
    if (open == std::string::npos) return line;
    std::string out = line.substr(0, open + 1);
    const std::string indent(open + 1, ' ');
    size_t column = open + 1, from = open + 1;
    int depth = 1;
    char quote = 0;
    const auto put = [&](size_t end) {
      const std::string part = line.substr(from, end - from);
      if (column + part.size() > kWidth && column > open + 1) {
        if (out.back() == ' ') out.pop_back();
        out += "\n" + indent;
        column = open + 1;
      }
      out += part;
      column += part.size();
      from = end;
    };
    for (size_t i = open + 1; i < line.size() && depth > 0; ++i) {
      const char c = line[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
        continue;
      }
      if (c == '"' || c == '\'') quote = c;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (depth == 1 && c == ',' && i + 1 < line.size() && line[i + 1] == ' ') put(i + 2);
    }
    put(line.size());
    return out;
  }

  const KernelText& text_;
  std::string out_;
};

}  // namespace

std::string print_kernel(const KernelText& text) {
  return Printer(text).all();
}

std::string print_expression(const KernelText& text, const Expr& expression) {
  return Printer(text).shown(expression);
}

}  // namespace shardscope::kernels
