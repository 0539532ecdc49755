// SPDX-License-Identifier: Apache-2.0
// XLA's SPMD partitioner, explained: one program for all devices out of a module with shardings, and why each
// collective in it is there. Rules in the order of xla/service/spmd (dot_handler.cc, spmd_partitioner.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/stages/stage.h"
#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/moves.h"
#include "engine/sharding/propagation_kind.h"

namespace shardscope::inline partitioner {

// tpu2022: gathers through a new leading dimension, lists in shardings and groups, products as convolutions.
// current: the open-source partitioner of today, one all-gather per dimension.
enum class SpmdDialect { tpu2022, current };
const char* name(SpmdDialect dialect);
Result<SpmdDialect> parse_spmd_dialect(std::string_view text);

struct PartitionOptions {
  std::optional<int64_t> devices;  // unset: what the module's shardings or its num_partitions say
  SpmdDialect dialect = SpmdDialect::current;
  // Operands of at least so many MiB (of all devices) become a loop of products and permutes instead of a
  // gather; unset: never.
  std::optional<double> windowed_einsum_mib;
  // Arrays without a sharding get theirs from the annotated ones first; else they are replicated.
  bool propagate = false;
  // By whom; unset: by Shardy for a module in its words, by XLA's own propagation for others.
  std::optional<Propagation> propagation{};
  std::optional<Results> results{};  // as of PropagationOptions
  Partitioner partitioner = Partitioner::spmd;
  ReplicaParts replica_parts = ReplicaParts::never;
  // How such a loop is written: two steps a round on an even number of devices; shards both ways round when
  // it is a multiple of four (that one wins).
  bool unroll_windowed_einsum = false;
  bool bidirectional_windowed_einsum = false;
  std::stop_token stop{};                  // a large module takes a minute
  std::function<void(double)> progress{};  // which part of the entry is written; may be empty
};

// Why a collective is in the partitioned program.
struct CollectiveOrigin {
  std::string name;         // of the instruction in the partitioned program
  std::string rule;         // "dot, non-contracting dimensions: rhs leads, so lhs is gathered"
  std::string operand;      // of the source instruction: "lhs p0.1"
  std::string instruction;  // the source instruction that needed it
  std::string from, to;     // shardings as XLA writes them
  // As JAX writes them, "P('x', None)" or, of sums that are still to be added up,
  // "P('x', None, unreduced={'y'})"; "": the mesh's axes do not say it.
  std::string from_spec, to_spec;
  std::string from_text, to_text;  // for people, as sharding_text: "P('x', None) with partial sums over y"
  std::string moved, consumer;     // what is moved and what needs it, as display_name
  std::string op_name;             // what the user's code calls the consumer; "": the module does not say
  std::string source_line;         // "model.py:12", when the module says so
  int32_t line = 0;                // of the module's own text, where `consumer` stands; 0: it does not say
  int64_t bytes = 0;               // of the larger of what it reads and what it makes, on a device
  double bytes_sent = 0;           // per device and execution, the mean
  std::string algorithm;           // that sends so many; "": not chosen, they are those of the ring

  // "from P('x', None) to P()", in XLA's tiles where no spec says it or they were asked for; "": nothing
  // does, or it stays as it is.
  std::string way(bool tiles = false) const {
    const std::string &before = tiles ? from : from_text, &after = tiles ? to : to_text;
    return before == after ? "" : "from " + before + " to " + after;
  }
};

// A resharding that went through a full copy on every device.
struct Rematerialization {
  std::string instruction;
  std::string from, to;
  std::string message;                // as XLA prints it
  std::string suggestion;             // a sharding in between that would avoid it
  std::optional<HloSharding> stop{};  // that sharding; none: there is none
};

// One line of the memory log: an instruction and its size.
struct MemoryLine {
  int64_t bytes = 0;
  std::string text;
  std::vector<std::string> created;  // of the report "during": what the visit made
};
struct SpmdLog {
  std::vector<MemoryLine> before_replicated, before, after, during;  // the five largest of each
  std::vector<std::string> steps;  // "Partitioning computation …", "Resharding … from … to …"
  std::string text() const;        // as XLA logs it, without the log prefix
};

// Its program is cleaned up and runs on its mesh. An instruction is there for all that it is made of: one
// that says what two said is there for both.
struct Partitioned : ModuleStage {
  // Leaves of the parameters in order of their numbers and of the result (one each when they are no tuples):
  // their shardings over all devices, global shapes, and the parameters' names in the module ("p", or "p{1}"
  // of a tuple).
  std::vector<HloSharding> parameters, results;
  std::vector<Shape> parameter_shapes, result_shapes;
  std::vector<std::string> parameter_names;
  std::vector<CollectiveOrigin> collectives;  // in program order
  std::vector<Rematerialization> rematerializations;
  std::vector<std::string> padding;  // sentences: which arrays their shardings do not divide
  SpmdLog log;
  // Who spread shardings and why he, which of several meshes is meant: sentences.
  std::vector<std::string> notes;
  // All that should be known before the program is trusted with time and memory: full copies, padding.
  std::vector<std::string> warnings() const;
};
// The stage that is partitioned, `last` or before it; null: it is not.
std::shared_ptr<const Partitioned> partitioned_stage(const StagePtr& last);

}  // namespace shardscope::inline partitioner
