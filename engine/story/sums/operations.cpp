// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sums/operations.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/program/analysis/outline.h"
#include "engine/story/sums/operation_name.h"

namespace shardscope::inline story {
namespace {

std::vector<bool> instructions_with_events(const Run& run) {
  std::vector<bool> out(static_cast<size_t>(run.program.instruction_count()), false);
  for (const Event& e : run.timeline.events)
    if (e.instruction >= 0 && static_cast<size_t>(e.instruction) < out.size())
      out[static_cast<size_t>(e.instruction)] = true;
  return out;
}

// "up" of "up.158": what a layer's array is called in all of them. Of "X and up.3" each.
std::string without_numbers(const std::string& arrays) {
  std::string out;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const size_t end = std::min(arrays.find_first_not_of("0123456789", i + 1), arrays.size());
    const bool ends = end == arrays.size() || arrays[end] == ' ';
    if (arrays[i] == '.' && i > 0 && end > i + 1 && ends)
      i = end - 1;
    else
      out += arrays[i];
  }
  return out;
}

// Where the layers of a program that are alike are, as far as their paths differ.
class FoldedPlaces {
 public:
  explicit FoldedPlaces(const Program& program)
      : outline_(program.computations.empty() ? Outline() : outline_of(program)),
        paths_(outline_.nodes.size()) {
    std::vector<std::string> common;
    bool first = true;
    for (size_t n = 0; n < paths_.size(); ++n) {
      if (!has_path(static_cast<int32_t>(n))) continue;
      paths_[n] = outline_path(outline_, static_cast<int32_t>(n));
      std::vector<std::string> parts = split(paths_[n], '/');
      parts.pop_back();
      if (!first) {
        const auto differ = std::ranges::mismatch(common, parts);
        parts.erase(differ.in2, parts.end());
      }
      first = false;
      common = std::move(parts);
    }
    for (const std::string& part : common) common_ += part.size() + 1;
  }

  bool is_folded(int32_t node) const { return outline_folds(outline_, node) >= 0; }
  // Of a program's instruction; -1: no layer that is folded with others.
  int32_t node(int32_t instruction) const {
    const int32_t at = outline_.places[static_cast<size_t>(instruction)].node;
    return at >= 0 && is_folded(at) ? at : -1;
  }
  // Empty: nothing says where it is.
  std::string path(int32_t node) const {
    if (!has_path(node)) return "";
    const std::string& whole = paths_[static_cast<size_t>(node)];
    return whole.substr(std::min(common_, whole.size()));
  }

 private:
  bool has_path(int32_t node) const {
    const int32_t folded = outline_folds(outline_, node);
    return folded >= 0 && outline_.nodes[static_cast<size_t>(folded)].kind == OutlineKind::scope;
  }

  Outline outline_;
  std::vector<std::string> paths_;
  size_t common_ = 0;  // characters that all of them begin with
};

}  // namespace

Operations operations_of_events(const Run& run, const Story* story) {
  const auto arrays = story != nullptr ? travelling_arrays(*story) : std::map<int32_t, std::string>();
  const std::vector<bool> used = instructions_with_events(run);
  const FoldedPlaces folded(run.program);
  Operations out;
  out.of_instruction.assign(used.size(), -1);
  std::map<std::string, int32_t> place;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const auto instruction = static_cast<int32_t>(i);
    const auto array = arrays.find(instruction);
    const std::string moved = array == arrays.end() ? "" : array->second;
    const int32_t node = folded.node(instruction);
    const std::string name =
        operation_key(run.program, instruction, node < 0 ? moved : without_numbers(moved));
    const std::string where = node < 0 ? "" : folded.path(node);
    const auto [at, is_new] = place.try_emplace(where.empty() ? name : say("{} in {}", name, where),
                                                static_cast<int32_t>(out.keys.size()));
    if (is_new) {
      out.keys.push_back(at->first);
      out.names.push_back(name);
      out.places.push_back(where);
      out.instructions.emplace_back();
    }
    out.of_instruction[i] = at->second;
    out.instructions[static_cast<size_t>(at->second)].push_back(instruction);
  }
  return out;
}

}  // namespace shardscope::inline story
