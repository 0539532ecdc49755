// SPDX-License-Identifier: Apache-2.0
// The arrays of a story, the blocks that cut them, and which block a piece is in.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "engine/program/ir/mesh_place.h"
#include "engine/story/teller.h"

namespace shardscope::inline story {
namespace {

// X's blocks are a0, a1, …; those of W and Y w0, y0; of any other array its symbol with a dot: dX.0.
std::string block_prefix(const ArrayInfo& info) {
  switch (info.role) {
    case ArrayRole::lhs:
      return "a";
    case ArrayRole::rhs:
      return "w";
    case ArrayRole::product:
      return "y";
    case ArrayRole::block_gram:
      return "g";
    case ArrayRole::operand:
    case ArrayRole::argument:
    case ArrayRole::result:
      break;
  }
  return symbol_of(info) + ".";
}

const char* role_word(ArrayRole role) {
  switch (role) {
    case ArrayRole::lhs:
      return "lhs";
    case ArrayRole::rhs:
      return "rhs";
    case ArrayRole::product:
      return "product";
    case ArrayRole::block_gram:
      return "block_gram";
    case ArrayRole::operand:
    case ArrayRole::argument:
      return "operand";
    case ArrayRole::result:
      return "result";
  }
  return "";
}

// Names and cuts an array as the program says of an input or output.
void describe(const Mesh& mesh, const ArrayInfo& info, StoryArray& array) {
  auto sharding = NamedSharding::make(mesh, info.spec, info.unreduced);
  if (!sharding.ok() || !sharding->shard_shape(info.dims).ok()) return;
  array.name = symbol_of(info);
  array.role = role_word(info.role);
  array.transposed = info.transposed;
  array.sharding = *std::move(sharding);
  array.prefix = block_prefix(info);
  array.counts.clear();
  for (size_t d = 0; d < info.dims.size(); ++d) array.counts.push_back(array.sharding->shards(d));
  array.owners.assign(static_cast<size_t>(array.block_count()), {});
  for (int32_t device = 0; device < mesh.device_count(); ++device) {
    if (!is_home(mesh, info, DeviceId(device))) continue;
    int64_t block = 0;
    for (size_t d = 0; d < info.dims.size(); ++d)
      block = block * array.counts[d] + array.sharding->shard_index(DeviceId(device), d);
    array.owners[static_cast<size_t>(block)].push_back(device);
  }
}

// The value of output `k` of the entry.
const std::vector<ShardValue>* output_value(const TraceState& state, size_t k) {
  const std::vector<InstructionId> results = result_ids(state.entry);
  if (k >= results.size()) return nullptr;
  const InstructionId id = results[k];
  return &state.values[static_cast<size_t>(id.value)];
}

// By stored dimension of an output the array's dimension that it is; empty: it is not that array.
std::vector<size_t> stored_order(const ShardPiece& piece, const StoryArray& array, const ArrayInfo& info) {
  if (piece.dims.size() != info.dims.size() || array.dims.size() != info.dims.size()) return {};
  std::vector<size_t> order(info.dims.size(), info.dims.size());
  std::vector<bool> taken(info.dims.size(), false);
  for (size_t d = 0; d < order.size(); ++d) {
    if (piece.dims[d].global < 0 || piece.dims[d].digits.empty()) continue;
    order[d] = static_cast<size_t>(piece.dims[d].global);
    if (taken[order[d]]) return {};
    taken[order[d]] = true;
  }
  for (size_t d = 0; d < order.size(); ++d) {  // of one element: what is left
    for (size_t g = 0; g < order.size() && order[d] == order.size(); ++g) {
      if (taken[g] || array.dims[g] != info.dims[d]) continue;
      order[d] = g;
      taken[g] = true;
    }
    if (order[d] == order.size() || array.dims[order[d]] != info.dims[d]) return {};
  }
  return order;
}

// Turns an array and its pieces to the order in which it is stored.
void turn(const std::vector<size_t>& order, int32_t number, StoryArray& array, std::vector<Piece>& pieces) {
  if (std::is_sorted(order.begin(), order.end())) return;
  std::vector<int64_t> dims;
  for (const size_t g : order) dims.push_back(array.dims[g]);
  array.dims = std::move(dims);
  if (array.product) {
    for (std::vector<int32_t>* of_factor : {&array.product->first_dims, &array.product->second_dims})
      for (int32_t& d : *of_factor)
        if (d >= 0)
          d = static_cast<int32_t>(std::ranges::find(order, static_cast<size_t>(d)) - order.begin());
  }
  for (Piece& piece : pieces) {
    if (piece.array != number) continue;
    for (IndexBox& box : piece.index) {
      IndexBox turned;
      for (const size_t g : order) turned.push_back(box[g]);
      box = std::move(turned);
    }
    std::sort(piece.index.begin(), piece.index.end());
  }
}

// Whether an array that only one device knows is all of an output: no other device has a part of it.
bool is_all_of(const Mesh& mesh, const StoryArray& array, const ArrayInfo& info) {
  for (int32_t d = 0; array.is_local() && d < mesh.device_count(); ++d)
    if (d != array.device && is_home(mesh, info, DeviceId(d))) return false;
  return true;
}

void describe_outputs(const TraceState& state, std::vector<StoryArray>& arrays, std::vector<Piece>& pieces) {
  const std::vector<ArrayInfo> outputs = outputs_of(state.program);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const auto* value = output_value(state, k);
    if (value == nullptr) continue;
    for (const ShardValue& on_device : *value) {
      const auto part = std::find_if(on_device->begin(), on_device->end(), [](const ShardPiece& piece) {
        return piece.kind == ShardPiece::Kind::part;
      });
      if (part == on_device->end()) continue;
      StoryArray& array = arrays[static_cast<size_t>(part->array)];
      const std::vector<size_t> order = stored_order(*part, array, outputs[k]);
      if (order.empty() || !array.role.empty() || !is_all_of(state.program.mesh, array, outputs[k])) break;
      turn(order, part->array, array, pieces);
      describe(state.program.mesh, outputs[k], array);
      break;
    }
  }
}

// Of an array that is made on the way: how the first instruction that makes it cuts it, when that is even.
void cut_as_made(const TraceState& state, std::vector<StoryArray>& arrays) {
  std::vector<bool> seen(arrays.size(), false);
  for (const std::vector<ShardValue>& devices : state.values) {
    std::set<int> now;
    for (size_t d = 0; d < devices.size(); ++d) {
      if (devices[d]->size() != 1 || (*devices[d])[0].kind != ShardPiece::Kind::part) continue;
      const ShardPiece& piece = (*devices[d])[0];
      const auto number = static_cast<size_t>(piece.array);
      StoryArray& array = arrays[number];
      if (!array.role.empty() || array.is_local()) continue;
      if (!seen[number]) {
        seen[number] = true;
        std::vector<int64_t> sizes(array.dims.size(), 1);
        for (const PieceDim& dim : piece.dims)
          if (dim.global >= 0 && dim.digits.size() == 1 && dim.digits[0].stride == 1)
            sizes[static_cast<size_t>(dim.global)] *= dim.digits[0].extent;
        bool even = true;
        for (size_t g = 0; g < sizes.size(); ++g)
          even = even && array.dims[g] % sizes[g] == 0 && piece.base[g] % sizes[g] == 0;
        if (!even) continue;
        for (size_t g = 0; g < sizes.size(); ++g) array.counts[g] = array.dims[g] / sizes[g];
        array.owners.assign(static_cast<size_t>(array.block_count()), {});
        now.insert(piece.array);
      }
      if (!now.contains(piece.array)) continue;
      int64_t block = 0;
      for (size_t g = 0; g < array.dims.size(); ++g)
        block = block * array.counts[g] + piece.base[g] / (array.dims[g] / array.counts[g]);
      array.owners[static_cast<size_t>(block)].push_back(static_cast<int32_t>(d));
    }
  }
}

// Whether a block of the array has the name of an instruction: block 1 of "dot" beside "dot.1".
bool named_as_instruction(const StoryArray& array, const std::set<std::string>& instructions) {
  const int64_t blocks = array.block_count();
  if (!array.sharding && blocks == 1) return false;
  for (int64_t b = 0; b < blocks; ++b)
    if (instructions.contains(array.prefix + std::to_string(b))) return true;
  return false;
}

// No two arrays, and no two blocks, are called the same, nor is a block as an instruction: of arrays that
// are, the later ones are numbered, and inputs and outputs come first.
void tell_apart(const Computation& entry, std::vector<StoryArray>& arrays) {
  std::set<std::string> instructions;
  for (const Instruction& i : entry.instructions) instructions.insert(i.name);
  std::vector<StoryArray*> order;
  for (StoryArray& array : arrays) order.push_back(&array);
  std::stable_sort(order.begin(), order.end(), [](const StoryArray* a, const StoryArray* b) {
    return !a->role.empty() && b->role.empty();
  });
  std::set<std::string> names;
  std::set<std::string> prefixes;
  for (StoryArray* array : order) {
    const std::string name = array->name;
    for (int n = 2; !names.insert(array->name).second; ++n) array->name = fmt::format("{}#{}", name, n);
    if (array->name != name || prefixes.contains(array->prefix)) array->prefix = array->name + ".";
    if (named_as_instruction(*array, instructions)) array->prefix = array->name + ":";
    prefixes.insert(array->prefix);
  }
}

// Those that the terms do not walk along, of one element, come last.
void number_summed(std::vector<int> order, std::vector<int32_t>& dims) {
  for (int d = 0; d < std::ssize(dims); ++d)
    if (dims[static_cast<size_t>(d)] < 0 && std::ranges::find(order, d) == order.end()) order.push_back(d);
  for (size_t place = 0; place < order.size(); ++place)
    dims[static_cast<size_t>(order[place])] = -1 - static_cast<int32_t>(place);
}

// The product has the first factor's dimensions before the second's; those of a batch are both's.
ProductOf product_of(const Contraction& c) {
  ProductOf out{c.first, c.second, {}, {}};
  int32_t next = 0;
  std::vector<int32_t> batch;
  for (const DimUse use : c.first_use) {
    if (use == DimUse::batch) batch.push_back(next);
    out.first_dims.push_back(use == DimUse::contracted ? -1 : next++);
  }
  size_t batches = 0;
  for (const DimUse use : c.second_use) {
    const bool shared = use == DimUse::batch && batches < batch.size();
    out.second_dims.push_back(use == DimUse::contracted ? -1 : shared ? batch[batches++] : next++);
  }
  number_summed(c.first_order, out.first_dims);
  number_summed(c.second_order, out.second_dims);
  return out;
}

// Into how many equal parts the terms of each array come in this run.
void part_terms(const std::vector<Piece>& pieces, std::vector<StoryArray>& arrays) {
  std::vector<int64_t> unit(arrays.size(), 0);
  for (const Piece& piece : pieces)
    for (const IndexRange& range : piece.terms)
      unit[static_cast<size_t>(piece.array)] =
          std::gcd(unit[static_cast<size_t>(piece.array)], std::gcd(range.start, range.stop));
  for (size_t a = 0; a < arrays.size(); ++a) {
    const int64_t each = std::gcd(unit[a], arrays[a].terms);
    arrays[a].term_parts = each > 0 ? arrays[a].terms / each : 1;
  }
}

// Blocks that a box of an array touches.
void append_blocks(const StoryArray& array, const IndexBox& box, size_t d, int64_t block,
                   std::vector<int64_t>& out) {
  if (d == box.size()) {
    out.push_back(block);
    return;
  }
  const int64_t size = array.dims[d] / array.counts[d];
  for (int64_t b = box[d].start / size; b * size < box[d].stop; ++b)
    append_blocks(array, box, d + 1, block * array.counts[d] + b, out);
}

// A piece in one block.
struct PieceInBlock {
  PieceId piece = 0;
  BlockShare share;
  int64_t whole = 0;                 // elements of the block
  SmallVector<IndexRange, 4> first;  // the piece's first box in the block
};

// Ascending by block, of each piece in turn.
std::vector<PieceInBlock> pieces_in_blocks(const std::vector<StoryArray>& arrays,
                                           const std::vector<Piece>& pieces) {
  std::vector<PieceInBlock> out;
  out.reserve(pieces.size());
  std::vector<int64_t> blocks;
  IndexBox whole;  // of the block that was looked at last
  std::pair<int32_t, int64_t> whole_of{-1, -1};
  for (size_t p = 0; p < pieces.size(); ++p) {
    const Piece& piece = pieces[p];
    const StoryArray& array = arrays[static_cast<size_t>(piece.array)];
    blocks.clear();
    for (const IndexBox& box : piece.index) append_blocks(array, box, 0, 0, blocks);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    for (const int64_t block : blocks) {
      if (block != whole_of.second || piece.array != whole_of.first) whole = array.block_box(block);
      whole_of = {piece.array, block};
      PieceInBlock in{static_cast<PieceId>(p), {{piece.array, block, 1, 1}, 0}, elements(whole), {}};
      for (const IndexBox& box : piece.index) {
        const int64_t common = common_elements(box, whole);
        for (size_t d = 0; common > 0 && in.share.elements == 0 && d < box.size(); ++d)
          in.first.push_back({std::max(box[d].start, whole[d].start), std::min(box[d].stop, whole[d].stop)});
        in.share.elements += common;
      }
      out.push_back(std::move(in));
    }
  }
  return out;
}

// Parts of one block that are of one size are numbered by where they begin.
void number_parts(std::vector<PieceInBlock>& all) {
  std::vector<PieceInBlock*> parts;
  for (PieceInBlock& in : all)
    if (in.share.elements < in.whole) parts.push_back(&in);
  const auto kind = [](const PieceInBlock* in) {
    return std::make_tuple(in->share.part.array, in->share.part.block, in->share.elements);
  };
  std::sort(parts.begin(), parts.end(), [&](const PieceInBlock* a, const PieceInBlock* b) {
    return kind(a) != kind(b) ? kind(a) < kind(b) : a->first < b->first;
  });
  for (size_t begin = 0; begin < parts.size();) {
    size_t end = begin;
    int32_t number = 0;
    for (; end < parts.size() && kind(parts[end]) == kind(parts[begin]); ++end) {
      if (end == begin || parts[end]->first != parts[end - 1]->first) ++number;
      parts[end]->share.part.part = number;
    }
    const int64_t each = parts[begin]->share.elements;
    const int64_t fits = (parts[begin]->whole + each - 1) / each;
    for (size_t k = begin; k < end; ++k)
      parts[k]->share.part.parts = static_cast<int32_t>(std::max<int64_t>(fits, number));
    begin = end;
  }
}

}  // namespace

std::vector<StoryArray> story_arrays(const TraceState& state, std::vector<Piece>& pieces) {
  std::vector<StoryArray> arrays;
  for (int a = 0; a < state.arrays.count(); ++a) {
    const TracedArray& traced = state.arrays.at(a);
    StoryArray array;
    array.name = traced.name;
    if (traced.device >= 0) {
      array.name += "@" + state.program.mesh.place(DeviceId(traced.device));
      array.device = traced.device;
    }
    array.dims = traced.dims;
    array.terms = traced.terms;
    array.counts.assign(traced.dims.size(), 1);
    array.prefix = array.name + ".";
    arrays.push_back(std::move(array));
  }
  for (const Contraction& c : state.arrays.contractions())
    arrays[static_cast<size_t>(c.product)].product = product_of(c);
  for (size_t k = 0; k < state.inputs.size(); ++k)
    describe(state.program.mesh, state.program.inputs[k], arrays[static_cast<size_t>(state.inputs[k])]);
  describe_outputs(state, arrays, pieces);
  cut_as_made(state, arrays);
  tell_apart(state.entry, arrays);
  part_terms(pieces, arrays);
  return arrays;
}

std::vector<std::vector<BlockShare>> find_blocks(const std::vector<StoryArray>& arrays,
                                                 const std::vector<Piece>& pieces) {
  std::vector<PieceInBlock> all = pieces_in_blocks(arrays, pieces);
  number_parts(all);
  std::vector<std::vector<BlockShare>> out(pieces.size());
  for (const PieceInBlock& in : all) out[static_cast<size_t>(in.piece)].push_back(in.share);
  return out;
}

}  // namespace shardscope::inline story
