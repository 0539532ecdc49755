// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/program/analysis/analysis.h"
#include "engine/run/run.h"
#include "engine/story/story.h"

namespace shardscope::inline story {

// What an instruction is called in tables, and of a product its size.
struct OperationName {
  std::string verb, place;  // "all-gather", "col"; a product has no place
  DotSize size{0, 0, 0, 0};
};
OperationName operation_name(const Program& program, int32_t index);  // a global index
std::string product_name(const DotSize& size);                        // "product 2048×1024×128": m×k×n

// The arrays whose pieces travel, by instruction: "W", "X and W".
std::map<int32_t, std::string> travelling_arrays(const Story& story);
// One that is waited for elsewhere does what the plain one does: "all-gather" of "all-gather-start".
std::string verb_of(const OperationName& name);
// What an instruction does, by what it does it to, whatever it is called: "all-gather of W over row",
// "product 2048×1024×1024", "add f32[2048,1024]". `array`: what travels, of a collective; empty: not known.
std::string operation_key(const Program& program, int32_t index, const std::string& array);

// The device at the other end of the link that the event holds; the target where links are no mesh's.
int32_t link_end(const Run& run, const Event& transfer);
// Whether the link that a transfer's event holds is the last one on its way.
bool arrives(const Run& run, const Event& transfer);
// Whether a transfer is communication of `device`: it leaves there, or arrives there over its last link.
bool leaves_or_arrives(const Run& run, const Event& transfer, int32_t device);

}  // namespace shardscope::inline story
