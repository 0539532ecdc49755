// SPDX-License-Identifier: Apache-2.0
// What must hold of every story. Each gives the first thing that breaks it, in words; empty: it holds. Judged
// by what devices hold at moments, not by how the story was made.
#pragma once

#include <string>

#include "engine/story/story.h"

namespace shardscope::inline story {

// Beats' times never decrease, and each event is in one beat. Beat 0 equals the input shardings; the last
// equals the output sharding, complete on every owner (an output that stays unreduced: with the terms that
// devices along its axes make up).
std::string beats_in_order(const Story& story);
std::string begins_with_its_inputs(const Story& story);
std::string ends_with_its_output(const Story& story);
// The source of a transfer holds what it sends when it starts; the target holds it when it ends.
std::string sends_what_is_held(const Story& story);
// Nothing appears without a transfer or a computation.
std::string nothing_appears(const Story& story);
// No contribution is added twice.
std::string adds_nothing_twice(const Story& story);
// The union of terms over all live accumulators never shrinks before it is the whole.
std::string loses_no_terms(const Story& story);
// After a reduce-scatter, and after the first half of a ring all-reduce, each device holds its part with the
// union of its group's terms, and only that.
std::string scatters_sums(const Story& story);

// The first of them all that does not hold: "adds nothing twice: …".
std::string first_broken(const Story& story);

}  // namespace shardscope::inline story
