// SPDX-License-Identifier: Apache-2.0
// Any bytes are a mesh and a sharding of Shardy's or an error. The first line is the mesh @m, what is behind
// it the sharding: of one array, of several, of replica groups; inside of manual regions and outside.
#include "engine/base/check.h"
#include "engine/program/mlir/mlir_sharding.h"
#include "tests/fuzz/text_mutator.h"
#include "tests/fuzz/words.h"

namespace {

using namespace shardscope;

const std::vector<std::string_view> kWords = shardy_words();

void check_text(const HloSharding& sharding) {
  const auto again = HloSharding::parse(sharding.text());
  CHECK(again.ok() && *again == sharding, sharding.text());
}

void read_all(SdyShardings& shardings, std::string_view text) {
  for (const ManualAxes& manual : {ManualAxes{}, ManualAxes{"x"}, ManualAxes{"x", "y"}}) {
    for (size_t rank = 0; rank < 4; ++rank) {
      if (const auto sharding = shardings.read(text, rank, manual); sharding.ok()) {
        check_text(sharding->hlo);
        for (const int64_t dim : sharding->tiles.open)
          CHECK(dim >= 0 &&
                    (dim < static_cast<int64_t>(rank) || sharding->hlo.kind == HloSharding::Kind::maximal),
                dim);
      }
      if (const auto inside = shardings.inside(text, rank, manual); inside.ok()) check_text(*inside);
    }
  }
}

}  // namespace

SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const MlirLexer lexer(text, "f.mlir");
  MlirModule module;
  module.meshes.push_back({"m", text.substr(0, line)});
  SdyShardings shardings(lexer, module);
  if (!shardings.read_meshes().ok()) return 0;
  (void)shardings.named_mesh();
  (void)shardings.meshes_text();
  CHECK(shardings.device_count() >= 1, shardings.device_count());
  const std::string_view rest = text.substr(std::min(line + 1, text.size()));
  read_all(shardings, rest);
  if (const auto parts = shardings.per_value(rest); parts.ok())
    for (const std::string_view part : *parts) read_all(shardings, part);
  if (const auto groups = shardings.groups(rest); groups.ok()) {
    const auto again = parse_tile_assignment(tile_assignment_text(*groups));
    CHECK(again.ok() && *again == *groups, tile_assignment_text(*groups));
  }
  return 0;
}
