// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/train_step.h"
#include "tests/bench/train_step_lines.h"

namespace shardscope {
namespace {

using namespace train_step;

// The entry of a scheduled module, and the computations that its fusions call.
class Compiled {
 public:
  explicit Compiled(const TrainStep& step) : s_(step) {}

  std::string module() {
    Var x = input("x", "bf16", {rows(), s_.places, s_.width});
    std::vector<Var> kept;
    for (int64_t k = 0; k < s_.layers; ++k) {
      kept.push_back(x);
      scope_ = fmt::format("jit(train_step)/jvp(Transformer)/decoder/layer_{}", k);
      x = forward(x);
    }
    Var grad = x;
    for (int64_t k = s_.layers; k-- > 0;) {
      scope_ = fmt::format("jit(train_step)/transpose(jvp(Transformer))/decoder/layer_{}", k);
      grad = backward(grad, kept[static_cast<size_t>(k)]);
    }
    std::string shapes = shape("bf16", grad.dims), operands = "%" + grad.name;
    for (const Var& v : updated_) {
      shapes += ", " + shape(v.type, v.dims);
      operands += ", %" + v.name;
    }
    return fmt::format(
        "HloModule jit_train_step, is_scheduled=true, num_partitions={}\n\n{}{}ENTRY %main.1 {{\n{}  ROOT "
        "%tuple.1 = ({}) tuple({})\n}}\n",
        s_.devices(), kSum, fused_, inputs_ + text_, shapes, operands);
  }

 private:
  int64_t rows() const { return s_.batch / (s_.data * s_.fsdp); }

  Var input(const char* name, const char* type, const Dims& dims) {
    const Var v{fmt::format("{}.{}", name, number_), type, dims};
    inputs_ += fmt::format("  %{} = {} parameter({})\n", v.name, shape(type, dims), number_++);
    return v;
  }

  Var put(const char* name, const Var& like, const std::string& op, const std::string& attributes) {
    const Var v{fmt::format("{}.{}", name, ++count_), like.type, like.dims};
    text_ += fmt::format(
        "  %{} = {} {}, {}metadata={{op_name=\"{}/{}\" source_file=\"layers.py\" source_line={}}}\n", v.name,
        shape(v.type, v.dims), op, attributes, scope_, name, 10 + count_ % 700);
    return v;
  }

  // A fusion of one product: lhs [rows, places, in] · rhs [in, out], or of its gradient.
  Var product(const Var& a, const Var& b, const Dims& dims, const char* how, const char* kind = "kOutput") {
    const int64_t n = ++fusions_;
    fused_ += fmt::format(
        "%fused_computation.{0} (p0.{0}: {1}, p1.{0}: {2}) -> {3} {{\n  %p0.{0} = {1} parameter(0)\n"
        "  %p1.{0} = {2} parameter(1)\n  ROOT %dot.f{0} = {3} dot(%p0.{0}, %p1.{0}), {4}\n}}\n\n",
        n, shape("bf16", a.dims), shape("bf16", b.dims), shape("bf16", dims), how);
    return put("fusion", {"", "bf16", dims}, fmt::format("fusion(%{}, %{})", a.name, b.name),
               fmt::format("kind={}, calls=%fused_computation.{}, ", kind, n));
  }

  // Elements of two arrays of one shape.
  Var elements(const Var& a, const Var& b) {
    const int64_t n = ++fusions_;
    const std::string of = shape("bf16", a.dims);
    fused_ += fmt::format(
        "%fused_computation.{0} (q0.{0}: {1}, q1.{0}: {1}) -> {1} {{\n  %q0.{0} = {1} parameter(0)\n"
        "  %q1.{0} = {1} parameter(1)\n  %mul.f{0} = {1} multiply(%q0.{0}, %q1.{0})\n"
        "  %tanh.f{0} = {1} tanh(%mul.f{0})\n  ROOT %add.f{0} = {1} add(%tanh.f{0}, %q0.{0})\n}}\n\n",
        n, of);
    return put("loop_fusion", a, fmt::format("fusion(%{}, %{})", a.name, b.name),
               fmt::format("kind=kLoop, calls=%fused_computation.{}, ", n));
  }

  std::string along_fsdp() const {
    return fmt::format("replica_groups=[{},{}]<=[{},{},{}]T(0,2,1)", s_.data * s_.tensor, s_.fsdp, s_.data,
                       s_.fsdp, s_.tensor);
  }
  std::string along_tensor() const {
    return fmt::format("replica_groups=[{},{}]<=[{}]", s_.data * s_.fsdp, s_.tensor, s_.devices());
  }
  std::string along_data() const {
    return fmt::format("replica_groups=[{},{}]<=[{},{}]T(1,0)", s_.fsdp * s_.tensor, s_.data, s_.data,
                       s_.fsdp * s_.tensor);
  }

  // A pair; what `between` writes stands between its start and its end.
  Var all_gather_start(const Var& part) {
    Var whole{"", part.type, part.dims};
    whole.dims[0] *= s_.fsdp;
    const int64_t n = ++count_;
    text_ += fmt::format(
        "  %all-gather-start.{} = ({}, {}) all-gather-start(%{}), channel_id={}, {}, dimensions={{0}}, "
        "use_global_device_ids=true, metadata={{op_name=\"{}/all_gather\"}}\n",
        n, shape(part.type, part.dims), shape(whole.type, whole.dims), part.name, n, along_fsdp(), scope_);
    whole.name = fmt::format("all-gather-start.{}", n);
    return whole;
  }
  Var all_gather_done(const Var& start) {
    return put("all-gather-done", start, fmt::format("all-gather-done(%{})", start.name), "");
  }
  Var all_reduce(const Var& v, const std::string& groups) {
    const std::string attributes =
        fmt::format("channel_id={}, {}, use_global_device_ids=true, to_apply=%sum16, ", count_ + 1, groups);
    const Var start = put("all-reduce-start", v, fmt::format("all-reduce-start(%{})", v.name), attributes);
    return put("all-reduce-done", v, fmt::format("all-reduce-done(%{})", start.name), "");
  }
  Var reduce_scatter(const Var& v) {
    Var part{"", v.type, v.dims};
    part.dims[0] /= s_.fsdp;
    return put(
        "reduce-scatter", part, fmt::format("reduce-scatter(%{})", v.name),
        fmt::format("channel_id={}, {}, dimensions={{0}}, use_global_device_ids=true, to_apply=%sum16, ",
                    count_ + 1, along_fsdp()));
  }
  Var all_to_all(const Var& v) {
    return put("all-to-all", v, fmt::format("all-to-all(%{})", v.name),
               fmt::format("channel_id={}, {}, dimensions={{0}}, ", count_ + 1, along_fsdp()));
  }

  struct Block {
    Var query, out, up, gate, down;
  };
  Block weights() {
    const int64_t f = s_.fsdp, t = s_.tensor;
    return {input("query", "bf16", {s_.width / f, s_.width / t}),
            input("out", "bf16", {s_.width / t / f, s_.width}),
            input("up", "bf16", {s_.width / f, s_.hidden / t}),
            input("gate", "bf16", {s_.width / f, s_.hidden / t}),
            input("down", "bf16", {s_.hidden / t / f, s_.width})};
  }

  static constexpr const char* kForward = "lhs_contracting_dims={2}, rhs_contracting_dims={0}";
  static constexpr const char* kBack = "lhs_contracting_dims={2}, rhs_contracting_dims={1}";
  static constexpr const char* kOfWeight = "lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}";

  Dims by(int64_t width) const { return {rows(), s_.places, width}; }

  Var forward(const Var& x) {
    const Block w = blocks_.emplace_back(weights());
    const Var query = all_gather_start(w.query);
    const Var normed = elements(x, x);
    const Var out = all_gather_start(w.out);
    const Var q = product(normed, all_gather_done(query), by(s_.width / s_.tensor), kForward);
    const Var up = all_gather_start(w.up), gate = all_gather_start(w.gate);
    const Var attended = put("custom-call", q, fmt::format("custom-call(%{0}, %{0}, %{0})", q.name),
                             "custom_call_target=\"flash_attention_fwd\", ");
    const Var sum = product(attended, all_gather_done(out), by(s_.width), kForward);
    const Var after = elements(all_reduce(sum, along_tensor()), x);
    const Var down = all_gather_start(w.down);
    Var routed = after;
    if (s_.experts > 0) routed = all_to_all(after);
    const Var wide = product(routed, all_gather_done(up), by(s_.hidden / s_.tensor), kForward);
    const Var gated = product(routed, all_gather_done(gate), by(s_.hidden / s_.tensor), kForward);
    Var made = product(elements(wide, gated), all_gather_done(down), by(s_.width), kForward);
    if (s_.experts > 0) made = all_to_all(made);
    return elements(all_reduce(made, along_tensor()), after);
  }

  // The gradient of one weight, summed and applied, and of its input.
  Var through(const Var& grad, const Var& from, const Var& weight) {
    const Var start = all_gather_start(weight);
    const Var of_weight = product(from, grad, {from.dims[2], grad.dims[2]}, kOfWeight, "kCustom");
    const Var summed = reduce_scatter(of_weight);
    const Var back = product(grad, all_gather_done(start), by(from.dims[2]), kBack);
    updated_.push_back(elements(weight, all_reduce(summed, along_data())));
    return back;
  }

  Var backward(const Var& grad, const Var& x) {
    const Block w = blocks_.back();
    blocks_.pop_back();
    const Var wide = product(x, all_gather_done(all_gather_start(w.up)), by(s_.hidden / s_.tensor), kForward);
    const Var of_wide = through(grad, wide, w.down);
    const Var gated = elements(of_wide, wide);
    const Var of_up = through(gated, x, w.up), of_gate = through(of_wide, x, w.gate);
    const Var middle = all_reduce(elements(of_up, of_gate), along_tensor());
    const Var q = product(x, all_gather_done(all_gather_start(w.query)), by(s_.width / s_.tensor), kForward);
    const Var of_attended = through(middle, q, w.out);
    const Var of_q =
        put("custom-call", q, fmt::format("custom-call(%{0}, %{0}, %{0}, %{1})", q.name, of_attended.name),
            "custom_call_target=\"flash_attention_bwd\", ");
    return elements(all_reduce(through(of_q, x, w.query), along_tensor()), grad);
  }

  const TrainStep& s_;
  std::string scope_, inputs_, text_, fused_;
  std::vector<Block> blocks_;
  std::vector<Var> updated_;
  int64_t count_ = 0, number_ = 0, fusions_ = 0;
};

}  // namespace

std::string after_optimizations(const TrainStep& step) {
  return Compiled(step).module();
}

}  // namespace shardscope
