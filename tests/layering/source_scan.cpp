// SPDX-License-Identifier: Apache-2.0
#include "tests/layering/source_scan.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

namespace shardscope::layering {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where the quoted text that begins at `at` ends.
size_t end_of_quoted(const std::string& text, size_t at) {
  if (text[at] == '"' && at > 0 && text[at - 1] == 'R') {
    const size_t open = text.find('(', at);
    const std::string close = ")" + text.substr(at + 1, open - at - 1) + "\"";
    return text.find(close, open) + close.size();
  }
  size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

void blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i < std::min(end, text.size()); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

// Where the parameters of what `head` declares open; npos where it declares no function.
size_t parameters_of(const std::string& head) {
  int angles = 0;
  for (size_t i = 0; i < head.size(); ++i) {
    const char c = head[i];
    if (head.compare(i, 8, "operator") == 0 && (i == 0 || !is_word(head[i - 1]))) {
      const size_t open = head.find('(', i);
      return open != std::string::npos && head.compare(open, 2, "()") == 0 &&
                     head.find('(', open + 1) != std::string::npos && open == i + 8
                 ? head.find('(', open + 1)
                 : open;
    }
    if (c == '<') ++angles;
    if (c == '>' && head[i - 1] != '-') --angles;
    if (c == '=' && angles == 0) return std::string::npos;
    if (c == '(' && angles == 0) return i > 0 && is_word(head[i - 1]) ? i : std::string::npos;
  }
  return std::string::npos;
}

std::vector<std::string> parameters_from(const std::string& head, size_t open) {
  std::vector<std::string> out;
  std::string one;
  int depth = 0;
  for (size_t i = open + 1; i < head.size(); ++i) {
    const char c = head[i];
    if (c == ')' && depth == 0) break;
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if (c == ')' || (c == '>' && head[i - 1] != '-') || c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0)
      out.push_back(std::exchange(one, ""));
    else if (!one.empty() || c != ' ')
      one += c;
  }
  if (!one.empty() && one != "void") out.push_back(one);
  return out;
}

// One pass over blanked code: `head_` is what was read since the last statement ended.
class Scan {
 public:
  explicit Scan(const std::string& code) : code_(code) {}
  FoundInFile run();

 private:
  enum class Kind { space, type, function, other };
  struct Scope {
    Kind kind = Kind::space;
    size_t found = 0;  // of the class or function it is
    std::string name;  // of a namespace, from the outermost on: "a::b::"; "-" within one that has none
  };

  void open(size_t at);
  void close();
  void declare();
  void forget() { head_.clear(), parens_ = 0; }
  bool addFunction();
  void addType();
  void addConstant();
  bool isHidden() const { return scopes_.back().kind == Kind::space && scopes_.back().name == "-"; }
  std::string spaceOpened() const;
  void read(char c);

  const std::string& code_;
  FoundInFile out_;
  std::vector<Scope> scopes_ = {{}};
  std::string head_;
  int head_line_ = 0, line_ = 1, parens_ = 0, braces_in_head_ = 0;
};

bool Scan::addFunction() {
  const size_t open = parameters_of(head_);
  if (open == std::string::npos) return false;
  size_t begin = open;
  if (const size_t named = head_.rfind("operator", open); named != std::string::npos) {
    begin = named;
  } else {
    while (begin > 0 && (is_word(head_[begin - 1]) || head_[begin - 1] == ':' || head_[begin - 1] == '~'))
      --begin;
  }
  static const std::regex not_counted("= (default|delete)$|^(friend|static_assert|using|typedef)\\b");
  if (std::regex_search(head_, not_counted)) return false;
  out_.functions.push_back({head_.substr(begin, open - begin), head_line_, 0, parameters_from(head_, open)});
  if (scopes_.back().kind == Kind::type) ++out_.classes[scopes_.back().found].methods;
  return true;
}

// The full name of the namespace that `head_` opens; inline ones, which name a module, are left out: within
// one namespace two modules have no type of one name.
std::string Scan::spaceOpened() const {
  static const std::regex named("^(?:inline )?namespace ([\\w:]+)");
  static const std::regex modules("::inline \\w+");
  const std::string& outer = scopes_.back().name;
  std::smatch match;
  if (head_.starts_with("extern")) return outer;
  const std::string head = std::regex_replace(head_, modules, "");
  return outer != "-" && std::regex_search(head, match, named) ? outer + match[1].str() + "::" : "-";
}

// A specialization of a template has its template's name.
void Scan::addType() {
  static const std::regex type(
      "^(?:template <.+> )?(?:class|struct|union|enum class|enum struct|enum) (\\w+)(?!::|<|\\w)");
  const Scope& outer = scopes_.back();
  std::smatch match;
  if (outer.kind != Kind::space || head_.starts_with("template <>") ||
      !std::regex_search(head_, match, type) || parameters_of(head_) != std::string::npos)
    return;
  if (isHidden())
    out_.hidden.push_back(match[1]);
  else
    out_.types.push_back(outer.name + match[1].str());
}

void Scan::addConstant() {
  static const std::regex constant(
      "^(?:static |inline )?(?:constexpr|const) .*?(\\w+)(?:\\[\\w*\\])*(?: = .*|\\{.*)?$");
  std::smatch match;
  if (isHidden() && parameters_of(head_) == std::string::npos && std::regex_search(head_, match, constant))
    out_.hidden.push_back(match[1]);
}

void Scan::open(size_t at) {
  static const std::regex space("^(inline )?namespace\\b|^extern ");
  static const std::regex type("^(template <.*> )?(class|struct|union) (\\w+)");
  const Kind outer = scopes_.back().kind;
  std::smatch match;
  addType();
  addConstant();
  if (outer == Kind::function || outer == Kind::other) {
    scopes_.push_back({Kind::other, 0, {}});
  } else if (std::regex_search(head_, space)) {
    scopes_.push_back({Kind::space, 0, spaceOpened()});
  } else if (std::regex_search(head_, match, type) && parameters_of(head_) == std::string::npos) {
    scopes_.push_back({Kind::type, out_.classes.size(), {}});
    out_.classes.push_back({match[3], head_line_, 0});
  } else if (code_[at - 1] == ' ' && addFunction()) {
    scopes_.push_back({Kind::function, out_.functions.size() - 1, {}});
  } else {
    scopes_.push_back({Kind::other, 0, {}});
  }
  forget();
}

void Scan::close() {
  const Scope scope = scopes_.back();
  if (scopes_.size() > 1) scopes_.pop_back();
  if (scope.kind == Kind::function) {
    FoundFunction& function = out_.functions[scope.found];
    function.lines = line_ - function.line + 1;
  }
  forget();
}

void Scan::declare() {
  const Kind kind = scopes_.back().kind;
  addConstant();
  if (kind == Kind::space || kind == Kind::type) addFunction();
  forget();
}

void Scan::read(char c) {
  if (c == '(') ++parens_;
  if (c == ')') --parens_;
  const bool blank = c == ' ' || c == '\n';
  if (blank && (head_.empty() || head_.back() == ' ')) return;
  if (head_.empty()) head_line_ = line_;
  head_ += blank ? ' ' : c;
  static const std::regex label("^(Q_OBJECT|public ?:|private ?:|protected ?:|Q_SIGNALS ?:)$");
  if ((c == ':' || c == 'T') && std::regex_match(head_, label)) forget();
}

FoundInFile Scan::run() {
  static const std::regex fields(".*\\) (const |noexcept )*: .*");
  for (size_t i = 0; i < code_.size(); ++i) {
    const char c = code_[i];
    // Braces among parameters and of a constructor's initial values end nothing.
    const bool value = parens_ > 0 || braces_in_head_ > 0 ||
                       (c == '{' && i > 0 && code_[i - 1] != ' ' && std::regex_match(head_, fields));
    if (c == '{' && value) ++braces_in_head_;
    if (c == '}' && value) --braces_in_head_;
    if (c == '{' && !value)
      open(i);
    else if (c == '}' && !value)
      close();
    else if (c == ';' && !value)
      declare();
    else
      read(c);
    if (c == '\n') ++line_;
  }
  return out_;
}

}  // namespace

std::string code_of(const std::string& text) {
  std::string out = text;
  bool line_begins = true;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0 || (line_begins && text[i] == '#')) {
      end = text.find('\n', i);
      while (text[i] == '#' && end != std::string::npos && text[end - 1] == '\\')
        end = text.find('\n', end + 1);
      if (end == std::string::npos) end = text.size();
      blank(out, i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      end = text.find("*/", i) + 2;
      blank(out, i, end);
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
      end = end_of_quoted(text, i);
      blank(out, i + 1, end - 1);
    } else {
      line_begins = text[i] == '\n' || (line_begins && text[i] == ' ');
    }
    i = end;
  }
  return out;
}

FoundInFile scan_code(const std::string& code) {
  return Scan(code).run();
}

}  // namespace shardscope::layering
