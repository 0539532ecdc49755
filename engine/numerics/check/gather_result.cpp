// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/gather_result.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "engine/base/check.h"
#include "engine/numerics/array/copy.h"
#include "engine/numerics/check/partial_inputs.h"
#include "engine/numerics/check/reference.h"
#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/rules/convert.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::inline numerics {

namespace {

const int64_t kTransposed[] = {1, 0};

View oriented(const Array& array, bool transposed) {
  return transposed ? View::of(array).transpose(kTransposed) : View::of(array);
}

View box_of(View view, const IndexBox& box) {
  for (size_t d = 0; d < box.size(); ++d) view = *view.slice(d, box[d].start, box[d].stop);
  return view;
}

ViewPtr zeros_like(const View& shard) {
  Array zero = Array::allocate(shard.type(), {});
  std::memset(zero.mutable_data(), 0, static_cast<size_t>(zero.bytes()));
  return std::make_shared<const View>(View::splat(zero, shard.dims()));
}

// Along `unreduced` axes devices hold parts that add up to their shard.
void share_out(const Mesh& mesh, const std::vector<std::string>& unreduced,
               const std::vector<size_t>& shard_of, const std::vector<ViewPtr>& shards,
               std::vector<ViewPtr>& held) {
  int64_t parts = 1;
  for (const std::string& axis : unreduced) parts *= mesh.axis_size(*mesh.axis_index(axis));
  std::vector<std::vector<ViewPtr>> parts_of;
  parts_of.reserve(shards.size());
  for (const ViewPtr& shard : shards) parts_of.push_back(partial_sums_of(*shard, parts));
  for (size_t d = 0; d < held.size(); ++d) {
    int64_t place = 0;
    for (const std::string& axis : unreduced) {
      const int position = *mesh.axis_index(axis);
      place = place * mesh.axis_size(position) + mesh.coordinate(DeviceId(static_cast<int64_t>(d)), position);
    }
    held[d] = parts_of[shard_of[d]][static_cast<size_t>(place)];
  }
}

// The partial sums that members hold: floats in f64 and rounded once.
Array added_up(const std::vector<ViewPtr>& views, const std::map<std::vector<int64_t>, size_t>& members) {
  const View& first = *views[members.begin()->second];
  const ElementType type = first.type();
  const ElementType wide = is_floating(type) ? ElementType::f64 : type;
  const int64_t count = first.element_count();
  Array total = Array::allocate(wide, first.dims()), part = Array::allocate(wide, first.dims());
  const auto add = elementwise_kernel(Opcode::add, wide).two;
  for (auto it = members.begin(); it != members.end(); ++it) {
    Array& into = it == members.begin() ? total : part;
    convert_elements(type, views[it->second]->data(), wide, into.mutable_data(), count);
    if (it != members.begin()) add(total.data(), part.data(), total.mutable_data(), count);
  }
  Array sum = Array::allocate(type, first.dims());
  convert_elements(wide, total.data(), type, sum.mutable_data(), count);
  return sum;
}

}  // namespace

Result<std::vector<std::vector<ViewPtr>>> shard_inputs(const Program& program, ProgramArrays arrays,
                                                       const Workers& workers, const std::stop_token& stop,
                                                       BufferPool pool) {
  const int64_t devices = program.mesh.device_count();
  std::vector<std::vector<ViewPtr>> parameters;
  std::map<std::string, int> readers;
  for (const ArrayInfo& info : program.inputs) ++readers[symbol_of(info)];
  for (const ArrayInfo& info : program.inputs) {
    TRY(const NamedSharding sharding, NamedSharding::make(program.mesh, info.spec));
    TRY_VOID(sharding.shard_shape(info.dims));
    const std::string symbol = symbol_of(info);
    const View whole = oriented(arrays.by_symbol.at(symbol), info.transposed);
    if (--readers[symbol] == 0) arrays.by_symbol.erase(symbol);
    std::map<IndexBox, size_t> index;
    std::vector<IndexBox> boxes;
    std::vector<size_t> shard_of;
    for (int64_t d = 0; d < devices; ++d) {
      IndexBox box = sharding.slices(DeviceId(d), info.dims);
      const auto [it, fresh] = index.emplace(box, boxes.size());
      if (fresh) boxes.push_back(std::move(box));
      shard_of.push_back(it->second);
    }
    std::vector<Array> memory;
    std::vector<ViewPtr> shards;
    for (const IndexBox& box : boxes) {
      std::vector<int64_t> dims;
      for (const auto& side : box) dims.push_back(side.size());
      memory.push_back(pool.take(whole.type(), std::move(dims)));
      shards.push_back(std::make_shared<View>(View::of(memory.back())));
    }
    workers.parallel_for(std::ssize(boxes), [&](int64_t b) {
      const size_t at = static_cast<size_t>(b);
      if (!stop.stop_requested()) copy_to(box_of(whole, boxes[at]), memory[at].mutable_data());
    });
    if (stop.stop_requested()) return cancelled();
    std::vector<ViewPtr> held;
    held.reserve(shard_of.size());
    for (size_t shard : shard_of) held.push_back(shards[shard]);
    if (!info.unreduced.empty()) share_out(program.mesh, info.unreduced, shard_of, shards, held);
    if (!info.home.empty()) {
      const ViewPtr nothing = zeros_like(*shards.front());
      for (int64_t d = 0; d < devices; ++d)
        if (!is_home(program.mesh, info, DeviceId(d))) held[static_cast<size_t>(d)] = nothing;
    }
    parameters.push_back(std::move(held));
  }
  return parameters;
}

Result<GatheredResult> gather_result(const Program& program, size_t output,
                                     const std::vector<DeviceValue>& shards, Interpreter& interpreter,
                                     const Workers& workers, const std::stop_token& stop) {
  const bool several = !program.further_outputs.empty();
  const ArrayInfo& info = output == 0 ? *program.output : program.further_outputs[output - 1];
  TRY(const NamedSharding sharding, NamedSharding::make(program.mesh, info.spec, info.unreduced));
  TRY(const std::vector<int64_t> shard_dims, sharding.shard_shape(info.dims));
  const Shape& root = program.entry_computation().root_instruction().shape;
  const ElementType type = several ? root.elements[output].type : root.type;
  std::vector<ViewPtr> views;
  views.reserve(shards.size());
  for (const DeviceValue& shard : shards)
    views.push_back(interpreter.view_of(several ? shard.elements[output] : shard, type));
  Loops loops(workers, stop);
  views = materialise(views, interpreter.pool(), loops);
  if (stop.stop_requested()) return cancelled();
  std::vector<int> unreduced;
  for (const std::string& axis : info.unreduced) unreduced.push_back(*program.mesh.axis_index(axis));
  GatheredResult result{interpreter.pool().take(type, info.dims), ""};
  // box -> (place on the unreduced axes -> first device that holds it)
  std::map<IndexBox, std::map<std::vector<int64_t>, size_t>> holders;
  for (size_t d = 0; d < views.size(); ++d) {
    const DeviceId device(static_cast<int64_t>(d));
    if (views[d]->dims() != shard_dims) {
      return invalid("the program's result has another shape than its output sharding says", program.name);
    }
    if (!is_home(program.mesh, info, device)) continue;
    std::vector<int64_t> place;
    place.reserve(unreduced.size());
    for (int axis : unreduced) place.push_back(program.mesh.coordinate(device, axis));
    const auto [it, fresh] = holders[sharding.slices(device, info.dims)].emplace(std::move(place), d);
    const size_t bytes = static_cast<size_t>(stored_bytes(type, views[d]->element_count()));
    if (!fresh && views[d] != views[it->second] &&
        std::memcmp(views[d]->data(), views[it->second]->data(), bytes) != 0 && result.disagreement.empty()) {
      result.disagreement = "devices " + std::to_string(it->second) + " and " + std::to_string(d) +
                            " hold different copies of the same part of " +
                            (several ? symbol_of(info) : std::string("the result"));
    }
  }
  for (const auto& [box, members] : holders) {
    if (stop.stop_requested()) return cancelled();
    const View& first = *views[members.begin()->second];
    if (members.size() == 1) {
      paste(first.data(), box, result.array);
      continue;
    }
    const Array sum = added_up(views, members);
    paste(sum.data(), box, result.array);
  }
  if (info.transposed) result.array = copy_of(View::of(result.array).transpose(kTransposed));
  return result;
}

Result<Array> expected_result(const Program& program, const ArrayInfo& info, const ProgramArrays& arrays,
                              const ProblemData& data, const Workers& workers, const std::stop_token& stop) {
  if (!program.definitions.empty()) {
    const auto made = arrays.by_symbol.find(symbol_of(info));
    if (made != arrays.by_symbol.end()) return made->second;
    return invalid("no definition says what " + symbol_of(info) + " is", program.name, "say --numerics off");
  }
  switch (info.role) {
    case ArrayRole::product:
      return data.reference;
    case ArrayRole::lhs:
      return data.lhs;
    case ArrayRole::rhs:
      return data.rhs;
    case ArrayRole::operand:
    case ArrayRole::argument:
    case ArrayRole::result:
      return invalid("the program does not say what its result " + symbol_of(info) + " is", program.name,
                     "give it definitions, or say --numerics off");
    case ArrayRole::block_gram:
      break;
  }
  const ArrayInfo& input = program.inputs.front();
  TRY(const NamedSharding blocks, NamedSharding::make(program.mesh, input.spec));
  TRY(const NamedSharding stacked, NamedSharding::make(program.mesh, info.spec));
  const View whole = oriented(arrays.by_symbol.at(symbol_of(input)), input.transposed);
  const ElementType type = result_type(data.problem.dtype);
  Array expected = Array::allocate(type, info.dims);
  for (int64_t d = 0; d < program.mesh.device_count(); ++d) {
    const View block = box_of(whole, blocks.slices(DeviceId(d), input.dims));
    auto gram = reference_product(copy_of(block.transpose(kTransposed)), copy_of(block), type, workers, stop);
    if (!gram) return cancelled();
    paste(gram->product.data(), stacked.slices(DeviceId(d), info.dims), expected);
  }
  return expected;
}

}  // namespace shardscope::inline numerics
