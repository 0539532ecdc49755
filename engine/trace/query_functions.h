// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// SQLite's instr(), replace() and the trims with two arguments take a time that grows with the product of
// what is searched and what is sought, and nothing stops them in between: a query gets the same with a time
// that grows with the sum.
void make_searching_linear(const Database& db);

}  // namespace shardscope::inline trace
