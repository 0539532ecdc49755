// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/sum_order.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::inline numerics {
namespace {

size_t at(int32_t i) {
  return static_cast<size_t>(i);
}

// Chunks that no transfer tells apart.
struct ChunkClasses {
  std::vector<int32_t> first;     // of each class, and the end of all
  std::vector<int32_t> of_chunk;  // its class

  explicit ChunkClasses(const CollectiveSchedule& schedule) {
    const int32_t chunks = schedule.chunks();
    std::vector<char> begins(at(chunks));
    begins[0] = 1;
    std::vector<Transfer> transfers;
    for (int32_t step = 0; step < schedule.steps(); ++step) {
      transfers.clear();
      schedule.append_step(step, transfers);
      for (const Transfer& t : transfers)
        begins[at(t.chunk % chunks)] = begins[at((t.chunk + t.count) % chunks)] = 1;
    }
    for (int32_t c = 0; c < chunks; ++c) {
      if (begins[at(c)] != 0) first.push_back(c);
      of_chunk.push_back(static_cast<int32_t>(first.size()) - 1);
    }
    first.push_back(chunks);
  }
  int32_t count() const { return static_cast<int32_t>(first.size()) - 1; }
  int32_t size(int32_t k) const { return first[at(k) + 1] - first[at(k)]; }
};

// What arrives in a step: what its source held before.
struct Arrival {
  int32_t target, of_class, sum;
  bool adds;
};

}  // namespace

int32_t SumOrder::joined(int32_t kept, int32_t sent) {
  const int32_t a = slots_of(kept), b = slots_of(sent);
  nodes_.push_back({kept, sent, a == b ? a + 1 : std::max(a, b)});
  return ranks_ + static_cast<int32_t>(nodes_.size()) - 1;
}

int32_t SumOrder::unordered(int32_t node) {
  if (node < ranks_) return node;
  known_.resize(nodes_.size(), -1);
  if (known_[at(node - ranks_)] >= 0) return known_[at(node - ranks_)];
  const int32_t a = unordered(inner(node).kept), b = unordered(inner(node).sent);
  const auto next = ranks_ + static_cast<int32_t>(numbers_.size());
  const int32_t number = numbers_.try_emplace(std::minmax(a, b), next).first->second;
  return known_[at(node - ranks_)] = number;
}

void SumOrder::keep(std::vector<std::vector<SumPiece>> by_rank) {
  for (std::vector<SumPiece>& pieces : by_rank) {
    const auto same = std::find(distinct_.begin(), distinct_.end(), pieces);
    of_rank_.push_back(static_cast<size_t>(same - distinct_.begin()));
    if (same == distinct_.end()) distinct_.push_back(std::move(pieces));
  }
}

SumOrder SumOrder::of_group(CollectiveKind, int32_t ranks) {
  SumOrder out(ranks);
  int32_t sum = 0;
  for (int32_t r = 1; r < ranks; ++r) sum = out.joined(sum, r);
  out.distinct_ = {{{0, 1, 1, sum}}};
  out.of_rank_.assign(at(ranks), 0);
  return out;
}

SumOrder SumOrder::of_schedule(const CollectiveSchedule& s) {
  const int32_t ranks = s.ranks();
  if (ranks > kMostOrdered) return of_group(s.kind(), ranks);
  SumOrder out(ranks);
  const ChunkClasses classes(s);
  std::vector<std::vector<int32_t>> held(at(ranks));
  for (int32_t r = 0; r < ranks; ++r) held[at(r)].assign(at(classes.count()), r);
  std::vector<Transfer> transfers;
  std::vector<Arrival> arrivals;
  for (int32_t step = 0; step < s.steps(); ++step) {
    transfers.clear();
    arrivals.clear();
    s.append_step(step, transfers);
    for (const Transfer& t : transfers) {
      int32_t k = classes.of_chunk[at(t.chunk % s.chunks())];
      for (int32_t covered = 0; covered < t.count; k = (k + 1) % classes.count()) {
        arrivals.push_back({t.target, k, held[at(t.source)][at(k)], t.adds});
        covered += classes.size(k);
      }
    }
    for (const Arrival& a : arrivals) {
      int32_t& own = held[at(a.target)][at(a.of_class)];
      own = a.adds ? out.joined(own, a.sum) : a.sum;
    }
  }
  std::vector<std::vector<SumPiece>> by_rank(at(ranks));
  if (s.kind() == CollectiveKind::reduce_scatter) {
    for (int32_t c = 0; c < s.chunks(); ++c) {
      const int32_t home = s.home(c);
      by_rank[at(home)].push_back({0, 1, 0, held[at(home)][at(classes.of_chunk[at(c)])]});
    }
    for (std::vector<SumPiece>& pieces : by_rank) {
      CHECK(!pieces.empty());
      for (size_t p = 0; p < pieces.size(); ++p) {
        pieces[p].first = static_cast<int64_t>(p);
        pieces[p].of = static_cast<int64_t>(pieces.size());
      }
    }
  } else {
    const bool rooted = s.kind() == CollectiveKind::reduce;
    for (int32_t k = 0; k < classes.count(); ++k) {
      const int32_t root = held[0][at(k)];
      for (int32_t r = 0; r < ranks; ++r) {
        const int32_t own = rooted ? root : held[at(r)][at(k)];
        const bool alike = own == root || out.unordered(own) == out.unordered(root);
        by_rank[at(r)].push_back({classes.first[at(k)], classes.size(k), s.chunks(), alike ? root : own});
      }
    }
  }
  out.keep(std::move(by_rank));
  out.known_.clear();
  out.numbers_.clear();
  return out;
}

SumProgram SumOrder::program(int32_t root) const {
  SumProgram out;
  if (root < ranks_) {
    out.alone = root;
    return out;
  }
  out.slots = slots_of(root);
  emit(root, 0, out);
  return out;
}

// What takes more slots first: the other one is added up beside one that is held.
void SumOrder::emit(int32_t node, int32_t slot, SumProgram& out) const {
  const Node& n = inner(node);
  const bool own_kept = n.kept < ranks_, own_sent = n.sent < ranks_;
  const bool both = !own_kept && !own_sent, sent_first = both && slots_of(n.sent) > slots_of(n.kept);
  int32_t kept = n.kept, sent = n.sent;
  if (!own_kept && !sent_first) emit(n.kept, slot, out);
  if (!own_sent) emit(n.sent, both && !sent_first ? slot + 1 : slot, out);
  if (sent_first) emit(n.kept, slot + 1, out);
  if (!own_kept) kept = sent_first ? ~(slot + 1) : ~slot;
  if (!own_sent) sent = both && !sent_first ? ~(slot + 1) : ~slot;
  out.ops.push_back({kept, sent, slot});
}

}  // namespace shardscope::inline numerics
