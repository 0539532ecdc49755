// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/kernels/text/expression_parser.h"

namespace shardscope::kernels {
namespace {

constexpr size_t kDeepestBlock = 16;

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(token_lines(text)), names_(out_.text.names) {
    out_.problems = std::move(lines_.problems);
    out_.text.ending = std::move(lines_.ending);
  }

  ParsedKernel read() {
    read_header();
    out_.text.body = block(0, 0);
    std::stable_sort(out_.problems.begin(), out_.problems.end(), [](const auto& a, const auto& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return std::move(out_);
  }

 private:
  void problem(const TextPlace& place, std::string what, std::string fix = "") {
    out_.problems.push_back({place, 1, std::move(what), std::move(fix)});
  }
  const TokenLine& now() const { return lines_.lines[at_]; }
  bool more() const { return at_ < lines_.lines.size(); }

  static bool is_header(const TokenLine& line) {
    const Token& first = line.tokens.front();
    if (line.indent != 0 || first.kind != Token::Kind::name) return false;
    const Token& second = line.tokens[1 < line.tokens.size() ? 1 : 0];
    if (first.word == "broken") return second.kind == Token::Kind::end || second.word == ",";
    const bool names = first.word == "kernel" || first.word == "axes" || first.word == "result";
    return (names && second.kind == Token::Kind::name) ||
           (first.word == "title" && second.kind == Token::Kind::text);
  }

  void read_header() {
    const bool named = more() && is_header(now()) && now().tokens.front().word == "kernel";
    if (!named)
      problem({more() ? now().tokens.front().place.line : 1, 1}, "a kernel begins with its name",
              "write a line 'kernel my.kernel'");
    if (more()) out_.text.comments = std::exchange(lines_.lines[at_].comments, {});
    while (more() && is_header(now())) {
      ExpressionParser line(now().tokens, names_);
      read_header_line(line);
      if (!line.problem() && !line.at_end()) line.fail(line.now(), "expected nothing more on this line", "");
      if (line.problem()) out_.problems.push_back(*line.problem());
      ++at_;
    }
  }

  // "ag.ring".
  static std::string id(ExpressionParser& line) {
    std::string out;
    const auto part = [&] {
      const Token token = line.next();
      if (token.kind != Token::Kind::name && token.kind != Token::Kind::number)
        line.fail(token, "expected the name of a kernel, as in ag.ring", "");
      out += token.word;
    };
    part();
    while (!line.problem() && line.accept(".")) {
      out += ".";
      part();
    }
    return out;
  }

  void read_header_line(ExpressionParser& line) {
    KernelText& text = out_.text;
    const Token word = line.next();
    if (word.word == "kernel") {
      if (!text.id.empty())
        line.fail(word, "a text has one kernel", "put the other one into a text of its own");
      text.id = id(line);
    } else if (word.word == "title") {
      text.title = line.next().word;
    } else if (word.word == "result") {
      text.result = line.next().word;
    } else if (word.word == "axes") {
      do {
        const Token axis = line.next();
        const std::string expected(1, static_cast<char>('x' + text.axes.size()));
        if (axis.word != expected || text.axes.size() > 2)
          line.fail(axis, "expected axes x; x, y; or x, y, z", "they are the first ones of the mesh");
        text.axes.push_back(axis.word);
      } while (!line.problem() && line.accept(","));
    } else {
      text.broken = true;
      if (!line.accept(",")) return;
      if (line.expect("mended") && line.expect("by")) text.mended = id(line);
    }
  }

  std::vector<Statement> block(size_t depth, int32_t indent) {
    std::vector<Statement> out;
    while (more() && now().indent >= indent) {
      if (now().indent > indent)
        problem(now().tokens.front().place, "the line is indented, nothing above opens a block");
      out.push_back(statement(depth));
    }
    return out;
  }

  Statement statement(size_t depth) {
    const TokenLine& tokens = now();
    const int32_t indent = tokens.indent;
    ExpressionParser line(tokens.tokens, names_);
    Statement out;
    out.place = tokens.tokens.front().place;
    out.comments = tokens.comments;
    out.remark = tokens.remark;
    const bool opens = read_statement(line, out);
    if (opens) line.expect(":");
    if (!line.problem() && !line.at_end())
      line.fail(line.now(), "expected nothing more on this line", "write a statement on a line of its own");
    if (line.problem()) out_.problems.push_back(*line.problem());
    ++at_;
    if (!opens) return out;
    if (depth >= kDeepestBlock) {
      problem(out.place, fmt::format("blocks nest deeper than {}", kDeepestBlock));
      while (more() && now().indent > indent) ++at_;
    } else if (!more() || now().indent <= indent) {
      problem(out.place, "the block is empty", "indent what belongs to it by four blanks");
    } else {
      out.body = block(depth + 1, now().indent);
    }
    return out;
  }

  // Whether a block follows.
  bool read_statement(ExpressionParser& line, Statement& out) {
    using Kind = Statement::Kind;
    if (line.accept("size")) {
      out.kind = Kind::size;
      out.targets = {line.name("the name of a size")};
      line.expect("=");
      out.values.push_back(line.expression());
      return false;
    }
    if (line.accept("for")) {
      out.kind = Kind::loop;
      out.targets = line.names("a name to count by");
      line.expect("in");
      out.values.push_back(line.expression());
      return true;
    }
    if (line.accept("when")) {
      out.kind = Kind::when;
      out.values.push_back(line.expression());
      return true;
    }
    if (line.accept("with")) {
      out.kind = Kind::scope;
      do {
        out.values.push_back(line.expression());
        line.expect("as");
        out.targets.push_back(line.name("a name for the buffer"));
      } while (!line.problem() && line.accept(","));
      return true;
    }
    if (line.accept("def")) {
      out.kind = Kind::function;
      out.targets = {line.name("the name of the function")};
      line.expect("(");
      if (!line.is(")")) {
        for (const int32_t parameter : line.names("a parameter")) out.targets.push_back(parameter);
      }
      line.expect(")");
      return true;
    }
    read_plain(line, out);
    return false;
  }

  static void read_plain(ExpressionParser& line, Statement& out) {
    const Token first = line.now();
    Expr left = line.expressions();
    const bool adds = line.is("+=");
    if (!adds && !line.is("=")) {
      out.kind = Statement::Kind::call;
      if (left.kind != Expr::Kind::call)
        line.fail(first, "the line does nothing", "call a function, or give the value a name");
      out.values.push_back(std::move(left));
      return;
    }
    const Token sign = line.next();
    if (left.kind == Expr::Kind::subscript) {
      out.kind = Statement::Kind::store;
      out.word = sign.word;
      out.values.push_back(std::move(left));
      out.values.push_back(line.expression());
      return;
    }
    out.kind = Statement::Kind::assign;
    const std::vector<Expr> names =
        left.kind == Expr::Kind::tuple ? std::move(left.parts) : std::vector<Expr>{std::move(left)};
    for (const Expr& name : names) {
      if (name.kind != Expr::Kind::name)
        line.fail(first, "a value is given to a name or to a part of a buffer",
                  "as in a = 1 or a[...] = b[...]");
      out.targets.push_back(name.name);
    }
    if (adds) line.fail(sign, "+= adds to a buffer", "write a[...] += …, or a = a + …");
    Expr right = line.expressions();
    const bool several = names.size() > 1;
    if (several && (right.kind != Expr::Kind::tuple || right.parts.size() != names.size()))
      line.fail(sign, fmt::format("expected {} values, one for each name", names.size()), "");
    if (several) {
      out.values = std::move(right.parts);
    } else {
      out.values.push_back(std::move(right));
    }
  }

  TokenLines lines_;
  size_t at_ = 0;
  ParsedKernel out_;
  NameTable names_;
};

}  // namespace

ParsedKernel parse_kernel_lines(std::string_view text) {
  if (text.size() > kMostKernelText) {
    ParsedKernel out;
    out.problems.push_back(
        {{1, 1},
         1,
         fmt::format("the text has {} letters, a kernel has up to {}", text.size(), kMostKernelText),
         ""});
    return out;
  }
  return Parser(text).read();
}

Error problem_error(const TextProblem& problem, std::string_view file) {
  return invalid(problem.what, fmt::format("{}:{}:{}", file, problem.place.line, problem.place.column),
                 problem.fix);
}

Result<KernelText> parse_kernel_text(std::string_view text, std::string_view file) {
  ParsedKernel parsed = parse_kernel_lines(text);
  if (!parsed.problems.empty()) return problem_error(parsed.problems.front(), file);
  return std::move(parsed.text);
}

}  // namespace shardscope::kernels
