// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/outline.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/program/analysis/repeated_parts.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostScopes = 64;              // of one path
constexpr size_t kFewestToSearchForParts = 24;  // instructions without a scope of their own

uint64_t mixed(uint64_t seed, uint64_t value) {
  uint64_t x = seed ^ (value + 0x9E3779B97F4A7C15U + (seed << 6U) + (seed >> 2U));
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  return x ^ (x >> 27U);
}

uint64_t of_shape(const Shape& shape) {
  uint64_t out = static_cast<uint64_t>(shape.type) + (shape.is_tuple ? 1000U : 0U);
  for (const int64_t size : shape.dims) out = mixed(out, static_cast<uint64_t>(size));
  for (const Shape& element : shape.elements) out = mixed(out, of_shape(element));
  return out;
}

uint64_t of_instruction(const Instruction& i) {
  uint64_t out = mixed(static_cast<uint64_t>(i.opcode), of_shape(i.shape));
  return mixed(out, i.operands.size());
}

// The scopes of an op_name: "jit(step)/layer_3/dot_general" is an operation in jit(step) in layer_3.
std::vector<std::string_view> scopes_of(std::string_view op_name) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < op_name.size() && out.size() < kMostScopes; ++i) {
    const char c = op_name[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != '/' || depth > 0) continue;
    if (i > begin) out.push_back(op_name.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

// What is left of a title without its last number: "layer_3" is number 3 of "layer_#".
struct Numbered {
  std::string of;
  int64_t number = -1;
};
Numbered numbered(const std::string& title) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t end = title.size();
  while (end > 0 && !is_digit(title[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && is_digit(title[begin - 1])) --begin;
  const auto number = parse_int(std::string_view(title).substr(begin, end - begin));
  if (!number) return {title, -1};
  return {title.substr(0, begin) + "#" + title.substr(end), *number};
}

// A node before its likes are folded.
struct Draft {
  OutlineKind kind = OutlineKind::scope;
  std::string title;
  std::string key{};  // of its parent's by_key
  std::vector<size_t> children{};
  std::map<std::string, size_t, std::less<>> by_key{};
  std::vector<int32_t> own{};         // instructions that are in no child, by Program::global_index
  std::vector<RepeatedPart> parts{};  // of `own`
  uint64_t structure = 0;
  int32_t first = -1;
};

class Outliner {
 public:
  explicit Outliner(const Program& program) : program_(program) {
    out_.places.resize(static_cast<size_t>(program.instruction_count()));
    int32_t first = 0;
    for (const Computation& c : program.computations) {
      first_.push_back(first);
      first += static_cast<int32_t>(c.instructions.size());
    }
  }

  Outline outline() && {
    const std::vector<ComputationId> shown = walked();
    std::vector<bool> is_shown(program_.computations.size(), false);
    for (const ComputationId c : shown) {
      is_shown[static_cast<size_t>(c.value)] = true;
      write(draft(c), -1);
    }
    write_inner(is_shown);
    return std::move(out_);
  }

 private:
  // The entry and what it runs, each once: bodies, branches, calls. Not what is fused or what reduces.
  std::vector<ComputationId> walked() const {
    std::vector<ComputationId> out = {program_.entry};
    std::vector<bool> seen(program_.computations.size(), false);
    seen[static_cast<size_t>(program_.entry.value)] = true;
    for (size_t k = 0; k < out.size(); ++k) {
      for (const Instruction& i : program_.computation(out[k]).instructions) {
        if (operation(i.opcode).cost != CostClass::called || i.opcode == Opcode::fusion) continue;
        for (const CalledComputation& c : i.called) {
          if (seen[static_cast<size_t>(c.computation.value)]) continue;
          seen[static_cast<size_t>(c.computation.value)] = true;
          out.push_back(c.computation);
        }
      }
    }
    return out;
  }

  size_t draft(ComputationId id) {
    const Computation& computation = program_.computation(id);
    const size_t root = add(OutlineKind::computation, computation.name);
    int32_t last_step = -1, pass = 0;
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = computation.instructions[k];
      if (i.provenance->step >= 0 && i.provenance->step < last_step) ++pass;
      if (i.provenance->step >= 0) last_step = i.provenance->step;
      const size_t node = scope(root, i.provenance, pass);
      const int32_t index = first_[static_cast<size_t>(id.value)] + static_cast<int32_t>(k);
      drafts_[node].own.push_back(index);
    }
    find_structure(root);
    return root;
  }

  size_t add(OutlineKind kind, std::string title) {
    drafts_.push_back({kind, std::move(title)});
    return drafts_.size() - 1;
  }

  size_t child(size_t of, OutlineKind kind, std::string title, const std::string& key) {
    const auto found = drafts_[of].by_key.find(key);
    if (found != drafts_[of].by_key.end()) return found->second;
    const size_t made = add(kind, std::move(title));
    drafts_[made].key = key;
    drafts_[of].children.push_back(made);
    drafts_[of].by_key.emplace(key, made);
    return made;
  }

  // Rounds stand in the body that their scopes name, else above all. Two loops one after the other are two
  // passes.
  size_t scope(size_t root, const Provenance& provenance, int32_t pass) {
    const std::vector<std::string_view> path = scopes_of(provenance.op_name);
    size_t body = 0;
    for (size_t k = 1; k < path.size(); ++k)
      if (path[k] == "body" && path[k - 1] == "while") body = k + 1;
    size_t at = root;
    for (size_t k = 0; k <= path.size(); ++k) {
      if (k == body && provenance.step >= 0) {
        const std::string title = fmt::format("step {}", provenance.step);
        at = child(at, OutlineKind::step, title, fmt::format("{} {}", title, body > 0 ? 0 : pass));
      }
      if (k < path.size()) at = child(at, OutlineKind::scope, std::string(path[k]), std::string(path[k]));
    }
    return at;
  }

  const Instruction& instruction(int32_t index) const {
    const auto after = std::ranges::upper_bound(first_, index);
    const auto computation = static_cast<size_t>(after - first_.begin()) - 1;
    return program_.computations[computation].instructions[static_cast<size_t>(index - first_[computation])];
  }

  // Alike are nodes whose instructions and children are, in whatever order they were scheduled.
  void find_structure(size_t node) {
    uint64_t sum = 0;
    int32_t first = -1;
    std::vector<uint64_t> sequence;
    for (const int32_t index : drafts_[node].own) {
      sequence.push_back(of_instruction(instruction(index)));
      sum += mixed(1, sequence.back());
      if (first < 0) first = index;
    }
    if (sequence.size() >= kFewestToSearchForParts) drafts_[node].parts = repeated_parts(sequence);
    for (const size_t c : drafts_[node].children) {
      find_structure(c);
      sum += mixed(text_hash(drafts_[c].title), drafts_[c].structure);
      if (first < 0 || drafts_[c].first < first) first = drafts_[c].first;
    }
    drafts_[node].structure = mixed(static_cast<uint64_t>(drafts_[node].kind), sum);
    drafts_[node].first = first;
    std::ranges::stable_sort(drafts_[node].children, {}, [&](size_t c) { return drafts_[c].first; });
  }

  // Numbered neighbours of one structure, by number; what is alone stands alone. In order of their firsts.
  std::vector<std::vector<size_t>> folded(const std::vector<size_t>& children) const {
    std::vector<std::vector<size_t>> groups;
    std::map<std::pair<std::string, uint64_t>, size_t> group_of;
    for (const size_t c : children) {
      const Numbered title = numbered(drafts_[c].title);
      if (title.number < 0) {
        groups.push_back({c});
        continue;
      }
      const auto [found, is_new] = group_of.try_emplace({title.of, drafts_[c].structure}, groups.size());
      if (is_new) groups.emplace_back();
      groups[found->second].push_back(c);
    }
    for (auto& group : groups)
      std::ranges::stable_sort(group, {}, [&](size_t c) { return numbered(drafts_[c].title).number; });
    return groups;
  }

  // "layer_0–125"; numbers that leave some out: "layer_0, 2, …, 124".
  std::string title_of(const std::vector<size_t>& group) const {
    const std::string& first = drafts_[group.front()].title;
    if (group.size() == 1) return first;
    const Numbered from = numbered(first), to = numbered(drafts_[group.back()].title);
    const int64_t second = numbered(drafts_[group[1]].title).number;
    const bool whole = to.number - from.number == static_cast<int64_t>(group.size()) - 1;
    std::string numbers = fmt::format("{}–{}", from.number, to.number);
    if (!whole && group.size() == 2) numbers = fmt::format("{}, {}", from.number, to.number);
    if (!whole && group.size() > 2) numbers = fmt::format("{}, {}, …, {}", from.number, second, to.number);
    std::string out = from.of;
    return out.replace(out.find('#'), 1, numbers);
  }

  int32_t open(OutlineKind kind, std::string title, int32_t parent, int32_t repeats) {
    OutlineNode& node = out_.nodes.emplace_back();
    node.kind = kind;
    node.title = std::move(title);
    node.parent = parent;
    node.depth = parent < 0 ? 0 : out_.nodes[static_cast<size_t>(parent)].depth + 1;
    node.first = node.last = -1;
    node.repeats = repeats;
    return static_cast<int32_t>(out_.nodes.size()) - 1;
  }

  void close(int32_t number) {
    OutlineNode& node = out_.nodes[static_cast<size_t>(number)];
    node.end = static_cast<int32_t>(out_.nodes.size());
    if (node.parent < 0) return;
    OutlineNode& parent = out_.nodes[static_cast<size_t>(node.parent)];
    parent.count += node.count;
    if (parent.first < 0 || (node.first >= 0 && node.first < parent.first)) parent.first = node.first;
    parent.last = std::max(parent.last, node.last);
  }

  void put(int32_t instruction, int32_t number, int32_t repeat) {
    OutlineNode& node = out_.nodes[static_cast<size_t>(number)];
    ++node.count;
    if (node.first < 0 || instruction < node.first) node.first = instruction;
    node.last = std::max(node.last, instruction);
    out_.places[static_cast<size_t>(instruction)] = {number, repeat};
  }

  // Drafts of one structure as one node; `above`: of each of them its repeat in a folded node above it; none:
  // there is no such node.
  void write_alike(const std::vector<size_t>& alike, int32_t parent,
                   const std::optional<std::vector<int32_t>>& above, std::string title, int32_t repeats) {
    const Draft& first = drafts_[alike.front()];
    const int32_t number = open(first.kind, std::move(title), parent, repeats);
    std::optional<std::vector<int32_t>> of = above;
    if (!of && alike.size() > 1) {
      of.emplace();
      for (size_t k = 0; k < alike.size(); ++k) of->push_back(static_cast<int32_t>(k));
    }
    write_own(alike, number, of);
    for (const std::vector<size_t>& group : folded(first.children)) {
      std::vector<size_t> all;
      std::vector<int32_t> repeats_of_all;
      for (size_t k = 0; k < alike.size(); ++k) {
        for (const size_t c : group) {
          const auto same = drafts_[alike[k]].by_key.find(drafts_[c].key);
          if (same == drafts_[alike[k]].by_key.end()) continue;
          all.push_back(same->second);
          repeats_of_all.push_back(of ? (*of)[k] : 0);
        }
      }
      write_alike(all, number, of ? std::optional(repeats_of_all) : std::nullopt, title_of(group),
                  static_cast<int32_t>(group.size()));
    }
    close(number);
  }

  // Stretches that repeat are looked for where nothing around them is folded already.
  void write_own(const std::vector<size_t>& alike, int32_t number,
                 const std::optional<std::vector<int32_t>>& of) {
    size_t at = 0;
    const Draft& alone = drafts_[alike.front()];
    for (const RepeatedPart& part : of ? std::vector<RepeatedPart>() : alone.parts) {
      for (; at < part.begin; ++at) put(alone.own[at], number, 0);
      const int32_t node = open(OutlineKind::part, "part", number, static_cast<int32_t>(part.repeats));
      for (; at < part.end(); ++at)
        put(alone.own[at], node, static_cast<int32_t>((at - part.begin) / part.period));
      close(node);
    }
    for (size_t k = 0; k < alike.size(); ++k, at = 0)
      for (const std::vector<int32_t>& own = drafts_[alike[k]].own; at < own.size(); ++at)
        put(own[at], number, of ? (*of)[k] : 0);
  }

  void write(size_t root, int32_t parent) {
    write_alike({root}, parent, std::nullopt, drafts_[root].title, 1);
  }

  // What is fused or reduces.
  void write_inner(const std::vector<bool>& shown) {
    const auto inner = static_cast<int32_t>(std::ranges::count(shown, false));
    if (inner == 0) return;
    const int32_t number = open(OutlineKind::computation, "fused and reducing", -1, inner);
    for (size_t c = 0; c < shown.size(); ++c) {
      if (shown[c]) continue;
      for (size_t k = 0; k < program_.computations[c].instructions.size(); ++k)
        put(first_[c] + static_cast<int32_t>(k), number, 0);
    }
    close(number);
  }

  const Program& program_;
  std::vector<int32_t> first_;  // by computation: the global index of its first instruction
  std::vector<Draft> drafts_;
  Outline out_;
};

}  // namespace

Outline outline_of(const Program& program) {
  return Outliner(program).outline();
}

std::string outline_scope(const std::string& op_name, size_t depth) {
  const std::vector<std::string_view> scopes = scopes_of(op_name);
  return depth < scopes.size() ? std::string(scopes[depth]) : std::string();
}

int32_t outline_folds(const Outline& outline, int32_t node) {
  int32_t found = -1;
  for (; node >= 0; node = outline.nodes[static_cast<size_t>(node)].parent) {
    const OutlineNode& at = outline.nodes[static_cast<size_t>(node)];
    const bool alike = at.kind == OutlineKind::scope || at.kind == OutlineKind::part;
    if (alike && at.repeats > 1) found = node;
  }
  return found;
}

std::string outline_path(const Outline& outline, int32_t node) {
  std::vector<std::string> titles;
  for (; node >= 0; node = outline.nodes[static_cast<size_t>(node)].parent) {
    const OutlineNode& at = outline.nodes[static_cast<size_t>(node)];
    if (at.kind == OutlineKind::computation) break;
    titles.push_back(at.repeats > 1 ? fmt::format("{} ×{}", at.title, at.repeats) : at.title);
  }
  std::ranges::reverse(titles);
  return join(titles, "/");
}

}  // namespace shardscope::inline program
