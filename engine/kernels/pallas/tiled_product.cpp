// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pallas/tiled_product.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope::kernels {
namespace {

bool is_called(const KernelText& text, const Expr& e, std::string_view function) {
  return e.kind == Expr::Kind::call && e.parts[0].kind == Expr::Kind::name &&
         text.names[static_cast<size_t>(e.parts[0].name)] == function;
}

bool is_name(const Expr& e, int32_t name) {
  return e.kind == Expr::Kind::name && e.name == name;
}

// a[...] of a name: which one.
int32_t contents_of(const Expr& e) {
  const bool whole = e.kind == Expr::Kind::subscript && e.parts.size() == 2 && e.parts[1].word == "...";
  return whole && e.parts[0].kind == Expr::Kind::name ? e.parts[0].name : -1;
}

// `when counter == step:` with one statement.
const Statement* guarded(const Statement& s, int32_t counter, const std::function<bool(const Expr&)>& step) {
  const bool guard = s.kind == Statement::Kind::when && s.body.size() == 1 &&
                     s.values[0].kind == Expr::Kind::binary && s.values[0].word == "==" &&
                     is_name(s.values[0].parts[0], counter) && step(s.values[0].parts[1]) &&
                     s.body[0].kind == Statement::Kind::store;
  return guard ? s.body.data() : nullptr;
}

// (tile, tile) of block_in or block_out.
bool has_shape(const Expr& e) {
  return e.parts.size() == 4 && e.parts[2].kind == Expr::Kind::tuple && e.parts[2].parts.size() == 2 &&
         e.parts[3].kind == Expr::Kind::tuple && e.parts[3].parts.size() == 2;
}

}  // namespace

std::optional<TiledProduct> product_in_tiles(const KernelText& text, const Statement& loop) {
  if (loop.kind != Statement::Kind::loop || !is_called(text, loop.values[0], "emit_pipeline") ||
      loop.targets.size() != 3 || loop.body.size() != 7 || loop.values[0].parts.size() != 4)
    return std::nullopt;
  const int32_t i = loop.targets[0], j = loop.targets[1], l = loop.targets[2];
  const auto block = [&](size_t place, const char* kind, int32_t row, int32_t col) -> const Expr* {
    const Statement& s = loop.body[place];
    const bool fits = s.kind == Statement::Kind::assign && s.values.size() == 1 &&
                      is_called(text, s.values[0], kind) && has_shape(s.values[0]) &&
                      is_name(s.values[0].parts[3].parts[0], row) &&
                      is_name(s.values[0].parts[3].parts[1], col);
    return fits ? s.values.data() : nullptr;
  };
  const Expr *a = block(0, "block_in", i, l), *b = block(1, "block_in", l, j),
             *c = block(2, "block_out", i, j);
  const Statement &part = loop.body[3], &dot = loop.body[5];
  const auto is_number = [](const Expr& e, int64_t number) {
    return e.kind == Expr::Kind::number && e.number == number;
  };
  const Statement* zero = guarded(loop.body[4], l, [&](const Expr& e) { return is_number(e, 0); });
  const Statement* last = guarded(loop.body[6], l, [&](const Expr& e) {
    return e.kind == Expr::Kind::binary && e.word == "-" && e.parts[0] == loop.values[0].parts[3] &&
           is_number(e.parts[1], 1);
  });
  if (a == nullptr || b == nullptr || c == nullptr || zero == nullptr || last == nullptr) return std::nullopt;
  const bool accumulates = part.kind == Statement::Kind::assign && part.targets.size() == 1 &&
                           dot.kind == Statement::Kind::store && dot.word == "+=" &&
                           is_called(text, dot.values[1], "dot") && dot.values[1].parts.size() == 3;
  if (!accumulates) return std::nullopt;
  const int32_t sum = part.targets[0];
  const std::vector<std::pair<int32_t, int32_t>> same = {
      {contents_of(zero->values[0]), sum},
      {contents_of(dot.values[0]), sum},
      {contents_of(dot.values[1].parts[1]), loop.body[0].targets[0]},
      {contents_of(dot.values[1].parts[2]), loop.body[1].targets[0]},
      {contents_of(last->values[0]), loop.body[2].targets[0]},
      {contents_of(last->values[1]), sum}};
  const bool whole = zero->word == "=" && zero->values[1].kind == Expr::Kind::number &&
                     zero->values[1].number == 0 && last->word == "=" &&
                     std::ranges::all_of(same, [](const auto& pair) { return pair.first == pair.second; });
  if (!whole) return std::nullopt;
  TiledProduct out;
  out.left = &a->parts[1];
  out.right = &b->parts[1];
  out.result = &c->parts[1];
  out.rows = a->parts[2].parts.data();
  out.depth = &a->parts[2].parts[1];
  out.cols = &b->parts[2].parts[1];
  return out;
}

}  // namespace shardscope::kernels
