// SPDX-License-Identifier: Apache-2.0
// What the model says that a measured operation takes on a chip.
#pragma once

#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/measure/points.h"

namespace shardscope::inline measure {

// The schedule of a collective on a group behind a switch, in two numbers: its steps, and what the busiest
// port sends, as a share of the bytes that a point names. Rings, and an all-to-all directly, as rows of
// link.op are measured.
struct GroupLoad {
  int64_t steps = 0;
  double busiest_share = 0;
  bool operator==(const GroupLoad&) const = default;
};
GroupLoad load_of(CollectiveKind kind, int64_t group);

// By a row of link.op, as the scheduler times that load.
double row_seconds(const Hardware& hardware, const LinkOp& row, const GroupLoad& load,
                   const MeasuredPoint& point);

// What the row of a chip that times it is called: "host-copy" of an h2d, "softmax-short" of rows that a warp
// keeps, where the chip has such a row, else the operation.
std::string work_kind(const Hardware& hardware, const MeasuredPoint& point);

// A collective of more devices than a node of the chip has: rows are of one node.
bool spans_nodes(const Hardware& hardware, const MeasuredPoint& point);

// The row of link.op that times a collective's point; null: none.
const LinkOp* row_for(const Hardware& hardware, const MeasuredPoint& point);

// Products by product_cost, elementwise work by its traffic and launch, collectives by a row of link.op or
// else, and where they span nodes, by playing the schedule that is chosen for them. Errors: a number of the
// chip that it needs is not published, an operation that no rule times.
Result<double> predicted_seconds(const Hardware& hardware, const MeasuredPoint& point,
                                 const std::stop_token& stop = {});

// The collective of a point as a program of its own, timed by schedule().
Result<double> scheduled_seconds(const Hardware& hardware, const MeasuredPoint& point,
                                 const std::stop_token& stop = {});

}  // namespace shardscope::inline measure
