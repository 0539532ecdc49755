// SPDX-License-Identifier: Apache-2.0
#include "engine/program/stages/matching.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "engine/program/stages/bare_lines.h"

namespace shardscope::inline program {
namespace {

constexpr int kMostRounds = 16;

// A program's instructions by their numbers, with who reads them.
struct Graph {
  struct Use {
    int32_t user = 0;
    size_t place = 0;  // among the user's operands
  };
  struct Node {
    const Instruction* instruction = nullptr;
    int32_t computation = 0;
    std::vector<int32_t> operands;
    std::vector<Use> users;
  };
  explicit Graph(const Program& of) : program(of) {
    for (size_t c = 0; c < program.computations.size(); ++c) {
      first.push_back(static_cast<int32_t>(nodes.size()));
      for (const Instruction& i : program.computations[c].instructions) {
        Node node{&i, static_cast<int32_t>(c), {}, {}};
        const auto number = static_cast<int32_t>(nodes.size());
        for (const InstructionId operand : i.operands) {
          const int32_t read = first.back() + static_cast<int32_t>(operand.value);
          nodes[static_cast<size_t>(read)].users.push_back({number, node.operands.size()});
          node.operands.push_back(read);
        }
        nodes.push_back(std::move(node));
      }
    }
    first.push_back(static_cast<int32_t>(nodes.size()));
  }
  const Node& at(int32_t number) const { return nodes[static_cast<size_t>(number)]; }
  int32_t root(int32_t c) const {
    return first[static_cast<size_t>(c)] +
           static_cast<int32_t>(program.computations[static_cast<size_t>(c)].root.value);
  }

  const Program& program;
  std::vector<Node> nodes;
  std::vector<int32_t> first;  // of each computation, and behind the last
};

bool same_operation(const Instruction& a, const Instruction& b) {
  return opcode_text(a) == opcode_text(b) && a.parameter_number == b.parameter_number;
}

// The counterparts of two programs, as they are found.
class Pairs {
 public:
  Pairs(const Graph& before, const Graph& after)
      : before_(before.nodes.size(), -1), after_(after.nodes.size(), -1) {}
  bool pair(int32_t before, int32_t after) {
    if (of_before(before) >= 0 || of_after(after) >= 0) return false;
    before_[static_cast<size_t>(before)] = after;
    after_[static_cast<size_t>(after)] = before;
    return true;
  }
  int32_t of_before(int32_t number) const { return before_[static_cast<size_t>(number)]; }
  int32_t of_after(int32_t number) const { return after_[static_cast<size_t>(number)]; }
  // What each says, and whether what it reads are counterparts, decides whether it changed.
  ModuleMatching matching(const Graph& before, const Graph& after, const BareLines& a,
                          const BareLines& b) const {
    ModuleMatching out;
    out.before = {before_, std::vector<Fate>(before_.size(), Fate::alone)};
    out.after = {after_, std::vector<Fate>(after_.size(), Fate::alone)};
    for (size_t k = 0; k < before_.size(); ++k) {
      if (before_[k] < 0) continue;
      const auto other = static_cast<size_t>(before_[k]);
      const auto& reads = before.nodes[k].operands;
      const bool same =
          a.text[k] == b.text[other] && std::ranges::equal(reads, after.nodes[other].operands, {},
                                                           [&](int32_t read) { return of_before(read); });
      out.before.fate[k] = out.after.fate[other] = same ? Fate::same : Fate::changed;
    }
    return out;
  }

 private:
  std::vector<int32_t> before_, after_;
};

// Counterparts within two computations, and by what those call in further ones.
class ModuleMatcher {
 public:
  ModuleMatcher(const Graph& a, const Graph& b, const BareLines& bare_a, const BareLines& bare_b)
      : a_(a),
        b_(b),
        bare_a_(bare_a),
        bare_b_(bare_b),
        pairs_(a, b),
        taken_a_(a.first.size()),
        taken_b_(b.first.size()) {}

  Result<ModuleMatching> match(const std::stop_token& stop) {
    take(static_cast<int32_t>(a_.program.entry.value), static_cast<int32_t>(b_.program.entry.value));
    std::map<std::string, int32_t> named;
    for (size_t c = 0; c < b_.program.computations.size(); ++c)
      named[b_.program.computations[c].name] = static_cast<int32_t>(c);
    size_t next = 0;
    const auto go_on = [&]() -> bool {
      for (; next < computations_.size(); ++next) {
        if (stop.stop_requested()) return false;
        match_within(computations_[next].first, computations_[next].second, stop);
        take_called(computations_[next].first);
      }
      return true;
    };
    if (!go_on()) return cancelled();
    // Those that nothing leads to, the callers of others first.
    for (size_t c = a_.program.computations.size(); c-- > 0;) {
      const auto same = named.find(a_.program.computations[c].name);
      if (same != named.end()) take(static_cast<int32_t>(c), same->second);
      if (!go_on()) return cancelled();
    }
    if (stop.stop_requested()) return cancelled();
    ModuleMatching out = pairs_.matching(a_, b_, bare_a_, bare_b_);
    std::vector<StageLink> links;
    for (size_t k = 0; k < out.before.counterpart.size(); ++k)
      if (out.before.counterpart[k] >= 0)
        links.push_back({out.before.counterpart[k], static_cast<int32_t>(k)});
    out.links = StageLinks(std::move(links));
    for (const auto& [c, d] : computations_)
      out.computations.emplace_back(ComputationId(c), ComputationId(d));
    return out;
  }

 private:
  using Range = std::pair<int32_t, int32_t>;
  using Alike = std::deque<int32_t>;  // instructions of the second that one may be, in the order of its text
  void take(int32_t c, int32_t d) {
    if (taken_a_[static_cast<size_t>(c)] || taken_b_[static_cast<size_t>(d)]) return;
    taken_a_[static_cast<size_t>(c)] = taken_b_[static_cast<size_t>(d)] = true;
    computations_.emplace_back(c, d);
  }
  void take_called(int32_t c) {
    for (int32_t k = a_.first[static_cast<size_t>(c)]; k < a_.first[static_cast<size_t>(c) + 1]; ++k) {
      if (pairs_.of_before(k) < 0) continue;
      const auto &from = a_.at(k).instruction->called, &to = b_.at(pairs_.of_before(k)).instruction->called;
      for (size_t each = 0; each < std::min(from.size(), to.size()); ++each)
        take(static_cast<int32_t>(from[each].computation.value),
             static_cast<int32_t>(to[each].computation.value));
    }
  }
  void match_within(int32_t c, int32_t d, const std::stop_token& stop) {
    a_range_ = {a_.first[static_cast<size_t>(c)], a_.first[static_cast<size_t>(c) + 1]};
    b_range_ = {b_.first[static_cast<size_t>(d)], b_.first[static_cast<size_t>(d) + 1]};
    by_meaning();
    if (same_operation(*a_.at(a_.root(c)).instruction, *b_.at(b_.root(d)).instruction))
      pairs_.pair(a_.root(c), b_.root(d));
    for (int round = 0; round < kMostRounds && !stop.stop_requested(); ++round) {
      // The surest first: only where it finds no more the next one guesses.
      const int64_t read_alike = by_operands();
      if (read_alike + by_users() > 0) continue;
      if (by_one_operand() == 0 && by_names() == 0) return;
    }
  }

  // In the order of the text where several are alike.
  void by_meaning() {
    std::unordered_map<uint64_t, std::vector<int32_t>> there;
    for (int32_t k = b_range_.second; k-- > b_range_.first;)
      there[bare_b_.meaning[static_cast<size_t>(k)]].push_back(k);
    for (int32_t k = a_range_.first; k < a_range_.second; ++k) {
      const auto found = there.find(bare_a_.meaning[static_cast<size_t>(k)]);
      if (found == there.end() || found->second.empty()) continue;
      if (pairs_.pair(k, found->second.back())) found->second.pop_back();
    }
  }

  // What does the same to counterparts.
  int64_t by_operands() {
    using Key = std::pair<std::string, std::vector<int32_t>>;
    std::map<Key, Alike> there;
    for (int32_t k = b_range_.first; k < b_range_.second; ++k) {
      const Graph::Node& node = b_.at(k);
      if (pairs_.of_after(k) < 0 && !node.operands.empty())
        there[{std::string(opcode_text(*node.instruction)), node.operands}].push_back(k);
    }
    int64_t found = 0;
    for (int32_t k = a_range_.first; k < a_range_.second; ++k) {
      if (pairs_.of_before(k) >= 0) continue;
      const Key key{std::string(opcode_text(*a_.at(k).instruction)), counterparts_of_operands(k)};
      found += pair_first(k, there.find(key), there.end());
    }
    return found;
  }

  // What counterparts read in the same place.
  int64_t by_users() {
    using Key = std::tuple<std::string, int32_t, size_t>;
    std::map<Key, Alike> there;
    for (int32_t k = b_range_.first; k < b_range_.second; ++k)
      if (pairs_.of_after(k) < 0)
        for (const Graph::Use& use : b_.at(k).users)
          there[{std::string(opcode_text(*b_.at(k).instruction)), use.user, use.place}].push_back(k);
    int64_t found = 0;
    for (int32_t k = a_range_.second; k-- > a_range_.first;) {
      for (const Graph::Use& use : a_.at(k).users) {
        if (pairs_.of_before(k) >= 0) break;
        const Key key{std::string(opcode_text(*a_.at(k).instruction)), pairs_.of_before(use.user), use.place};
        found += pair_first(k, there.find(key), there.end());
      }
    }
    return found;
  }

  // What reads a counterpart in the same place, whatever else it reads.
  int64_t by_one_operand() {
    using Key = std::tuple<std::string, int32_t, size_t>;
    std::map<Key, Alike> there;
    for (int32_t k = b_range_.first; k < b_range_.second; ++k)
      if (pairs_.of_after(k) < 0)
        for (size_t place = 0; place < b_.at(k).operands.size(); ++place)
          there[{std::string(opcode_text(*b_.at(k).instruction)), b_.at(k).operands[place], place}].push_back(
              k);
    int64_t found = 0;
    for (int32_t k = a_range_.first; k < a_range_.second; ++k) {
      for (size_t place = 0; place < a_.at(k).operands.size() && pairs_.of_before(k) < 0; ++place) {
        const Key key{std::string(opcode_text(*a_.at(k).instruction)),
                      pairs_.of_before(a_.at(k).operands[place]), place};
        found += pair_first(k, there.find(key), there.end());
      }
    }
    return found;
  }

  int64_t by_names() {
    std::map<std::pair<std::string, int64_t>, Alike> there;
    const auto key = [](const Instruction& i) {
      return std::pair(i.opcode == Opcode::parameter ? "" : i.name, i.parameter_number);
    };
    for (int32_t k = b_range_.first; k < b_range_.second; ++k)
      if (pairs_.of_after(k) < 0) there[key(*b_.at(k).instruction)].push_back(k);
    int64_t found = 0;
    for (int32_t k = a_range_.first; k < a_range_.second; ++k)
      if (pairs_.of_before(k) < 0)
        found += pair_first(k, there.find(key(*a_.at(k).instruction)), there.end());
    return found;
  }

  template <class At>
  int64_t pair_first(int32_t k, At found, At end) {
    if (found == end) return 0;
    while (!found->second.empty() && pairs_.of_after(found->second.front()) >= 0) found->second.pop_front();
    const auto fits = std::ranges::find_if(found->second, [&](int32_t other) {
      return pairs_.of_after(other) < 0 && same_operation(*a_.at(k).instruction, *b_.at(other).instruction);
    });
    if (fits == found->second.end() || !pairs_.pair(k, *fits)) return 0;
    return 1 + pair_readers(k);
  }

  std::vector<int32_t> counterparts_of_operands(int32_t k) const {
    std::vector<int32_t> out;
    for (const int32_t operand : a_.at(k).operands) out.push_back(pairs_.of_before(operand));
    return out;
  }

  // What reads counterparts alone and says the same is none that has to be guessed.
  int64_t pair_readers(int32_t k) {
    using Key = std::pair<std::string_view, std::vector<int32_t>>;
    int64_t found = 0;
    std::vector<int32_t> open{k};
    while (!open.empty()) {
      const int32_t read = open.back();
      open.pop_back();
      std::map<Key, Alike> there;
      for (const Graph::Use& use : b_.at(pairs_.of_before(read)).users)
        if (pairs_.of_after(use.user) < 0)
          there[{bare_b_.text[static_cast<size_t>(use.user)], b_.at(use.user).operands}].push_back(use.user);
      for (const Graph::Use& use : a_.at(read).users) {
        if (there.empty()) break;
        if (pairs_.of_before(use.user) >= 0) continue;
        const Key key{bare_a_.text[static_cast<size_t>(use.user)], counterparts_of_operands(use.user)};
        const auto alike = there.find(key);
        if (alike == there.end() || alike->second.empty()) continue;
        if (pairs_.pair(use.user, alike->second.front())) {
          open.push_back(use.user);
          ++found;
        }
        alike->second.pop_front();
      }
    }
    return found;
  }

  const Graph &a_, &b_;
  const BareLines &bare_a_, &bare_b_;
  Pairs pairs_;
  std::vector<bool> taken_a_, taken_b_;
  std::vector<std::pair<int32_t, int32_t>> computations_;
  Range a_range_{}, b_range_{};
};

// All links over the stages between.
StageLinks links_between(const ModuleStage& earlier, const ModuleStage& later) {
  if (later.before.get() == &earlier) return later.links;
  std::vector<StageLink> links;
  for (int32_t made = 0; made < later.program->instruction_count(); ++made)
    for (const int32_t source : sources_in(earlier, later, made)) links.push_back({made, source});
  return StageLinks(std::move(links));
}

// Of those that are there for `source` the one that it is now: alike, of its name, of its operation, or the
// only one.
int32_t counterpart_of(int32_t source, const std::vector<int32_t>& made, const Graph& a, const Graph& b,
                       const Pairs& pairs) {
  const Instruction& from = *a.at(source).instruction;
  int32_t best = -1;
  int rank = 0;
  for (const int32_t each : made) {
    if (pairs.of_after(each) >= 0) continue;
    const Instruction& to = *b.at(each).instruction;
    const bool alike = same_operation(from, to);
    const int now =
        (alike ? 4 : 0) + (alike && from.name == to.name ? 2 : 0) + (alike && from.shape == to.shape ? 1 : 0);
    if (now <= rank) continue;
    best = each;
    rank = now;
  }
  return best < 0 && made.size() == 1 && pairs.of_after(made[0]) < 0 ? made[0] : best;
}

}  // namespace

int64_t MatchedSide::count(Fate of) const {
  return std::ranges::count(fate, of);
}

bool ModuleMatching::equal() const {
  const auto all_same = [](const MatchedSide& side) {
    return side.count(Fate::same) == static_cast<int64_t>(side.fate.size());
  };
  return all_same(before) && all_same(after);
}

Result<ModuleMatching> match_stages(const ModuleStage& earlier, const ModuleStage& later,
                                    const std::stop_token& stop) {
  const Graph a(*earlier.program), b(*later.program);
  TRY(const BareLines bare_a, bare_lines(*earlier.program, stop));
  TRY(const BareLines bare_b, bare_lines(*later.program, stop));
  const StageLinks links = links_between(earlier, later);
  Pairs pairs(a, b);
  for (int32_t k = 0; k < static_cast<int32_t>(a.nodes.size()); ++k) {
    if (stop.stop_requested()) return cancelled();
    if (const int32_t now = counterpart_of(k, links.made(k), a, b, pairs); now >= 0) pairs.pair(k, now);
  }
  ModuleMatching out = pairs.matching(a, b, bare_a, bare_b);
  out.links = links;
  out.computations.emplace_back(earlier.program->entry, later.program->entry);
  return out;
}

Result<ModuleMatching> match_modules(const Program& before, const Program& after,
                                     const std::stop_token& stop) {
  const Graph a(before), b(after);
  TRY(const BareLines bare_a, bare_lines(before, stop));
  TRY(const BareLines bare_b, bare_lines(after, stop));
  return ModuleMatcher(a, b, bare_a, bare_b).match(stop);
}

}  // namespace shardscope::inline program
