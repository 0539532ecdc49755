// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/algorithm_table.h"

#include <bit>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/collectives/collective_group.h"

namespace shardscope::inline collectives {

namespace {

using Kind = CollectiveKind;

constexpr uint8_t set_of(std::initializer_list<Kind> kinds) {
  unsigned bits = 0;
  for (const Kind kind : kinds) bits |= 1U << static_cast<int>(kind);
  return static_cast<uint8_t>(bits);
}
constexpr uint8_t kSums = set_of({Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce});
constexpr uint8_t kRooted = set_of({Kind::broadcast, Kind::reduce});
constexpr uint8_t kNotRooted = kSums | set_of({Kind::all_to_all});
constexpr uint8_t kAll = kNotRooted | kRooted;
constexpr uint8_t kWholeArrays = kRooted | set_of({Kind::all_reduce});

constexpr AlgorithmRow kRows[] = {
#define ALGORITHM(enumerator, word, kinds, need, does) \
  {CollectiveAlgorithm::enumerator, word, kinds, GroupNeed::need, does, algorithms::enumerator},
#include "engine/collectives/algorithms.def"
#undef ALGORITHM
};

std::string group_words(const CollectiveGroup& g) {
  if (g.topology.node > 0) return fmt::format("{} devices in nodes of {}", g.ranks, g.topology.node);
  if (g.one_axis()) return fmt::format("{} devices on one axis", g.ranks);
  return fmt::format("{} devices over {} axes", g.ranks, g.axes().size());
}

bool has_what_it_needs(const AlgorithmRow& row, const CollectiveGroup& g) {
  switch (row.need) {
    case GroupNeed::any:
    case GroupNeed::ring:
      return true;
    case GroupNeed::power_of_two:
      return std::has_single_bit(static_cast<uint32_t>(g.ranks));
    case GroupNeed::two_axes:
      return !g.one_axis();
    case GroupNeed::nodes_or_two_axes:
      return !g.one_axis() || g.equal_nodes();
  }
  return false;
}

// "… needs these groups"; nothing where any group will do.
const char* needs_words(GroupNeed need) {
  switch (need) {
    case GroupNeed::any:
    case GroupNeed::ring:
      return "";
    case GroupNeed::power_of_two:
      return "a power of two of devices";
    case GroupNeed::two_axes:
      return "a group over two or more mesh axes";
    case GroupNeed::nodes_or_two_axes:
      return "nodes of equal size or two mesh axes";
  }
  return "";
}

template <class Include>
std::string words_of(const Include& include) {
  std::vector<std::string> words;
  for (const AlgorithmRow& row : kRows) {
    if (include(row)) words.emplace_back(row.word);
  }
  return join(words, ", ");
}

}  // namespace

const char* name(CollectiveAlgorithm algorithm) {
  if (algorithm == CollectiveAlgorithm::automatic) return "auto";
  if (algorithm == CollectiveAlgorithm::nccl) return "nccl";
  return kRows[static_cast<size_t>(algorithm) - 1].word;
}

Result<CollectiveAlgorithm> parse_collective_algorithm(std::string_view text) {
  std::vector<std::string> words;
  for (const CollectiveAlgorithm choice : {CollectiveAlgorithm::automatic, CollectiveAlgorithm::nccl}) {
    if (trim(text) == name(choice)) return choice;
    words.emplace_back(name(choice));
  }
  for (const AlgorithmRow& row : kRows) {
    if (trim(text) == row.word) return row.id;
    words.emplace_back(row.word);
  }
  const auto near = nearest(trim(text), words);
  return invalid(fmt::format("unknown collective algorithm '{}'", trim(text)), "",
                 near ? fmt::format("did you mean {}?", *near) : "use one of " + join(words, ", "));
}

std::span<const AlgorithmRow> collective_algorithms() {
  return kRows;
}

std::string algorithm_words(CollectiveKind kind) {
  return words_of([&](const AlgorithmRow& row) { return row.is_for(kind); });
}

std::vector<CollectiveAlgorithm> algorithms_for(CollectiveKind kind) {
  std::vector<CollectiveAlgorithm> out;
  for (const AlgorithmRow& row : kRows) {
    if (row.is_for(kind)) out.push_back(row.id);
  }
  return out;
}

std::vector<CollectiveAlgorithm> distinct_algorithms(CollectiveKind kind, int32_t ranks,
                                                     const GroupTopology& topology) {
  const CollectiveGroup group{kind, ranks, topology};
  std::vector<CollectiveAlgorithm> out;
  for (const AlgorithmRow& row : kRows) {
    const bool another = row.need == GroupNeed::ring && !group.round();
    if (row.is_for(kind) && has_what_it_needs(row, group) && !another) out.push_back(row.id);
  }
  return out;
}

Result<void> check_legal(const AlgorithmRow& row, const CollectiveGroup& g) {
  if (!row.is_for(g.kind)) {
    return invalid(fmt::format("{} does not go by {}", name(g.kind), row.word), "",
                   fmt::format("{} goes by auto, {}", name(g.kind), algorithm_words(g.kind)));
  }
  if (has_what_it_needs(row, g)) return {};
  return invalid(fmt::format("{} needs {}, got {}", row.word, needs_words(row.need), group_words(g)), "",
                 fmt::format("{} goes there by auto, {}", name(g.kind), words_of([&](const AlgorithmRow& r) {
                               return r.is_for(g.kind) && has_what_it_needs(r, g);
                             })));
}

std::string legality_help() {
  std::string out =
      "auto (the fastest that is legal), nccl (what NCCL would take, on its chips) or, on any group, " +
      words_of([](const AlgorithmRow& row) { return *needs_words(row.need) == 0; });
  for (const GroupNeed need : {GroupNeed::power_of_two, GroupNeed::two_axes, GroupNeed::nodes_or_two_axes}) {
    out += fmt::format("; on {}: {}", needs_words(need),
                       words_of([&](const AlgorithmRow& row) { return row.need == need; }));
  }
  return out +
         "; a collective of a kind without it takes the fastest, a group without what it needs is refused";
}

}  // namespace shardscope::inline collectives
