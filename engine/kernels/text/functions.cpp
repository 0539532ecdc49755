// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/functions.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "engine/base/units.h"

namespace shardscope::kernels {
namespace {

constexpr int64_t kLargest = int64_t{1} << 40;
constexpr int64_t kMostSemaphores = 8192;

const TextPlace& place_of(const Call& c, size_t argument) {
  const int called = builtin_named(c.evaluator.name(c.expression.parts[0].name));
  const Builtin& builtin = builtins()[static_cast<size_t>(called)];
  const Expr* given = argument_of(builtin, c.expression, parameters_of(builtin).names[argument]);
  return given != nullptr ? given->place : c.expression.place;
}

bool has(const Call& c, size_t argument) {
  return c.given[argument].is.index() != 0;
}

template <class T>
T take(Call& c, size_t argument, const char* wanted) {
  if (const T* found = std::get_if<T>(&c.given[argument].is)) return *found;
  if (!c.evaluator.failed())
    c.evaluator.fail(place_of(c, argument),
                     fmt::format("expected {}, got {}", wanted, kind_text(c.given[argument])));
  return T();
}

int64_t number(Call& c, size_t argument, int64_t least = -kLargest, int64_t most = kLargest) {
  const int64_t out = take<int64_t>(c, argument, "a number");
  if (out >= least && out <= most) return out;
  c.evaluator.fail(place_of(c, argument), fmt::format("got {}, expected {} to {}", out, least, most));
  return 0;
}

std::string axis(Call& c, size_t argument) {
  const std::string out = take<std::string>(c, argument, "an axis, as in \"x\"");
  const auto& axes = c.evaluator.text().axes;
  if (c.evaluator.failed() || std::ranges::find(axes, out) != axes.end()) return out;
  c.evaluator.fail(place_of(c, argument), fmt::format("the kernel's line 'axes' does not name \"{}\"", out));
  return out;
}

int64_t device(Call& c, size_t argument) {
  Kernel& k = c.evaluator.kernel();
  if (const auto* items = std::get_if<Items>(&c.given[argument].is)) {
    std::vector<int64_t> at;
    for (const Value& item : *items->values) {
      const auto* place = std::get_if<int64_t>(&item.is);
      if (place == nullptr)
        c.evaluator.fail(place_of(c, argument), "expected the device's places on the axes");
      at.push_back(place != nullptr ? *place : 0);
    }
    return k.device_at(at);
  }
  return number(c, argument, -(int64_t{1} << 30), int64_t{1} << 30);
}

Value axis_size(Call& c) {
  const std::string name = axis(c, 0);
  return c.evaluator.failed() ? Value() : Value{c.evaluator.kernel().axis_size(name)};
}
Value axis_index(Call& c) {
  const std::string name = axis(c, 0);
  return c.evaluator.failed() ? Value() : Value{c.evaluator.kernel().axis_index(name)};
}
Value neighbour(Call& c) {
  const std::string name = axis(c, 0);
  const int64_t offset = number(c, 1);
  return c.evaluator.failed() ? Value() : Value{c.evaluator.kernel().neighbour(name, offset)};
}
Value device_at(Call& c) {
  std::vector<int64_t> at;
  for (size_t i = 0; i < c.given.size() && has(c, i); ++i) at.push_back(number(c, i));
  return {c.evaluator.kernel().device_at(at)};
}
Value device_id(Call& c) {
  return {c.evaluator.kernel().device_id()};
}
Value ceil_div_of(Call& c) {
  const int64_t a = number(c, 0), b = number(c, 1, 1);
  return c.evaluator.failed() ? Value() : Value{ceil_div(a, b)};
}
Value min_of(Call& c) {
  const int64_t a = number(c, 0), b = number(c, 1);  // in this order: the first error is said
  return {std::min(a, b)};
}
Value max_of(Call& c) {
  const int64_t a = number(c, 0), b = number(c, 1);
  return {std::max(a, b)};
}

MemorySpace space_or_hbm(Call& c) {
  return has(c, 1) ? take<MemorySpace>(c, 1, "hbm, vmem or smem") : MemorySpace::hbm;
}

Value input(Call& c) {
  const Extent e = extent_of(c.evaluator, place_of(c, 0), c.given[0]);
  const MemorySpace space = space_or_hbm(c);
  const std::string over = has(c, 2) ? axis(c, 2) : "";
  if (c.evaluator.failed()) return {};
  Kernel& k = c.evaluator.kernel();
  if (over.empty()) return {k.input(*c.declared, e.rows, e.cols, space)};
  return {k.replicated_input(*c.declared, e.rows, e.cols, over)};
}
Value output(Call& c) {
  const Extent e = extent_of(c.evaluator, place_of(c, 0), c.given[0]);
  const MemorySpace space = space_or_hbm(c);
  const std::string same = has(c, 2) ? axis(c, 2) : "", sharded = has(c, 3) ? axis(c, 3) : "";
  if (!same.empty() && same == sharded)
    c.evaluator.fail(place_of(c, 3), "an output is the same over an axis or sharded over it");
  if (c.evaluator.failed()) return {};
  return {c.evaluator.kernel().output(*c.declared, e.rows, e.cols, space, same, sharded)};
}

template <MemorySpace space>
Value scratch(Call& c) {
  const Extent e = extent_of(c.evaluator, place_of(c, 0), c.given[0]);
  Kernel& k = c.evaluator.kernel();
  const ElementType type = has(c, 1) ? take<ElementType>(c, 1, "f32, bf16, f16 or dtype") : k.options().dtype;
  if (c.evaluator.failed()) return {};
  return {k.scratch(*c.declared, space, e.rows, e.cols, type)};
}

template <Semaphore (Kernel::*declare)(const std::string&)>
Value semaphores(Call& c) {
  Kernel& k = c.evaluator.kernel();
  if (!has(c, 0)) return {(k.*declare)(*c.declared)};
  const int64_t count = number(c, 0, 0, kMostSemaphores);
  auto out = std::make_shared<std::vector<Value>>();
  for (int64_t i = 0; i < count && !c.evaluator.failed(); ++i)
    out->push_back({(k.*declare)(fmt::format("{}[{}]", *c.declared, i))});
  return {Items{std::move(out)}};
}
Value barrier_semaphore(Call& c) {
  return {c.evaluator.kernel().barrier_semaphore(*c.declared)};
}

Value ds(Call& c) {
  return {Span{number(c, 0), number(c, 1, 0)}};
}

Value make_async_copy(Call& c) {
  const Ref from = take<Ref>(c, 0, "a buffer or a part of it");
  const Ref to = take<Ref>(c, 1, "a buffer or a part of it");
  const Semaphore told = take<Semaphore>(c, 2, "a semaphore");
  if (c.evaluator.failed()) return {};
  return {c.evaluator.kernel().async_copy(from, to, told)};
}
Value make_async_remote_copy(Call& c) {
  const Ref from = take<Ref>(c, 0, "a buffer or a part of it");
  const Ref to = take<Ref>(c, 1, "a buffer or a part of it");
  const Semaphore send = take<Semaphore>(c, 2, "a semaphore");
  const Semaphore receive = take<Semaphore>(c, 3, "a semaphore");
  const int64_t target = device(c, 4);
  if (c.evaluator.failed()) return {};
  return {c.evaluator.kernel().remote_copy(from, to, send, receive, target)};
}
Value make_async_peer_copy(Call& c) {
  const Ref from = take<Ref>(c, 0, "a buffer or a part of it");
  const Ref to = take<Ref>(c, 1, "a buffer or a part of it");
  const Semaphore told = take<Semaphore>(c, 2, "a semaphore");
  const int64_t target = device(c, 3);
  if (c.evaluator.failed()) return {};
  return {c.evaluator.kernel().peer_copy(from, to, told, target)};
}

Value semaphore_signal(Call& c) {
  Semaphore told = take<Semaphore>(c, 0, "a semaphore");
  const int64_t inc = has(c, 1) ? number(c, 1, 0) : 1;
  const int64_t target = has(c, 2) ? device(c, 2) : c.evaluator.kernel().device_id();
  if (!c.evaluator.failed()) told.signal(inc, target, At(c.expression.place.line));
  return {};
}
Value semaphore_wait(Call& c) {
  Semaphore awaited = take<Semaphore>(c, 0, "a semaphore");
  const int64_t value = has(c, 1) ? number(c, 1, 0) : 1;
  if (!c.evaluator.failed()) awaited.wait(value, At(c.expression.place.line));
  return {};
}

Value dot(Call& c) {
  const Contents a = take<Contents>(c, 0, "contents, as a[...]"),
                 b = take<Contents>(c, 1, "contents, as b[...]");
  if (!c.evaluator.failed() && (a.kind != Contents::Kind::whole || b.kind != Contents::Kind::whole))
    c.evaluator.fail(c.expression.place, "dot takes the contents of two buffers");
  return {Contents{Contents::Kind::product, a.a, b.a}};
}

// What the user asks for is refused by the kernel's own words, without a place.
Value require(Call& c) {
  const int64_t holds = take<int64_t>(c, 0, "a condition");
  const std::string text = take<std::string>(c, 1, "a text");
  if (!c.evaluator.failed()) c.evaluator.kernel().require(holds != 0, text);
  return {};
}
Value needs_product(Call& c) {
  constexpr int64_t kMost = int64_t{1} << 20;  // three of them are still a number
  const int64_t m = number(c, 0, 0, kMost), k = number(c, 1, 0, kMost), n = number(c, 2, 0, kMost);
  if (!c.evaluator.failed()) c.evaluator.kernel().needs_product(m, k, n);
  return {};
}

Value in_a_loop(Call& c) {
  const std::string& name = c.evaluator.name(c.expression.parts[0].name);
  const bool block = name == "block_in" || name == "block_out";
  c.evaluator.fail(c.expression.place,
                   block ? fmt::format("{} stands at the start of an emit_pipeline loop", name)
                         : fmt::format("{} stands behind for … in", name));
  return {};
}

constexpr std::array kRules = {axis_size,
                               axis_index,
                               neighbour,
                               device_at,
                               device_id,
                               ceil_div_of,
                               min_of,
                               max_of,
                               input,
                               output,
                               scratch<MemorySpace::hbm>,
                               scratch<MemorySpace::vmem>,
                               scratch<MemorySpace::smem>,
                               semaphores<&Kernel::dma_semaphore>,
                               semaphores<&Kernel::regular_semaphore>,
                               barrier_semaphore,
                               ds,
                               make_async_copy,
                               make_async_remote_copy,
                               make_async_peer_copy,
                               semaphore_signal,
                               semaphore_wait,
                               dot,
                               require,
                               needs_product,
                               in_a_loop,
                               in_a_loop,
                               in_a_loop,
                               in_a_loop,
                               in_a_loop};

}  // namespace

Extent extent_of(Evaluator& evaluator, const TextPlace& place, const Value& shape) {
  const auto* items = std::get_if<Items>(&shape.is);
  Extent out;
  if (items == nullptr || items->values->size() != 2) {
    evaluator.fail(place, "expected rows and columns, as in (8, 128)");
    return out;
  }
  const auto extent = [&](size_t i) {
    const auto* number = std::get_if<int64_t>(&(*items->values)[i].is);
    if (number == nullptr) evaluator.fail(place, "expected rows and columns, as in (8, 128)");
    return number != nullptr ? *number : 0;
  };
  out = {extent(0), extent(1)};
  constexpr int64_t kMost = int64_t{1} << 31;
  if (out.rows > kMost || out.cols > kMost ||
      (out.rows > 0 && out.cols > 0 && out.rows > kLargest / out.cols))
    evaluator.fail(place,
                   fmt::format("{} × {} elements are more than a device can hold", out.rows, out.cols));
  return out;
}

Value call_builtin(int place, Call call) {
  CHECK(kRules.size() == builtins().size(), kRules.size(), builtins().size());
  Value out = kRules[static_cast<size_t>(place)](call);
  // What the builder refuses is said where it stands; a requirement is the kernel's own word on its sizes.
  if (call.evaluator.failed() && builtins()[static_cast<size_t>(place)].name != "require")
    call.evaluator.kernel().blame(call.expression.place.line, call.expression.place.column);
  return out;
}

}  // namespace shardscope::kernels
