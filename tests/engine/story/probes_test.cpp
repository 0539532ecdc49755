// SPDX-License-Identifier: Apache-2.0
// Story against numbers: with one element of X and one of W set (2 and 3), the interpreter shows after which
// instruction, and on which device, 2, 3 and their product 6 are; so does the story.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>

#include "engine/base/parallel.h"
#include "engine/numerics/array/copy.h"
#include "engine/numerics/check/gather_result.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/program/analysis/analysis.h"
#include "engine/story/checks/held_elements.h"
#include "tests/engine/story/told.h"

namespace shardscope::probes_test {
namespace {

using story_test::Told;

constexpr float kLhs = 2, kRhs = 3;

// Which elements are set: X[row,k] and W[k,column].
struct Probe {
  int64_t row = 0, k = 0, column = 0;
};

std::optional<int32_t> array_of(const Story& story, const std::string& role) {
  for (size_t a = 0; a < story.arrays().size(); ++a)
    if (story.arrays()[a].role == role) return static_cast<int32_t>(a);
  return std::nullopt;
}

// Which instructions bring something to a device, by its first appearance.
class Appearances {
 public:
  explicit Appearances(const Story& story) : story_(story) {
    std::map<int32_t, std::map<Picoseconds, std::set<std::string>>> ends;
    for (size_t n = 0; n < story.timeline().events.size(); ++n) {
      const Event& e = story.timeline().events[n];
      if (e.relayed) continue;
      const int32_t where = e.kind == EventKind::transfer ? e.peer : e.device;
      ends[where][story.arrival(static_cast<int32_t>(n))].insert(
          story.program().by_global_index(e.instruction).name);
    }
    for (int32_t d = 0; d < story.timeline().devices; ++d) {
      std::vector<PieceId> before;
      const auto look = [&](Picoseconds t, const std::set<std::string>& by) {
        const std::vector<PieceId> now = story.held(d, t);
        for (const PieceId id : now)
          if (std::ranges::find(before, id) == before.end()) new_.push_back({d, id, by});
        before = now;
      };
      look(0, {});
      for (const auto& [t, by] : ends[d]) look(t, by);
    }
  }

  // Of an element with a term (none: of an input), in order; the empty set: it was there before all.
  std::vector<std::set<std::string>> of(int32_t device, int32_t array, const std::vector<int64_t>& element,
                                        std::optional<int64_t> term) const {
    std::vector<std::set<std::string>> out;
    for (const New& n : new_) {
      const Piece& p = story_.piece(n.piece);
      if (n.device != device || p.array != array || !in(element, p)) continue;
      if (term && !contains(p.terms, {{*term, *term + 1}})) continue;
      out.push_back(n.by);
    }
    return out;
  }

 private:
  struct New {
    int32_t device;
    PieceId piece;
    std::set<std::string> by;
  };
  const Story& story_;
  std::vector<New> new_;
};

// The first instruction after which a value is somewhere on a device, by device and value; a parameter has no
// name.
using Firsts = std::map<std::pair<int32_t, float>, std::string>;

Firsts seen(const Told& told, const MatmulProblem& size, const Probe& probe, const Workers& workers) {
  const auto one_hot = [](int64_t rows, int64_t columns, int64_t at, float value) {
    Array out = Array::allocate(ElementType::f32, {rows, columns});
    std::ranges::fill(out.mutable_as<float>(), 0.0F);
    out.mutable_as<float>()[static_cast<size_t>(at)] = value;
    return out;
  };
  ProgramArrays arrays;
  arrays.by_symbol["X"] = one_hot(size.m, size.k, probe.row * size.k + probe.k, kLhs);
  arrays.by_symbol["W"] = one_hot(size.k, size.n, probe.k * size.n + probe.column, kRhs);
  const auto parameters = shard_inputs(told.program, arrays, workers, {});
  EXPECT_TRUE(parameters.ok());
  Interpreter interpreter(told.program, workers, false);
  Firsts out;
  interpreter.observe([&](const Observed& o) {
    const Instruction& i = o.computation.at(o.instruction);
    if (i.shape.is_tuple || i.shape.type != ElementType::f32) return;
    for (size_t d = 0; d < o.values.size(); ++d) {
      const Array array = copy_of(*interpreter.view_of(o.values[d], i.shape.type));
      for (const float value : {kLhs, kRhs, kLhs * kRhs})
        if (std::ranges::find(array.as<float>(), value) != array.as<float>().end())
          out.try_emplace({static_cast<int32_t>(d), value}, i.opcode == Opcode::parameter ? "" : i.name);
    }
  });
  EXPECT_TRUE(interpreter.run(*parameters, {}).ok());
  return out;
}

// Whether things pass through devices in it that are not theirs: partial sums, parts for others.
bool lets_pass(const Program& program, const std::string& name) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.name == name)
        return i.opcode == Opcode::reduce_scatter || i.opcode == Opcode::all_reduce ||
               i.opcode == Opcode::all_to_all;
  return false;
}

// What a device's story and numbers say of one value. What is on its way through a device is in the story and
// not among the values of instructions.
void expect_same(const Told& told, const std::vector<std::set<std::string>>& story,
                 const std::string* numbers, const std::string& where) {
  const auto passes = [&](const std::set<std::string>& by) {
    return std::ranges::any_of(by, [&](const std::string& name) { return lets_pass(told.program, name); });
  };
  if (numbers == nullptr) {
    EXPECT_TRUE(std::ranges::all_of(story, passes)) << where << ": in the story, not among the numbers";
    return;
  }
  const auto named = std::ranges::find_if(story, [&](const std::set<std::string>& by) {
    return numbers->empty() ? by.empty() : by.contains(*numbers);
  });
  ASSERT_NE(named, story.end()) << where << ": the numbers have it after '" << *numbers << "', the story not";
  EXPECT_TRUE(std::all_of(story.begin(), named, passes))
      << where << ": in the story before '" << *numbers << "'";
}

// What the size of a plain product is, by its arrays; none: it is something else.
std::optional<MatmulProblem> plain_product(const Told& told) {
  const Program& p = told.program;
  if (told.kind != StrategyKind::matmul || !p.definitions.empty() || p.inputs.size() != 2 || !p.output)
    return {};
  if (p.output->role != ArrayRole::product || p.output->dims.size() != 2) return {};
  if (p.inputs[0].role != ArrayRole::lhs || p.inputs[1].role != ArrayRole::rhs) return {};
  const auto& x = p.inputs[0];
  return MatmulProblem{p.output->dims[0], x.dims[x.transposed ? 0 : 1], p.output->dims[1]};
}

int64_t probe_all(const Told& told, int64_t probes, const Workers& workers) {
  const auto size = plain_product(told);
  const auto x = array_of(told.story, "lhs");
  const auto w = array_of(told.story, "rhs");
  const auto y = array_of(told.story, "product");
  if (!size || !x || !w || !y) return 0;
  const Appearances story(told.story);
  const auto turned = [&](int32_t array, int64_t a, int64_t b) {
    return told.story.arrays()[static_cast<size_t>(array)].transposed ? std::vector{b, a} : std::vector{a, b};
  };
  for (int64_t n = 0; n < probes; ++n) {
    const Probe probe{(n * 7 + 3) % size->m, (n * 11 + 5) % size->k, (n * 13 + 1) % size->n};
    const Firsts numbers = seen(told, *size, probe, workers);
    for (int32_t d = 0; d < told.timeline.devices; ++d) {
      const auto first = [&](float value) {
        const auto found = numbers.find({d, value});
        return found == numbers.end() ? nullptr : &found->second;
      };
      const std::string where = told.name + ", device " + std::to_string(d) + ", probe " + std::to_string(n);
      expect_same(told, story.of(d, *x, turned(*x, probe.row, probe.k), std::nullopt), first(kLhs),
                  where + ", X");
      expect_same(told, story.of(d, *w, turned(*w, probe.k, probe.column), std::nullopt), first(kRhs),
                  where + ", W");
      expect_same(told, story.of(d, *y, {probe.row, probe.column}, probe.k), first(kLhs * kRhs),
                  where + ", Y");
    }
    if (::testing::Test::HasFailure()) return n + 1;
  }
  return probes;
}

#ifdef SHARDSCOPE_NIGHTLY
constexpr int64_t kProbes = 12;  // of each run
#else
constexpr int64_t kProbes = 3;
#endif

TEST(Probes, OneElementOfEachInputIsWhereTheStorySaysItIs) {
  const Workers workers(1);
  int64_t probes = 0;
  for (const std::string& mesh : story_test::meshes_to_try()) {
    story_test::for_each_run(mesh, [&](const Told& told) {
      if (!HasFailure()) probes += probe_all(told, kProbes, workers);
    });
  }
  EXPECT_GE(probes, 1000);
  RecordProperty("probes", static_cast<int>(probes));
}

}  // namespace
}  // namespace shardscope::probes_test
