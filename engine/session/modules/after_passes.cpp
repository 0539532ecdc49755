// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/after_passes.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/session/modules/collective_volume.h"

namespace shardscope {
namespace {

// Through all passes, to what the module was partitioned from.
StageLinks links_through(const Partitioned& made, const BackendPass& last) {
  std::vector<StageLink> links;
  int32_t number = 0;
  for (const Computation& c : last.program->computations)
    for (size_t k = 0; k < c.instructions.size(); ++k, ++number)
      for (const int32_t source : sources_in(made, last, number))
        for (const int32_t before : made.links.sources(source)) links.push_back({number, before});
  return StageLinks(std::move(links));
}

// What the collective was made of says why it is there.
void take_reason(const Partitioned& made, const BackendPass& last, CollectiveOrigin& row) {
  std::vector<const CollectiveOrigin*> of;
  for (const std::string& source : sources_in(made, last, row.name))
    for (const CollectiveOrigin& each : made.collectives)
      if (each.name == source) of.push_back(&each);
  if (of.empty()) return;
  const CollectiveOrigin own = std::exchange(row, *of.front());
  row.name = own.name;
  row.bytes = own.bytes;
  if (of.size() > 1) row.rule += fmt::format("; {} in one", of.size());
}

}  // namespace

Partitioned after_passes(const std::shared_ptr<const Partitioned>& made,
                         const std::shared_ptr<const BackendPass>& last, const Hardware& hardware) {
  Partitioned out = *made;
  out.program = last->program;
  out.links = links_through(*made, *last);
  out.collectives = own_collectives(*out.program, hardware);
  for (CollectiveOrigin& row : out.collectives) take_reason(*made, *last, row);
  for (const auto& pass : passes_of(last))
    for (const std::string& said : pass->said) out.notes.push_back(pass->pass + ": " + said);
  choose_algorithms(out, hardware);
  return out;
}

}  // namespace shardscope
