// SPDX-License-Identifier: Apache-2.0
// The text of a value's sharding, the same wherever people read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/partition_spec.h"

namespace shardscope::inline sharding {

// Whether the text is the sharding of a tuple, HloSharding::parse_tuple's: braces within braces, or nothing.
bool is_tuple_sharding(std::string_view text);

// As JAX prints it, each of `rank` dimensions written out: "P('x', None, ('y', 'z'), unreduced={'w'})".
std::string spec_text(const PartitionSpec& spec, size_t rank, const std::vector<std::string>& unreduced = {});
// The same of a sharding on a mesh; "" where no PartitionSpec on it says it.
std::string spec_text(const HloSharding& sharding, const Mesh& mesh, size_t rank,
                      const std::vector<std::string>& unreduced = {});

// For people: the spec where the mesh's axes say it, else as XLA writes it; what devices have partial sums of
// says so: "P('x', None) with partial sums over y".
std::string sharding_text(const HloSharding& sharding, const Mesh& mesh, size_t rank);
// `what`: "partial sums". Without axes it is `sharding` as it is.
std::string with_partial(std::string sharding, std::string_view what, const std::vector<std::string>& axes);

}  // namespace shardscope::inline sharding
