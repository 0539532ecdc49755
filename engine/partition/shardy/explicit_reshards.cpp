// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/explicit_reshards.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"
#include "engine/partition/shardy/axis_lists.h"
#include "engine/partition/shardy/common_axes.h"
#include "engine/partition/shardy/fitted_writer.h"
#include "engine/partition/types/identity.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

using MaybeAxes = std::optional<ArrayAxes>;  // none: the mesh's axes do not say how it lies

// How the module's arrays lie, each sharding read once.
class SaidAxes {
 public:
  // `parts`: what the module leaves in parts stays so.
  SaidAxes(const AxisMesh& mesh, bool parts) : mesh_(mesh), parts_(parts) {}

  Result<std::vector<MaybeAxes>> of(const Instruction& i) {
    TRY(const std::vector<HloSharding> shardings, leaf_shardings(i));
    std::vector<MaybeAxes> out;
    for (size_t leaf = 0; leaf < shardings.size(); ++leaf)
      out.push_back(of(shardings[leaf], nth_leaf(i.shape, leaf).rank()));
    return out;
  }

 private:
  MaybeAxes of(const HloSharding& sharding, size_t rank) {
    if (sharding.kind == HloSharding::Kind::replicated) return ArrayAxes::whole(rank);
    for (const Known& known : known_)
      if (known.rank == rank && known.sharding == sharding) return known.axes;
    if (parts_ && sharding.added_up() != sharding) return std::nullopt;
    const auto read = from_hlo(mesh_, sharding.added_up(), rank);
    known_.push_back({sharding, rank, read.ok() ? MaybeAxes(*read) : std::nullopt});
    return known_.back().axes;
  }

  struct Known {
    HloSharding sharding;
    size_t rank;
    MaybeAxes axes;
  };
  const AxisMesh& mesh_;
  bool parts_;
  std::vector<Known> known_;
};

// A manual region reads or gives parts that are to be added up.
bool crosses_in_parts(const Computation& c) {
  const auto in_parts = [](const Instruction& i) {
    const auto said = leaf_shardings(i);
    return said.ok() && std::ranges::any_of(*said, [](const auto& s) { return s.added_up() != s; });
  };
  return std::ranges::any_of(c.instructions, [&](const Instruction& i) {
    return (enters_region(i) && in_parts(c.at(i.operands[0]))) || (leaves_region(i) && in_parts(i));
  });
}

AxisSplit split_of(const ArrayAxes& axes, const AxisList& partial = {}) {
  return {axes.dims, partial};
}

using CombinedBy = std::optional<Opcode>;

CombinedBy by_adding(const Program&, const Computation&, const Instruction&) {
  return Opcode::add;
}
CombinedBy of_convolution(const Program&, const Computation& c, const Instruction& i) {
  const auto conv = convolution_dims(c, i);
  const bool plain = conv.ok() && conv->feature_groups * conv->batch_groups == 1;
  return plain ? CombinedBy(Opcode::add) : std::nullopt;
}
// What a device does not find is zero.
CombinedBy of_gather(const Program&, const Computation&, const Instruction& i) {
  return i.shape.type == ElementType::pred ? Opcode::or_ : Opcode::add;
}
CombinedBy of_scatter(const Program& module, const Computation&, const Instruction& i) {
  if (i.shape.is_tuple) return std::nullopt;
  const Opcode reducer = reducer_opcode(module, i);
  return identity_of(reducer, i.shape.type) ? CombinedBy(reducer) : std::nullopt;
}
CombinedBy of_reduce(const Program& module, const Computation& c, const Instruction& i) {
  if (i.operands.size() != 2 || i.shape.is_tuple) return std::nullopt;
  const Opcode reducer = reducer_opcode(module, i);
  const auto identity = identity_of(reducer, i.shape.type);
  return identity && is_literal(c, i.operands[1], *identity) ? CombinedBy(reducer) : std::nullopt;
}

// What combines partial results of the operation; none: no collective does, or it is none that has any.
CombinedBy combining_of(const Program& module, const Computation& c, const Instruction& i) {
  using Rule = CombinedBy (*)(const Program&, const Computation&, const Instruction&);
  static const OpTable<Rule> rules({}, {{Opcode::dot, &by_adding},
                                        {Opcode::convolution, &of_convolution},
                                        {Opcode::gather, &of_gather},
                                        {Opcode::scatter, &of_scatter},
                                        {Opcode::reduce, &of_reduce}});
  const Rule rule = rules[i.opcode];
  return rule == nullptr ? std::nullopt : rule(module, c, i);
}

// A convolution whose windows do not reach into other devices' parts.
bool is_whole_in_space(const Computation& c, const Instruction& i, const std::vector<ArrayAxes>& fit) {
  const auto conv = convolution_dims(c, i);
  const auto whole = [](const ArrayAxes& array, const std::vector<int64_t>& dims) {
    return std::ranges::all_of(dims, [&](int64_t d) { return array.dims[static_cast<size_t>(d)].empty(); });
  };
  return conv.ok() && whole(fit[0], conv->input_spatial) && whole(fit[1], conv->kernel_spatial) &&
         whole(fit[2], conv->output_spatial);
}

AxisList sorted_axes(AxisList axes) {
  std::ranges::sort(axes);
  return joined(axes);
}

// Fits the operations of one computation.
class ComputationFitter {
 public:
  ComputationFitter(const Program& module, const Computation& from, const std::vector<bool>& in_region,
                    SaidAxes& said, FittedWriter& writer)
      : module_(module), from_(from), in_region_(in_region), said_(said), writer_(writer) {
    for (const Instruction& i : from.instructions)
      for (const InstructionId operand : i.operands)
        if (is_constant(from, operand)) ++readers_[from.at(operand).name];
  }

  Result<Computation> run(const std::stop_token& stop) {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      if (stop.stop_requested()) return cancelled();
      TRY_VOID(instruction(k));
    }
    const InstructionId root = made_[static_cast<size_t>(from_.root.value)].id;
    Computation out = std::move(page_).close(from_, root);
    remove_dead(out, Effects::kept);
    return out;
  }

 private:
  // An instruction of the module as it is written: its leaves.
  struct Made {
    InstructionId id;
    std::vector<MaybeAxes> leaves;
  };
  Made& made_of(InstructionId id) { return made_[static_cast<size_t>(id.value)]; }

  Result<void> instruction(size_t k) {
    const Instruction& i = from_.instructions[k];
    TRY(std::vector<MaybeAxes> wanted, said_.of(i));
    if (in_region_[k]) std::ranges::fill(wanted, std::nullopt);
    using Write = Result<void> (ComputationFitter::*)(const Instruction&, std::vector<MaybeAxes>);
    static const OpTable<Write> ways({}, {{Opcode::tuple, &ComputationFitter::tuple},
                                          {Opcode::get_tuple_element, &ComputationFitter::element}});
    const Write way = ways[i.opcode];
    return way != nullptr ? (this->*way)(i, std::move(wanted)) : spread(i, std::move(wanted));
  }

  Result<void> spread(const Instruction& i, std::vector<MaybeAxes> wanted) {
    const auto rule = rule_of(i, wanted);
    return rule ? by_rule(i, *rule, wanted) : keep(i, std::move(wanted));
  }

  std::vector<InstructionId> operands_of(const Instruction& i) {
    std::vector<InstructionId> out;
    for (const InstructionId operand : i.operands) out.push_back(made_of(operand).id);
    return out;
  }

  Result<void> keep(const Instruction& i, std::vector<MaybeAxes> axes) {
    return write(i, operands_of(i), std::move(axes));
  }
  Result<void> write(Instruction i, std::vector<InstructionId> operands, std::vector<MaybeAxes> axes) {
    i.operands = std::move(operands);
    const std::string name = i.name;
    made_.push_back({writer_.add(page_, std::move(i), name), std::move(axes)});
    return {};
  }

  std::optional<FactorRule> rule_of(const Instruction& i, const std::vector<MaybeAxes>& wanted) {
    for (const MaybeAxes& axes : wanted)
      if (!axes) return std::nullopt;
    for (const InstructionId operand : i.operands) {
      const std::vector<MaybeAxes>& leaves = made_of(operand).leaves;
      if (leaves.size() != 1 || !leaves.front()) return std::nullopt;
    }
    if (enters_region(i) || leaves_region(i)) return std::nullopt;
    auto rule = factor_rule(from_, i);
    if (!rule || rule->factors.empty() || rule->results.size() != wanted.size()) return std::nullopt;
    // What no collective combines has to be whole.
    if (i.opcode == Opcode::scatter && !combining_of(module_, from_, i))
      for (FactorRule::Factor& f : rule->factors)
        if (f.kind == FactorRule::Kind::reduction) f.kind = FactorRule::Kind::need_replication;
    return rule;
  }

  // Each array as the tuple has it.
  Result<void> tuple(const Instruction& i, std::vector<MaybeAxes> wanted) {
    std::vector<InstructionId> operands = operands_of(i);
    size_t leaf = 0;
    for (size_t n = 0; n < i.operands.size(); ++n) {
      const Made value = made_of(i.operands[n]);
      if (value.leaves.size() == 1 && value.leaves[0] && wanted[leaf]) {
        TRY(operands[n], as(value.id, *value.leaves[0], *wanted[leaf], i));
      } else {
        for (size_t l = 0; l < value.leaves.size(); ++l) wanted[leaf + l] = value.leaves[l];
      }
      leaf += value.leaves.size();
    }
    return write(i, std::move(operands), std::move(wanted));
  }

  // It lies as in the tuple, and is resharded where it is said to lie otherwise.
  Result<void> element(const Instruction& i, std::vector<MaybeAxes> wanted) {
    const Instruction& tuple = from_.at(i.operands[0]);
    size_t first = 0;
    for (int64_t n = 0; n < i.tuple_index; ++n)
      first += leaf_count(tuple.shape.elements[static_cast<size_t>(n)]);
    const MaybeAxes there = made_of(i.operands[0]).leaves[first];
    if (wanted.size() != 1 || !wanted[0] || !there) return keep(i, std::move(wanted));
    return fitted(i, operands_of(i), {*there}, {*wanted[0]}, std::nullopt);
  }

  Result<void> by_rule(const Instruction& i, const FactorRule& rule, const std::vector<MaybeAxes>& wanted) {
    std::vector<ArrayAxes> was;
    for (const InstructionId operand : i.operands) was.push_back(*made_of(operand).leaves.front());
    for (const MaybeAxes& axes : wanted) was.push_back(*axes);
    std::vector<ArrayByFactors> arrays;
    for (size_t a = 0; a < was.size(); ++a) arrays.push_back(by_factors(rule, rule.array(a), was[a]));
    const std::vector<AxisList> common = common_axes(rule, arrays, writer_.axes());
    std::vector<ArrayAxes> fit;
    for (size_t a = 0; a < was.size(); ++a) {
      for (size_t f = 0; f < common.size(); ++f) {
        if (!arrays[a].factors[f]) continue;
        arrays[a].factors[f]->axes = common[f];
        arrays[a].factors[f]->overflow.clear();
      }
      fit.push_back(by_dims(rule, rule.array(a), arrays[a], was[a]));
    }
    std::vector<InstructionId> operands;
    for (size_t n = 0; n < i.operands.size(); ++n) {
      TRY(const InstructionId id, as(made_of(i.operands[n]).id, was[n], fit[n], i));
      operands.push_back(id);
    }
    const auto results = static_cast<std::ptrdiff_t>(i.operands.size());
    std::optional<AxisList> partial;
    const bool reaches = i.opcode == Opcode::convolution && !is_whole_in_space(from_, i, fit);
    if (!reaches && combining_of(module_, from_, i)) {
      partial.emplace();
      for (size_t f = 0; f < common.size(); ++f)
        if (rule.factors[f].kind == FactorRule::Kind::reduction)
          partial->insert(partial->end(), common[f].begin(), common[f].end());
      partial = sorted_axes(*std::move(partial));
    }
    return fitted(i, std::move(operands), {fit.begin() + results, fit.end()},
                  {was.begin() + results, was.end()}, partial);
  }

  // The operation on arrays that fit; then its result as it is wanted. `partial`: it is done on what a device
  // has, and leaves partial results along these.
  Result<void> fitted(Instruction i, std::vector<InstructionId> operands, std::vector<ArrayAxes> fit,
                      std::vector<ArrayAxes> wanted, const std::optional<AxisList>& partial) {
    const Instruction source = i;
    std::vector<HloSharding> shardings;
    for (const ArrayAxes& axes : fit) {
      TRY(HloSharding sharding, to_hlo(writer_.axes(), split_of(axes, partial.value_or(AxisList()))));
      shardings.push_back(std::move(sharding));
    }
    put_shardings(std::move(shardings), i);
    i.operands = std::move(operands);
    if (partial) writer_.made().local[i.name] = *partial;
    InstructionId id = writer_.add(page_, std::move(i), source.name);
    if (partial && !partial->empty()) {
      const ReshardMove move{split_of(fit[0], *partial), split_of(fit[0]),
                             *combining_of(module_, from_, source)};
      TRY(id, writer_.add_copy(page_, id, move.to, "all_reduce", source));
      writer_.made().moves[page_.at(id).name] = move;
    }
    if (fit.size() == 1) {
      TRY(id, as(id, fit[0], wanted[0], source));
      fit = std::move(wanted);
    }
    made_.push_back({id, {fit.begin(), fit.end()}});
    return {};
  }

  // A value in another sharding; a constant that others read too is made anew there.
  Result<InstructionId> as(InstructionId value, const ArrayAxes& from, const ArrayAxes& to,
                           const Instruction& reader) {
    if (from.dims == to.dims) return value;
    if (is_constant(page_, value) && readers_[constant_source(page_.at(value).name)] > 1) {
      Instruction made = page_.at(value);
      const std::string source = constant_source(made.name);
      made.name = writer_.unique(source);
      constants_[made.name] = source;
      TRY(const HloSharding sharding, to_hlo(writer_.axes(), split_of(to)));
      put_shardings({sharding}, made);
      return writer_.add(page_, std::move(made), source);
    }
    TRY(const InstructionId id, writer_.add_copy(page_, value, split_of(to), "reshard", reader));
    writer_.made().moves[page_.at(id).name] = {split_of(from), split_of(to)};
    return id;
  }
  template <class Instructions>
  static bool is_constant(const Instructions& all, InstructionId value) {
    const Instruction& i = all.at(value);
    return has(i.opcode, Trait::spelled) || is_spread_number(i);
  }
  std::string constant_source(const std::string& name) const {
    const auto known = constants_.find(name);
    return known == constants_.end() ? name : known->second;
  }

  const Program& module_;
  const Computation& from_;
  const std::vector<bool>& in_region_;
  SaidAxes& said_;
  FittedWriter& writer_;
  FittedPage page_;
  std::vector<Made> made_;                        // by instruction of the module
  std::map<std::string, int64_t> readers_;        // of the module's constants, by name
  std::map<std::string, std::string> constants_;  // by name: of which they are copies
};

// A reshard of what nobody else reads but a reshard goes.
void merge_reshards(Computation& c, FittedModule& made) {
  std::vector<int64_t> uses(c.instructions.size());
  for (const Instruction& i : c.instructions)
    for (const InstructionId operand : i.operands) ++uses[static_cast<size_t>(operand.value)];
  ++uses[static_cast<size_t>(c.root.value)];
  const auto reshard = [&](const Instruction& i) -> ReshardMove* {
    const auto move = made.moves.find(i.name);
    return move == made.moves.end() || !move->second.from.partial.empty() ? nullptr : &move->second;
  };
  std::vector<InstructionId> stands_for(c.instructions.size());
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    Instruction& i = c.instructions[k];
    for (InstructionId& operand : i.operands) operand = stands_for[static_cast<size_t>(operand.value)];
    stands_for[k] = InstructionId(static_cast<int64_t>(k));
    ReshardMove* move = reshard(i);
    if (move == nullptr) continue;
    const auto before = static_cast<size_t>(i.operands[0].value);
    const ReshardMove* inner = reshard(c.instructions[before]);
    if (inner == nullptr || uses[before] != 1) continue;
    move->from = inner->from;
    i.operands = c.instructions[before].operands;
    if (move->from == move->to) stands_for[k] = i.operands[0];
  }
  c.root = stands_for[static_cast<size_t>(c.root.value)];
  remove_dead(c);
}

}  // namespace

Result<FittedModule> insert_reshards(const std::shared_ptr<const PropagatedModule>& spread,
                                     std::stop_token stop) {
  RenamedInstructions renamed;
  TRY(const auto prepared, prepared_spread(*spread, SpmdDialect::current, renamed));
  const Program& module = *prepared;
  const auto named = user_mesh(module, spread->devices);
  if (named && !named->mesh)
    return invalid("the mesh's devices stand in another order than 0, 1, 2, …", "the partitioner shardy",
                   "use the partitioner spmd");
  const Mesh mesh = named ? *named->mesh : spmd_mesh(module, spread->devices);
  FittedWriter writer(spread, StageKind::resharded, mesh);
  writer.made().devices = spread->devices;
  TRY(const auto in_region, instructions_in_regions(module, spread->devices));
  SaidAxes said(writer.axes(), std::ranges::any_of(module.computations, crosses_in_parts));
  Program out = module;
  for (size_t c = 0; c < module.computations.size(); ++c) {
    TRY(out.computations[c],
        ComputationFitter(module, module.computations[c], in_region[c], said, writer).run(stop));
    merge_reshards(out.computations[c], writer.made());
  }
  return std::move(writer).done(std::move(out), renamed);
}

}  // namespace shardscope::inline partitioner
