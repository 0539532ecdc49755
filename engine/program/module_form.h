// SPDX-License-Identifier: Apache-2.0
// A module as users have it in a file, whatever the form: text, XLA's messages, a profile that holds some.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::inline program {

enum class ModuleForm : unsigned char {
  text,           // HLO or StableHLO
  proto,          // HloProto, HloModuleProto: *.hlo.pb
  profile,        // XSpace: *.xplane.pb
  mlir_bytecode,  // *.mlirbc
  exported,       // what jax.export serialises: MLIR bytecode inside
  unknown,        // bytes that are none of these
};
// How people come by a module: a row for every form of file that is read, or that an error says how to make
// text of.
struct ModuleSource {
  ModuleForm form;
  std::string title;                 // "StableHLO or MHLO text, with Shardy's shardings or without"
  std::vector<std::string> endings;  // that such files have as a rule, without the dot
  std::string from;                  // what writes one: "JAX: jax.jit(f).lower(x).as_text()"
};
const std::vector<ModuleSource>& module_sources();
std::vector<std::string> module_endings();  // of all, each once

// By what is in the file, not by its name.
ModuleForm module_form(std::string_view bytes);
// Whether a file that begins like this is no text, and may be one of the others.
bool is_binary(std::string_view head);

// A module as text, and the names of what else the file holds.
struct ModuleText {
  std::string text;
  std::vector<std::string> other_modules{};
};
// Text stays as it is, without the prefixes of a log; what is binary is written out as HLO text. Of a profile
// the module of this name, with or without its program's number, or the largest. Errors: bytecode, with the
// command that makes text of it.
Result<ModuleText> module_text(std::string bytes, std::string_view file_name, std::string_view module = {},
                               const std::stop_token& stop = {});

// The two in one: of several modules the one called `module`, as read_hlo and module_text say. Custom-calls
// of the module's own computations are calls (registered.h).
Result<HloText> read_module_bytes(std::string bytes, std::string_view file_name, std::string_view module = {},
                                  const std::stop_token& stop = {});

}  // namespace shardscope::inline program
