// SPDX-License-Identifier: Apache-2.0
// A value for each row of the table of fields that is not its default: a test of a door walks the table with
// them, so that a new row is tested as soon as it stands there.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "engine/request/fields.h"

namespace shardscope {

// An experiment that the values below fit: a mesh of 2x2 and two runs of a strategy with roles row and col.
inline Experiment plain_experiment() {
  Experiment e;
  e.mesh = Mesh::parse("row=2,col=2").value();
  e.problem = {8, 16, 32, ElementType::f16, ElementType::f32};
  e.runs = {{.strategy = "summa.os"}, {.strategy = "meshslice.os"}};
  return e;
}

// Words are told by the table, numbers by their range; what is structured is told here.
inline std::string other_text(const Field& field) {
  if (!field.values.empty()) {
    for (const std::string& word : field.values)
      if (word != default_text(field)) return word;
  }
  if (field.spelling == Spelling::count && field.key == "seed") return "18446744073709551615";
  if (field.spelling == Spelling::count) return std::to_string(field.range ? field.range->least + 3 : 3);
  if (field.spelling == Spelling::number) return "0.0625";
  if (field.spelling == Spelling::flag) return default_text(field) == "on" ? "off" : "on";
  if (field.spelling == Spelling::list) return R"(["one","two, \"three\""])";
  if (field.spelling == Spelling::pairs) return "col=row,row=col";
  if (field.key == "mesh") return "a=2,b=2";
  if (field.key == "wrap") return "none";
  if (field.key == "device-order") return "3,1,2,0";
  if (field.key == "slow-device") return "0=0.5,3=0.25";
  if (field.key == "slow-link") return "0-1=0.125";
  if (field.key == "link") return "col=x0.5,row=0";
  if (field.key == "place") return "col=node,row=network";
  if (field.key == "peak" || field.key == "hbm") return "x2";
  if (field.key == "latency" || field.key == "launch") return "2e-06";
  if (field.key == "take") return "conditional.3=2,true";
  if (field.key == "trip-count") return "while.1=126,4";
  if (field.key == "custom-call") return "flash=1000000000000,3000000000,foo=0,0,0.002";
  if (field.key == "carry") return "Y=W,1=p{0,1}";
  if (field.key == "regions") return "4x16";
  if (field.key == "hardware") return "tpu-v4";
  if (field.key == "reference") return "psum";
  if (field.key == "strategy") return "wang.os";
  if (field.key.find("spec") != std::string::npos || field.key.starts_with("in-")) return "P('row',None)";
  return "a \"text\" of its own\nin two lines, µ";
}

}  // namespace shardscope
