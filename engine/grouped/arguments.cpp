// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/arguments.h"

#include "engine/base/text.h"

namespace shardscope::inline grouped {

namespace {

std::string shape_text(const std::vector<int64_t>& dims) {
  std::vector<std::string> parts;
  for (int64_t d : dims) parts.push_back(std::to_string(d));
  return "[" + join(parts, ",") + "]";
}

bool is_supported(ElementType type) {
  return type == ElementType::f32 || type == ElementType::bf16;
}

Result<void> check_operand(const Array& operand, size_t rank, const std::string& which) {
  if (operand.dims().size() != rank) {
    return invalid("expected " + std::to_string(rank) + "-tensor for '" + which + "' but got " +
                       std::to_string(operand.dims().size()) + "-tensor",
                   which);
  }
  if (!is_supported(operand.type()))
    return invalid("expected bf16 or f32 for '" + which + "' but got " + name(operand.type()), which,
                   "convert it first: a grouped matmul multiplies bf16 or f32 and sums in f32");
  return {};
}

Result<void> check_output(const GroupedOptions& options, const std::vector<int64_t>& expected) {
  if (!is_supported(options.out_type))
    return invalid(std::string("expected bf16 or f32 for the output but got ") + name(options.out_type),
                   "preferred_element_type");
  if (!options.existing_out) return {};
  if (options.existing_out->type() != options.out_type) {
    return invalid(std::string("existing output dtype must match preferred_element_type: got ") +
                       name(options.existing_out->type()) + ", expected " + name(options.out_type),
                   "existing_out");
  }
  if (options.existing_out->dims() != expected)
    return invalid("expected " + shape_text(expected) + ", got " + shape_text(options.existing_out->dims()),
                   "existing_out");
  return {};
}

Result<void> check_equal(int64_t got, int64_t expected, const std::string& what, const std::string& where) {
  if (got == expected) return {};
  return invalid("expected " + what + " = " + std::to_string(expected) + ", got " + std::to_string(got),
                 where);
}

// Every count of gmm_cost and tgmm_cost is at most 8·(m + groups·tm)·k·n.
Result<void> check_countable(const GroupedShape& shape, size_t groups) {
  const double rows =
      static_cast<double>(shape.m) + static_cast<double>(groups) * static_cast<double>(shape.tiling.tm);
  if (rows * 8 * static_cast<double>(shape.k) * static_cast<double>(shape.n) < 0x1p62) return {};
  return too_big("m·k·n of " + std::to_string(shape.m) + ", " + std::to_string(shape.k) + ", " +
                     std::to_string(shape.n) + " is too big to count",
                 "", "use smaller sizes");
}

}  // namespace

Result<GmmTiling> resolve_tiling(const std::variant<GmmTiling, TilingLookup>& tiling, int64_t m, int64_t k,
                                 int64_t n) {
  GmmTiling out;
  if (const GmmTiling* given = std::get_if<GmmTiling>(&tiling)) {
    out = *given;
  } else {
    const TilingLookup& lookup = std::get<TilingLookup>(tiling);
    const std::optional<GmmTiling> found = lookup ? lookup(m, k, n) : std::nullopt;
    if (!found) {
      return invalid("no tuned tiling found for (m, k, n) = (" + std::to_string(m) + ", " +
                         std::to_string(k) + ", " + std::to_string(n) + ")",
                     "tiling", "give the tile as tm,tk,tn");
    }
    out = *found;
  }
  if (out.tm < 1 || out.tk < 1 || out.tn < 1) {
    return invalid("expected tile sizes of 1 or more, got " + std::to_string(out.tm) + "," +
                       std::to_string(out.tk) + "," + std::to_string(out.tn),
                   "tiling");
  }
  return out;
}

Result<GroupedPlan> plan_grouped(GroupedOp op, GroupedShape shape, const std::vector<int64_t>& group_sizes,
                                 const GroupedOptions& options) {
  if (op == GroupedOp::tgmm && options.transpose_rhs)
    return invalid("tgmm has no transposed rhs", "transpose_rhs", "leave it out");
  TRY(shape.tiling, resolve_tiling(options.tiling, shape.m, shape.k, shape.n));
  GroupedRows rows;
  rows.group_sizes = group_sizes;
  rows.m = shape.m;
  rows.tm = shape.tiling.tm;
  rows.group_offset = options.group_offset;
  rows.local_groups = options.local_groups;
  rows.visit_empty = options.visit_empty.value_or(op == GroupedOp::tgmm);
  rows.skip_empty = op == GroupedOp::tgmm;
  rows.allow_short = options.allow_short;
  TRY(GroupMetadata metadata, make_group_metadata(rows));
  TRY_VOID(check_countable(shape, group_sizes.size()));
  TRY_VOID(check_output(options, op == GroupedOp::gmm
                                     ? std::vector{shape.m, shape.n}
                                     : std::vector{metadata.local_groups, shape.k, shape.n}));
  return GroupedPlan{shape, std::move(metadata)};
}

Result<GroupedPlan> plan_gmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                             const GroupedOptions& options) {
  TRY_VOID(check_operand(lhs, 2, "lhs"));
  TRY_VOID(check_operand(rhs, 3, "rhs"));
  GroupedShape shape;
  shape.m = lhs.dims()[0];
  shape.k = lhs.dims()[1];
  shape.n = rhs.dims()[options.transpose_rhs ? 1 : 2];
  shape.lhs = lhs.type();
  shape.rhs = rhs.type();
  shape.out = options.out_type;
  shape.existing_out = options.existing_out.has_value();
  TRY_VOID(check_equal(rhs.dims()[options.transpose_rhs ? 2 : 1], shape.k, "k of lhs", "rhs"));
  GroupedOptions local = options;
  if (options.local_groups) {
    TRY_VOID(check_equal(rhs.dims()[0], *options.local_groups, "the matrices of the local groups", "rhs"));
  }
  local.local_groups = rhs.dims()[0];
  return plan_grouped(GroupedOp::gmm, shape, group_sizes, local);
}

Result<GroupedPlan> plan_tgmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                              const GroupedOptions& options) {
  TRY_VOID(check_operand(lhs, 2, "lhs"));
  TRY_VOID(check_operand(rhs, 2, "rhs"));
  GroupedShape shape;
  shape.k = lhs.dims()[0];
  shape.m = lhs.dims()[1];
  shape.n = rhs.dims()[1];
  shape.lhs = lhs.type();
  shape.rhs = rhs.type();
  shape.out = options.out_type;
  shape.existing_out = options.existing_out.has_value();
  TRY_VOID(check_equal(rhs.dims()[0], shape.m, "m of lhs", "rhs"));
  return plan_grouped(GroupedOp::tgmm, shape, group_sizes, options);
}

}  // namespace shardscope::inline grouped
