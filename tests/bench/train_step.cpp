// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/train_step.h"

#include "tests/bench/train_step_lines.h"

namespace shardscope {
namespace {

using namespace train_step;

// The lines of one computation.
class Lines {
 public:
  explicit Lines(std::string scope) : scope_(std::move(scope)) {}
  void scope(std::string path) { scope_ = std::move(path); }
  std::string text;

  Var put(const char* type, const Dims& dims, const std::string& op, const std::string& operands,
          const std::string& attributes = "", const char* name = nullptr) {
    const std::string label = fmt::format("{}.{}", name != nullptr ? name : op, ++count_);
    text += fmt::format(
        "  %{} = {} {}({}){}{}, metadata={{op_name=\"{}/{}\" source_file=\"layers.py\" source_line={}}}\n",
        label, shape(type, dims), op, operands, attributes.empty() ? "" : ", ", attributes, scope_, op,
        40 + count_ % 400);
    return {label, type, dims};
  }
  static std::string of(const Var& v) { return fmt::format("{} %{}", shape(v.type, v.dims), v.name); }
  static std::string of(const Var& a, const Var& b) { return of(a) + ", " + of(b); }
  Var unary(const char* op, const Var& a) { return put(a.type, a.dims, op, of(a)); }
  Var binary(const char* op, const Var& a, const Var& b) { return put(a.type, a.dims, op, of(a, b)); }
  Var convert(const Var& a, const char* type) { return put(type, a.dims, "convert", of(a)); }
  Var scalar(const char* type, const char* value) {
    const std::string label = fmt::format("constant.{}", ++count_);
    text += fmt::format("  %{} = {}[] constant({})\n", label, type, value);
    return {label, type, {}};
  }
  Var spread(const Var& a, const Dims& dims, const std::string& along) {
    return put(a.type, dims, "broadcast", of(a), "dimensions={" + along + "}");
  }
  Var reduce(const Var& a, const Dims& dims, const std::string& over, const char* by = "%sum") {
    const Var zero = scalar(a.type, by == std::string("%max") ? "-inf" : "0");
    return put(a.type, dims, "reduce", of(a, zero), fmt::format("dimensions={{{}}}, to_apply={}", over, by));
  }
  Var dot(const Var& a, const Var& b, const Dims& dims, const std::string& how) {
    return put(a.type, dims, "dot", of(a, b), how);
  }
  Var sharded(const Var& a, const std::string& sharding) {
    return put(a.type, a.dims, "custom-call", of(a), "custom_call_target=\"Sharding\", sharding=" + sharding,
               "custom-call");
  }

 private:
  std::string scope_;
  int64_t count_ = 0;
};

// Shardings on the mesh (data, fsdp, tensor).
struct Shardings {
  explicit Shardings(const TrainStep& s) : step(s) {}
  const TrainStep& step;
  std::string tiles(const std::string& tiles, const std::string& order, bool rest) const {
    const std::string ids = order.empty()
                                ? fmt::format("[{}]", step.devices())
                                : fmt::format("[{},{},{}]{}", step.data, step.fsdp, step.tensor, order);
    return fmt::format("{{devices=[{}]<={}{}}}", tiles, ids, rest ? " last_tile_dim_replicate" : "");
  }
  std::string activations() const {  // [batch, places, width]
    return tiles(fmt::format("{},1,1,{}", step.data * step.fsdp, step.tensor), "", true);
  }
  std::string inner() const {  // [batch, places, hidden]
    return tiles(fmt::format("{},1,{}", step.data * step.fsdp, step.tensor), "", false);
  }
  std::string down() const {  // weights [in over fsdp, out over tensor]
    return tiles(fmt::format("{},{},{}", step.fsdp, step.tensor, step.data), "T(1,2,0)", true);
  }
  std::string up() const {  // weights [in over tensor, out over fsdp]
    return tiles(fmt::format("{},{},{}", step.tensor, step.fsdp, step.data), "T(2,1,0)", true);
  }
  std::string experts() const {  // [expert, in, out]
    return tiles(fmt::format("1,{},{},{}", step.fsdp, step.tensor, step.data), "T(1,2,0)", true);
  }
};

struct Layer {
  Var query, key_value, out, up, gate, down, norm;
};

// x and the layer's weights to the next x, forward.
Var forward(Lines& l, const TrainStep& s, const Shardings& on, const Var& x, const Layer& w) {
  const Dims rows = {s.batch, s.places, s.width};
  const int64_t depth = s.width / s.heads;
  const Var square = l.convert(x, "f32");
  const Var squares = l.binary("multiply", square, square);
  const Var mean = l.reduce(squares, {s.batch, s.places}, "2");
  const Var scale = l.convert(l.unary("rsqrt", mean), "bf16");
  const Var normed = l.binary("multiply", l.binary("multiply", x, l.spread(scale, rows, "0,1")),
                              l.spread(w.norm, rows, "2"));
  const auto times = [&](const Var& a, const Var& b, int64_t out) {
    return l.dot(a, b, {s.batch, s.places, out}, "lhs_contracting_dims={2}, rhs_contracting_dims={0}");
  };
  const Dims by_head = {s.batch, s.places, s.heads, depth};
  const auto heads = [&](const Var& a) { return l.put(a.type, by_head, "reshape", Lines::of(a)); };
  const Var q = heads(l.sharded(times(normed, w.query, s.width), on.inner()));
  const Var k = heads(l.sharded(times(normed, w.key_value, s.width), on.inner()));
  const Dims scores = {s.batch, s.heads, s.places, s.places};
  const Var logits = l.dot(q, k, scores,
                           "lhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_batch_dims={0,2}, "
                           "rhs_contracting_dims={3}");
  const Var wide = l.convert(logits, "f32");
  const Var most = l.reduce(wide, {s.batch, s.heads, s.places}, "3", "%max");
  const Var shifted = l.unary("exponential", l.binary("subtract", wide, l.spread(most, scores, "0,1,2")));
  const Var total = l.reduce(shifted, {s.batch, s.heads, s.places}, "3");
  const Var soft = l.convert(l.binary("divide", shifted, l.spread(total, scores, "0,1,2")), "bf16");
  const Var mixed = l.dot(soft, k, {s.batch, s.heads, s.places, depth},
                          "lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,2}, "
                          "rhs_contracting_dims={1}");
  const Var turned = l.put("bf16", by_head, "transpose", Lines::of(mixed), "dimensions={0,2,1,3}");
  const Var flat = l.put("bf16", rows, "reshape", Lines::of(turned));
  const Var attended = l.sharded(times(flat, w.out, s.width), on.activations());
  const Var after = l.binary("add", x, attended);
  const Var up = l.sharded(times(after, w.up, s.hidden), on.inner());
  const Var gate = l.sharded(times(after, w.gate, s.hidden), on.inner());
  const Var active = l.binary("multiply", up, l.binary("multiply", gate, l.unary("logistic", gate)));
  const Var made = l.sharded(times(active, w.down, s.width), on.activations());
  return l.binary("add", after, made);
}

std::string parameter(Lines& l, int64_t number, const Var& v, const std::string& sharding) {
  l.text +=
      fmt::format("  %{} = {} parameter({}), sharding={}\n", v.name, shape(v.type, v.dims), number, sharding);
  return v.name;
}

Layer weights(Lines& l, const TrainStep& s, const Shardings& on, int64_t layer, int64_t& number) {
  const auto add = [&](const char* name, const Dims& dims, const std::string& sharding) {
    const Var v{fmt::format("params.layer_{}.{}", layer, name), "bf16", dims};
    parameter(l, number++, v, sharding);
    return v;
  };
  Layer w;
  w.query = add("query", {s.width, s.width}, on.down());
  w.key_value = add("key_value", {s.width, s.width}, on.down());
  w.out = add("out", {s.width, s.width}, on.up());
  w.up = add("up", {s.width, s.hidden}, on.down());
  w.gate = add("gate", {s.width, s.hidden}, on.down());
  w.down = add("down", {s.hidden, s.width}, on.up());
  w.norm = add("norm", {s.width}, "{replicated}");
  return w;
}

// Gradients of the products alone: of the input and of the weights, as the chain rule gives them.
void backward(Lines& l, const TrainStep& s, const Shardings& on, Var& grad, const Layer& w, const Var& x,
              std::vector<Var>& updates) {
  const auto step = [&](const Var& weight) {
    const int64_t in = weight.dims[0], out = weight.dims[1];
    const Var to_out = out == s.width ? grad
                                      : l.spread(l.reduce(grad, {s.batch, s.places}, "2", "%sum16"),
                                                 {s.batch, s.places, out}, "0,1");
    const Var from = in == s.width ? x
                                   : l.spread(l.reduce(x, {s.batch, s.places}, "2", "%sum16"),
                                              {s.batch, s.places, in}, "0,1");
    const Var of_weight =
        l.dot(from, to_out, {in, out}, "lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}");
    const Var kept = l.sharded(of_weight, in == s.width && out != s.width ? on.down() : on.up());
    const Var rate = l.spread(l.scalar("bf16", "0.001"), weight.dims, "");
    updates.push_back(l.binary("subtract", weight, l.binary("multiply", kept, rate)));
    const Var back =
        l.dot(to_out, weight, {s.batch, s.places, in}, "lhs_contracting_dims={2}, rhs_contracting_dims={1}");
    if (in == s.width) grad = l.binary("add", grad, l.sharded(back, on.activations()));
  };
  for (const Var* weight : {&w.down, &w.gate, &w.up, &w.out, &w.key_value, &w.query}) step(*weight);
  updates.push_back(w.norm);
}

}  // namespace

TrainStep llama_405b() {
  return {};
}

TrainStep mixtral_8x7b() {
  TrainStep s;
  s.layers = 32;
  s.width = 4096;
  s.hidden = 14336;
  s.heads = 32;
  s.vocabulary = 32000;
  s.experts = 8;
  s.data = 2;
  s.fsdp = 8;
  s.tensor = 8;
  return s;
}

std::string before_optimizations(const TrainStep& s) {
  const Shardings on(s);
  Lines l("jit(train_step)");
  int64_t number = 0;
  std::vector<Layer> layers;
  for (int64_t k = 0; k < s.layers; ++k) layers.push_back(weights(l, s, on, k, number));
  Var x{"x", "bf16", {s.batch, s.places, s.width}};
  parameter(l, number++, x, on.activations());
  std::vector<Var> inputs;
  for (int64_t k = 0; k < s.layers; ++k) {
    l.scope(fmt::format("jit(train_step)/jvp(Transformer)/decoder/layer_{}", k));
    inputs.push_back(x);
    x = forward(l, s, on, x, layers[static_cast<size_t>(k)]);
  }
  l.scope("jit(train_step)");
  Var grad = x;
  std::vector<Var> updates;
  for (int64_t k = s.layers; k-- > 0;) {
    l.scope(fmt::format("jit(train_step)/transpose(jvp(Transformer))/decoder/layer_{}", k));
    const auto at = static_cast<size_t>(k);
    backward(l, s, on, grad, layers[at], inputs[at], updates);
  }
  std::string operands, shapes;
  for (const Var& v : updates) {
    operands += (operands.empty() ? "" : ", ") + Lines::of(v);
    shapes += (shapes.empty() ? "" : ", ") + shape(v.type, v.dims);
  }
  l.text += fmt::format("  ROOT %tuple = ({}) tuple({})\n", shapes, operands);
  return fmt::format("HloModule jit_train_step, num_partitions={}\n\n{}ENTRY %main {{\n{}}}\n", s.devices(),
                     kSum, l.text);
}

}  // namespace shardscope
