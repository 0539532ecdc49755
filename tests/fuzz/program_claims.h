// SPDX-License-Identifier: Apache-2.0
// What holds of every program that a reader gives, whatever the text was.
#pragma once

#include "engine/base/check.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/text/hlo_text.h"
#include "engine/story/shard_tracer.h"

namespace shardscope {

// It prints, and reads back as the same; whoever asks for its parts gets an answer.
inline void check_program(const Program& program) {
  const std::string text = print_program(program);
  const auto again = parse_program(text);
  CHECK(again.ok(), again.ok() ? "" : again.error().text(), text);
  CHECK(*again == program, text);
  for (const Computation& c : again->computations) {
    for (const Instruction& i : c.instructions) {
      (void)source_line(*again, i);
      (void)custom_call_target(i);
      (void)physical_order(i.shape);
      (void)window_dims(i, i.shape.rank());
      (void)pad_dims(i, i.shape.rank());
      (void)convolution_dims(c, i);
      (void)gather_dims(c, i);
      (void)scatter_dims(c, i);
    }
  }
  if (again->mesh.device_count() <= 64 && verify(*again).ok()) (void)trace_shards(*again);
}

}  // namespace shardscope
