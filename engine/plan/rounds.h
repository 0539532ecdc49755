// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/dependencies.h"
#include "engine/plan/work.h"

namespace shardscope::inline planner {

// A round is a program step: works that follow each other in program order and name the same step. It is an
// overlapped one when a collective of it runs beside a product of it or of the step just before (operands of
// a step travel while the step before multiplies), neither of which depends on the other. The devices of such
// a round synchronise once, which takes Hardware::overlap.sync_s: the first such product begins with it, and
// so does each such collective that does not wait for another, as neither chain of rounds goes on without it.
// Works of no step (what a module does outside of its loops) make no round.
// Sets Work::synchronises.
void find_rounds(const Dependencies& needs, WorkPlan& plan);

}  // namespace shardscope::inline planner
