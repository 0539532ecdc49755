// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/builtins.h"

#include <algorithm>

#include "engine/base/say.h"
#include "engine/base/text.h"

namespace shardscope::kernels {

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> kBuiltins = {
      {"axis_size", "axis", to_say("How many devices a mesh axis has")},
      {"axis_index", "axis", to_say("The place of this device on a mesh axis")},
      {"neighbour", "axis, offset",
       to_say("The device so many places further on a mesh axis, round the ring")},
      {"device_at", "x, y=, z=", to_say("The device with these places on the mesh's axes")},
      {"device_id", "", to_say("The number of this device")},
      {"ceil_div", "a, b", to_say("a over b, rounded up")},
      {"min", "a, b", to_say("The smaller number")},
      {"max", "a, b", to_say("The larger number")},
      {"input", "shape, space=, same_over=",
       to_say("An array that the kernel is given; same_over=\"y\": the same one along y"), true},
      {"output", "shape, space=, same_over=, sharded_over=",
       to_say("An array that the kernel must write; what out_specs say of an axis: the same along it, or own "
              "rows"),
       true},
      {"hbm", "shape, type=", to_say("A buffer in hbm, which DMA alone reaches"), true},
      {"vmem", "shape, type=", to_say("A buffer in vmem, where the device computes"), true},
      {"smem", "shape, type=", to_say("A buffer in smem, for scalars"), true},
      {"dma_semaphore", "count=", to_say("A semaphore that copies tell, in bytes; with a count that many"),
       true},
      {"regular_semaphore", "count=", to_say("A semaphore that devices signal; with a count that many"),
       true},
      {"barrier_semaphore", "", to_say("A semaphore that exists before the kernel is entered"), true},
      {"ds", "first, count", to_say("So many rows or columns from the first on")},
      {"make_async_copy", "src, dst, sem", to_say("A copy on this device; start() starts it, wait() waits")},
      {"make_async_remote_copy", "src, dst, send_sem, recv_sem, device_id",
       to_say("A copy to another device, which tells recv_sem there")},
      {"make_async_peer_copy", "src, dst, sem, device_id",
       to_say("GPUs: a store into a peer's memory, which tells sem here when it is written there")},
      {"semaphore_signal",
       "sem, inc=, device_id=", to_say("Adds to a semaphore, of another device if it is named")},
      {"semaphore_wait", "sem, value=", to_say("Waits until a semaphore holds as much, and takes it")},
      {"dot", "a, b", to_say("The product of two arrays, to be added to a third")},
      {"require", "condition, text", to_say("Refuses sizes and meshes on which the condition does not hold")},
      {"needs_product", "m, k, n",
       to_say("The product that the result takes of this device; more is wasted")},
      {"range", "a, b=", to_say("for: a loop without grid steps")},
      {"grid", "a, b=, c=", to_say("for: the grid; its last axis is the fastest")},
      {"emit_pipeline", "a, b=, c=, buffers=",
       to_say("for: a grid whose blocks are fetched and stored while others are computed")},
      {"block_in", "ref, shape, index", to_say("emit_pipeline: the block of an array that a step reads")},
      {"block_out", "ref, shape, index", to_say("emit_pipeline: the block of an array that a step writes")},
  };
  return kBuiltins;
}

int builtin_named(std::string_view name) {
  const auto found = std::ranges::find(builtins(), name, &Builtin::name);
  return found == builtins().end() ? -1 : static_cast<int>(found - builtins().begin());
}

namespace {

Parameters read_parameters(const Builtin& builtin) {
  Parameters out;
  for (const std::string& part : split(builtin.parameters, ',')) {
    std::string_view name = trim(part);
    const bool optional = name.ends_with('=');
    if (optional) name.remove_suffix(1);
    out.names.emplace_back(name);
    if (!optional) ++out.needed;
  }
  return out;
}

}  // namespace

const Parameters& parameters_of(const Builtin& builtin) {
  static const std::vector<Parameters> kAll = [] {
    std::vector<Parameters> all;
    for (const Builtin& each : builtins()) all.push_back(read_parameters(each));
    return all;
  }();
  return kAll[static_cast<size_t>(&builtin - builtins().data())];
}

const Expr* argument_of(const Builtin& builtin, const Expr& call, std::string_view parameter) {
  const std::vector<std::string>& names = parameters_of(builtin).names;
  const auto place = static_cast<size_t>(std::ranges::find(names, parameter) - names.begin());
  if (place == names.size()) return nullptr;
  for (size_t i = 1; i < call.parts.size(); ++i) {
    if (call.keys[i].empty() ? i - 1 == place : call.keys[i] == parameter) return &call.parts[i];
  }
  return nullptr;
}

}  // namespace shardscope::kernels
