// SPDX-License-Identifier: Apache-2.0
// The training step of a transformer as a compiler prints it before partitioning, so many layers deep: names,
// layouts, shardings on a data and a model axis, metadata on every line. For benchmarks and big modules.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope {

enum class TrainStepForm { hlo, stablehlo };

// One function of dots, reductions and elementwise operations, each written as the form has it.
class TrainStepWriter {
 public:
  using Dims = std::vector<int64_t>;
  struct Value {
    std::string name;
    Dims dims;
  };
  // Dimensions that are multiplied elementwise, and those that are summed over.
  struct Contraction {
    Dims lhs_batch, rhs_batch, lhs, rhs;
  };

  explicit TrainStepWriter(TrainStepForm form) : hlo_(form == TrainStepForm::hlo) {}

  std::string scope;  // of what follows: "decoder/layers/mlp"

  // `axes`: per dimension "data", "model" or "".
  Value parameter(const Dims& dims, const std::vector<std::string>& axes) {
    const auto number = parameters_.size();
    Value made{hlo_ ? fmt::format("%param.{}", number) : fmt::format("%arg{}", number), dims};
    if (hlo_) {
      hlo(made.name, dims, fmt::format("parameter({})", number), ", sharding=" + tiles(axes),
          fmt::format("state.params['{}'].{}", scope, number));
      parameters_.push_back(made);
    } else {
      parameters_.push_back({fmt::format("{}: {} {{sdy.sharding = #sdy.sharding<@mesh, {}>}}", made.name,
                                         type(dims), axes_text(axes)),
                             dims});
    }
    return made;
  }
  Value constant(std::string_view number) {
    const Value made = next("constant", {});
    if (hlo_)
      out_ += fmt::format("  {} = f32[] constant({})\n", made.name, number);
    else
      out_ += fmt::format("    {} = stablehlo.constant dense<{}> : tensor<f32>\n", made.name, number);
    return made;
  }
  Value elementwise(std::string_view op, const std::vector<Value>& of) {
    const Value made = next(op, of[0].dims);
    const std::string names = names_of(of);
    if (hlo_)
      hlo(made.name, made.dims, fmt::format("{}({})", op, names), "", std::string(op));
    else
      mlir(made, fmt::format("stablehlo.{} {} : {}", op, names, type(made.dims)));
    return made;
  }
  Value dot(const Value& a, const Value& b, const Contraction& c) {
    Dims dims;
    for (const int64_t d : c.lhs_batch) dims.push_back(a.dims[static_cast<size_t>(d)]);
    append_free(a.dims, c.lhs_batch, c.lhs, dims);
    append_free(b.dims, c.rhs_batch, c.rhs, dims);
    const Value made = next("dot", dims);
    if (hlo_) {
      std::string how = c.lhs_batch.empty() ? "" : fmt::format(", lhs_batch_dims={{{}}}", list(c.lhs_batch));
      how += fmt::format(", lhs_contracting_dims={{{}}}", list(c.lhs));
      if (!c.rhs_batch.empty()) how += fmt::format(", rhs_batch_dims={{{}}}", list(c.rhs_batch));
      how += fmt::format(", rhs_contracting_dims={{{}}}", list(c.rhs));
      hlo(made.name, dims, fmt::format("dot({})", names_of({a, b})), how, "dot_general");
    } else {
      std::string how = c.lhs_batch.empty() ? ""
                                            : fmt::format("batching_dims = [{}] x [{}], ", list(c.lhs_batch),
                                                          list(c.rhs_batch));
      how += fmt::format("contracting_dims = [{}] x [{}], precision = [DEFAULT, DEFAULT]", list(c.lhs),
                         list(c.rhs));
      mlir(made, fmt::format("stablehlo.dot_general {}, {} : ({}, {}) -> {}", names_of({a, b}), how,
                             type(a.dims), type(b.dims), type(dims)));
    }
    return made;
  }
  // Over the last dimension; "maximum" or "add".
  Value reduce(const Value& of, const Value& from, std::string_view op) {
    const Value made = next("reduce", Dims(of.dims.begin(), of.dims.end() - 1));
    const size_t last = of.dims.size() - 1;
    if (hlo_)
      hlo(made.name, made.dims, fmt::format("reduce({})", names_of({of, from})),
          fmt::format(", dimensions={{{}}}, to_apply=%region_{}", last, op), "reduce_" + std::string(op));
    else
      mlir(made,
           fmt::format("stablehlo.reduce({} init: {}) applies stablehlo.{} across dimensions = [{}] : ({}, "
                       "tensor<f32>) -> {}",
                       of.name, from.name, op, last, type(of.dims), type(made.dims)));
    return made;
  }
  // Repeated along new last dimensions, or a scalar everywhere.
  Value broadcast(const Value& of, const Dims& dims) {
    const Value made = next("broadcast", dims);
    Dims map;
    for (size_t d = 0; d < of.dims.size(); ++d) map.push_back(static_cast<int64_t>(d));
    if (hlo_)
      hlo(made.name, dims, fmt::format("broadcast({})", of.name),
          fmt::format(", dimensions={{{}}}", list(map)), "broadcast_in_dim");
    else
      mlir(made, fmt::format("stablehlo.broadcast_in_dim {}, dims = [{}] : ({}) -> {}", of.name, list(map),
                             type(of.dims), type(dims)));
    return made;
  }
  Value reshape(const Value& of, const Dims& dims) {
    const Value made = next("reshape", dims);
    if (hlo_)
      hlo(made.name, dims, fmt::format("reshape({})", of.name), "", "reshape");
    else
      mlir(made, fmt::format("stablehlo.reshape {} : ({}) -> {}", of.name, type(of.dims), type(dims)));
    return made;
  }
  Value constrain(const Value& of, const std::vector<std::string>& axes) {
    const Value made = next("custom-call", of.dims);
    if (hlo_)
      hlo(made.name, made.dims, fmt::format("custom-call({})", of.name),
          ", custom_call_target=\"Sharding\", sharding=" + tiles(axes), "sharding_constraint");
    else
      mlir(made, fmt::format("sdy.sharding_constraint {} <@mesh, {}> : {}", of.name, axes_text(axes),
                             type(of.dims)));
    return made;
  }

  // The module that returns these.
  std::string module(const std::vector<Value>& results) const {
    std::vector<std::string> types, names;
    for (const Value& v : results) {
      types.push_back(hlo_ ? shape(v.dims) : type(v.dims));
      names.push_back(v.name);
    }
    if (!hlo_) {
      std::vector<std::string> parameters;
      for (const Value& p : parameters_) parameters.push_back(p.name);
      return fmt::format(
          "module @jit_train_step attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 : "
          "i32}} {{\n  sdy.mesh @mesh = <[\"data\"={}, \"model\"={}]>\n  func.func public @main({}) -> ({}) "
          "{{\n{}    return {} : {}\n  }}\n}}\n",
          kData * kModel, kData, kModel, fmt::join(parameters, ", "), fmt::join(types, ", "), out_,
          fmt::join(names, ", "), fmt::join(types, ", "));
    }
    std::string text = fmt::format("HloModule jit_train_step, num_partitions={}\n\n", kData * kModel);
    for (const std::string_view op : {"maximum", "add"})
      text += fmt::format(
          "%region_{0} (a.{0}: f32[], b.{0}: f32[]) -> f32[] {{\n  %a.{0} = f32[] parameter(0)\n  %b.{0} = "
          "f32[] parameter(1)\n  ROOT %r.{0} = f32[] {0}(%a.{0}, %b.{0})\n}}\n\n",
          op);
    return text + fmt::format("ENTRY %main {{\n{}  ROOT %tuple = ({}) tuple({})\n}}\n", out_,
                              fmt::join(types, ", "), fmt::join(names, ", "));
  }

  static constexpr int64_t kData = 8, kModel = 4;

 private:
  static std::string list(const Dims& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }
  static std::string type(const Dims& dims) {
    std::string out = "tensor<";
    for (const int64_t d : dims) out += std::to_string(d) + "x";
    return out + "f32>";
  }
  static std::string shape(const Dims& dims) {
    Dims order;
    for (size_t d = dims.size(); d > 0; --d) order.push_back(static_cast<int64_t>(d) - 1);
    return fmt::format("f32[{}]{{{}{}}}", list(dims), list(order), dims.size() > 1 ? ":T(8,128)" : "");
  }
  static std::string axes_text(const std::vector<std::string>& axes) {
    std::vector<std::string> parts;
    for (const std::string& axis : axes) parts.push_back(axis.empty() ? "{}" : "{\"" + axis + "\"}");
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  static std::string tiles(const std::vector<std::string>& axes) {
    Dims counts;
    int64_t used = 1;
    bool model_first = false;
    for (const std::string& axis : axes) {
      counts.push_back(axis == "data" ? kData : axis == "model" ? kModel : 1);
      if (axis == "data" && used > 1) model_first = true;
      used *= counts.back();
    }
    if (used == 1) return "{replicated}";
    const bool only_model = used == kModel;
    const bool partial = used < kData * kModel;
    if (partial) counts.push_back(kData * kModel / used);
    return fmt::format("{{devices=[{}]<={}{}}}", list(counts),
                       model_first || only_model ? fmt::format("[{},{}]T(1,0)", kData, kModel)
                                                 : fmt::format("[{}]", kData * kModel),
                       partial ? " last_tile_dim_replicate" : "");
  }
  static void append_free(const Dims& dims, const Dims& batch, const Dims& summed, Dims& out) {
    for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
      bool is_free = true;
      for (const Dims* taken : {&batch, &summed})
        for (const int64_t t : *taken) is_free = is_free && t != d;
      if (is_free) out.push_back(dims[static_cast<size_t>(d)]);
    }
  }
  static std::string names_of(const std::vector<Value>& values) {
    std::string out;
    for (const Value& v : values) out += (out.empty() ? "" : ", ") + v.name;
    return out;
  }

  Value next(std::string_view op, const Dims& dims) {
    if (!hlo_) return {fmt::format("%{}", count_++), dims};
    return {fmt::format("%{}.{}", op, ++count_), dims};
  }
  void hlo(const std::string& name, const Dims& dims, const std::string& call, const std::string& how,
           const std::string& primitive) {
    const bool inside = primitive.find("params") == std::string::npos;
    const std::string where =
        inside ? fmt::format("jit(train_step)/jit(main)/{}/{}", scope, primitive) : primitive;
    out_ += fmt::format(
        "  {} = {} {}{}, metadata={{op_name=\"{}\" source_file=\"/home/model/layers/linears.py\" "
        "source_line={} stack_frame_id={}}}\n",
        name, shape(dims), call, how, where, 100 + count_ % 400, 1 + count_ % 60);
  }
  void mlir(const Value& made, const std::string& what) {
    out_ += fmt::format("    {} = {}\n", made.name, what);
  }

  bool hlo_;
  int64_t count_ = 0;
  std::string out_;
  std::vector<Value> parameters_;
};

// RMS norm over the last dimension.
inline TrainStepWriter::Value train_step_norm(TrainStepWriter& w, const TrainStepWriter::Value& x,
                                              const TrainStepWriter::Value& zero) {
  const auto sum = w.reduce(w.elementwise("multiply", {x, x}), zero, "add");
  return w.elementwise("multiply", {x, w.broadcast(w.elementwise("rsqrt", {sum}), x.dims)});
}

// The layer's result; its products' weights and inputs are put behind `kept`.
inline TrainStepWriter::Value train_step_layer(
    TrainStepWriter& w, const TrainStepWriter::Value& x,
    std::vector<std::pair<TrainStepWriter::Value, TrainStepWriter::Value>>& kept) {
  const int64_t batch = x.dims[0], rows = x.dims[1], wide = x.dims[2], heads = 16;
  const auto product = [&](const TrainStepWriter::Value& a, const TrainStepWriter::Value& weight) {
    kept.emplace_back(a, weight);
    return w.dot(a, weight, {{}, {}, {2}, {0}});
  };
  w.scope = "jvp(Transformer)/decoder/layers/self_attention";
  const auto zero = w.constant("0"), low = w.constant("-1e+30");
  std::vector<TrainStepWriter::Value> parts;
  const auto normed = train_step_norm(w, x, zero);
  for (int k = 0; k < 3; ++k) {
    const auto part = product(normed, w.parameter({wide, wide}, {"data", "model"}));
    parts.push_back(
        w.constrain(w.reshape(part, {batch, rows, heads, wide / heads}), {"data", "", "model", ""}));
  }
  const auto scores = w.dot(parts[0], parts[1], {{0, 2}, {0, 2}, {3}, {3}});
  const auto most = w.broadcast(w.reduce(scores, low, "maximum"), scores.dims);
  const auto raised = w.elementwise("exponential", {w.elementwise("subtract", {scores, most})});
  const auto total = w.broadcast(w.reduce(raised, zero, "add"), scores.dims);
  const auto mixed = w.dot(w.elementwise("divide", {raised, total}), parts[2], {{0, 1}, {0, 2}, {3}, {1}});
  const auto joined = w.reshape(mixed, {batch, rows, wide});
  const auto attended = product(joined, w.parameter({wide, wide}, {"model", "data"}));
  const auto after = w.constrain(w.elementwise("add", {x, attended}), {"data", "", ""});
  w.scope = "jvp(Transformer)/decoder/layers/mlp";
  const auto inner = train_step_norm(w, after, zero);
  const auto gate = product(inner, w.parameter({wide, 4 * wide}, {"data", "model"}));
  const auto up = product(inner, w.parameter({wide, 4 * wide}, {"data", "model"}));
  const auto acted = w.elementwise("multiply", {w.elementwise("logistic", {gate}), up});
  const auto down = product(acted, w.parameter({4 * wide, wide}, {"model", "data"}));
  return w.constrain(w.elementwise("add", {after, down}), {"data", "", ""});
}

// Forward through all layers, and the weights' gradients of each product as if the last activation were
// every product's gradient of its own width. About 80 instructions a layer.
inline std::string train_step_text(TrainStepForm form, int64_t layers) {
  TrainStepWriter w(form);
  w.scope = "embedding";
  auto x = w.parameter({32, 2048, 1024}, {"data", "", ""});
  std::vector<std::pair<TrainStepWriter::Value, TrainStepWriter::Value>> kept;
  for (int64_t k = 0; k < layers; ++k) x = train_step_layer(w, x, kept);
  w.scope = "transpose(jvp(Transformer))/decoder/layers";
  std::vector<TrainStepWriter::Value> results{x};
  const auto rate = w.constant("0.001");
  for (const auto& [input, weight] : kept) {
    auto gradient = x;
    if (weight.dims[1] != x.dims[2]) {
      const auto wide = w.parameter({x.dims[2], weight.dims[1]}, {"data", "model"});
      gradient = w.dot(x, wide, {{}, {}, {2}, {0}});
    }
    const auto step = w.dot(input, gradient, {{}, {}, {0, 1}, {0, 1}});
    const auto scaled = w.elementwise("multiply", {step, w.broadcast(rate, step.dims)});
    results.push_back(w.elementwise("subtract", {weight, scaled}));
  }
  return w.module(results);
}

}  // namespace shardscope
