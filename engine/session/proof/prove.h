// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/array.h"
#include "engine/numerics/rules/run_limits.h"
#include "engine/partition/types/partitioned.h"
#include "engine/run/numerics_report.h"

namespace shardscope::inline session {

// Whether the partitioned program computes what the module, its first stage, does. Both are run in their own
// types: equal bits prove it. Where bits differ, both are run again in f64, where roundings hide nothing:
// there a missing, doubled or misplaced part shows, whatever the types; where even f64 leaves a doubt, by how
// much the results move with the last places of the arguments says what is noise. A value that is kept in
// fewer bits than the module asks for is wrong, a sum that is rounded as its type says is not. A module with
// manual regions means nothing on one device: it is compared with itself, whole arrays outside of the regions
// (partition_regions_only). What an operation has no meaning for is not known, with all that depends on it:
// the other leaves are proved.
struct PartitionProof {
  NumericsReport report;             // of the first leaf that differs, else of the last
  bool bit_equal = false;            // every bit of every leaf
  double wall_s = 0;                 // of executing the partitioned program alone
  std::vector<Array> leaves;         // of the partitioned program's result; empty where it is not known
  std::vector<std::string> unknown;  // by leaf: why it is not; "": it is
  std::map<std::string, std::string> stopped;  // instructions without a meaning here, and why
  int64_t instructions = 0;                    // of the entry that do not depend on those
  std::optional<Partitioned> known;            // the partitioned program of the known leaves; none: of all
};
// Errors: what cannot be run; more bytes than this machine has. exact: in f64 alone, when nobody asks for the
// values; bits are those of f64 then.
enum class ProofTypes { own, exact };
Result<PartitionProof> prove(const Partitioned& partitioned, const std::vector<Array>& arguments,
                             const Workers& workers, RunLimits limits, ProofTypes types = ProofTypes::own);

// Bytes that running both takes at its peak, about. Error: stopped.
Result<double> bytes_to_prove(const Program& module, const Program& partitioned, const std::stop_token& stop);

}  // namespace shardscope::inline session
