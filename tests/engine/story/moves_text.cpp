// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/story/moves_text.h"

#include <regex>

namespace shardscope::story_test {
namespace {

std::vector<std::string> clauses_of(const std::string& text) {
  std::vector<std::string> out;
  size_t from = 0;
  for (size_t at; (at = text.find("; ", from)) != std::string::npos; from = at + 2)
    out.push_back(text.substr(from, at - from));
  out.push_back(text.substr(from));
  return out;
}

int64_t number(const std::string& text) {
  return text.empty() ? 0 : std::stoll(text);
}

bool move(const std::string& clause, SaidMoves& out) {
  static const std::regex lead(
      R"(^(\([0-9,]*\)) sends (.*?)(?: \(([^()]*(?:of|terms)[^()]*)\))? to (\([0-9,]*\))(, which adds it)?(?: and has (.*))?$)");
  static const std::regex more(
      R"(^(?:(\d+) more (?:do|does) the same(?: along ([^,]*?))?(?: with .*?)?)?(?:, )?(?:(\d+) sends? the other half the other way(?: along (.*))?)?$)");
  std::smatch m;
  if (std::regex_match(clause, m, lead)) {
    out.moves.push_back({m[1], m[4], m[2], m[3], m[6], m[5].matched, 0, 0, {}});
    return true;
  }
  if (!out.moves.empty() && !clause.empty() && std::regex_match(clause, m, more)) {
    out.moves.back().more = number(m[1]);
    out.moves.back().along = m[2].matched ? m[2] : m[4];
    out.moves.back().other_half = number(m[3]);
    return true;
  }
  return false;
}

bool computation(const std::string& clause, SaidMoves& out) {
  static const std::regex compute(
      R"(^(?:(?:every|the) device|(\([0-9,]*\))(?: and (\d+) more devices?)?) [a-z ]+ \(([^ ]+)\)(?:: (\([0-9,]*\)) (.*))?$)");
  static const std::regex sum(
      R"(^(\S+) goes from (\S+ of \d+(?: terms)?) to (\S+ of \d+(?: terms)?)(?: partial sums)?(?: on (all|\d+) devices?)?$)");
  static const std::regex complete(R"(^(\S+) is complete on every owner$)");
  std::smatch m;
  if (std::regex_match(clause, m, compute)) {
    out.compute = SaidCompute{m[1], number(m[2]), m[3], m[4], m[5]};
    return true;
  }
  if (std::regex_match(clause, m, sum)) {
    out.sums.push_back({m[1], m[2], m[3], m[4].matched && m[4] != "all" ? number(m[4]) : -1});
    return true;
  }
  if (std::regex_match(clause, m, complete)) {
    out.complete.push_back(m[1]);
    return true;
  }
  return false;
}

bool meanwhile(const std::string& clause, SaidMoves& out) {
  static const std::regex whole(R"(^meanwhile (.*) (?:is|are) under way$)");
  static const std::regex item(R"((?:(\d+) transfers? of (\S+?)|(\S+) on (\d+) devices?)(?:, | and |$))");
  std::smatch m;
  if (!std::regex_match(clause, m, whole)) return false;
  const std::string items = m[1];
  for (std::sregex_iterator at(items.begin(), items.end(), item), end; at != end; ++at) {
    const bool transfers = (*at)[1].matched;
    out.under_way.push_back(
        {transfers ? (*at)[2] : (*at)[3], transfers, number(transfers ? (*at)[1] : (*at)[4])});
  }
  return true;
}

bool placement(const std::string& clause, SaidMoves& out) {
  static const std::regex cut(
      R"(^(\S+) is cut into (\d+) blocks \(.*\), each on (\d+)(?:–(\d+))? devices?$)");
  static const std::regex whole(R"(^(\S+) is whole on (?:(\d+) devices?|every device)$)");
  static const std::regex own(R"(^every device has (\S+) of its own$)");
  static const std::regex held(
      R"(^(?:every device holds .*|\([0-9,]*\) holds .*|no device holds anything)$)");
  std::smatch m;
  if (std::regex_match(clause, m, cut)) {
    out.placements.push_back({m[1], number(m[2]), number(m[3]), m[4].matched ? number(m[4]) : number(m[3])});
  } else if (std::regex_match(clause, m, whole)) {
    const int64_t copies = m[2].matched ? number(m[2]) : -1;
    out.placements.push_back({m[1], 1, copies, copies});
  } else if (std::regex_match(clause, m, own)) {
    out.own.push_back(m[1]);
  } else {
    return std::regex_match(clause, held);
  }
  return true;
}

}  // namespace

SaidMoves parse_moves(const std::string& text) {
  SaidMoves out;
  std::string rest = text;
  static const std::regex phase(R"(^((?:reduce-scatter|all-gather|reduce|broadcast) half): )");
  std::smatch m;
  if (std::regex_search(rest, m, phase)) {
    out.phase = m[1];
    rest = m.suffix();
  }
  const bool before = rest.starts_with("Before: ");
  if (before) rest = rest.substr(8);
  for (const std::string& clause : clauses_of(rest)) {
    const bool known = before ? placement(clause, out)
                              : move(clause, out) || computation(clause, out) || meanwhile(clause, out);
    if (!known && out.not_understood.empty()) out.not_understood = clause;
  }
  return out;
}

}  // namespace shardscope::story_test
