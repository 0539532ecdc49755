// SPDX-License-Identifier: Apache-2.0
#include "engine/program/module_form.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/program/dump_reports.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/proto/module_proto.h"
#include "engine/program/proto/profile_modules.h"
#include "engine/program/registered.h"
#include "engine/program/text/log_prefixes.h"

namespace shardscope::inline program {
namespace {

constexpr std::string_view kBytecode = "ML\xefR";
constexpr size_t kHead = 4096;  // of a file, where text shows that it is text

// As a word of a shell's command line.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Error no_bytecode(std::string_view file, bool exported) {
  const std::string path = shell_quoted(file);
  const std::string code =
      exported ? "import sys; from jax import export; "
                 "print(export.deserialize(bytearray(open(sys.argv[1],\"rb\").read())).mlir_module())"
               : "import sys, jax._src.interpreters.mlir as m, jaxlib.mlir.ir as ir; "
                 "print(ir.Module.parse(open(sys.argv[1],\"rb\").read(), context=m.make_ir_context()))";
  return invalid(exported ? "a program that jax.export serialised, whose module is MLIR bytecode"
                          : "MLIR bytecode, expected its text",
                 std::string(file),
                 fmt::format("write it as text: python3 -c '{}' {} > module.mlir", code, path));
}

// "jit_layer" of "jit_layer(12601)".
std::string_view without_copy_number(std::string_view name) {
  return name.substr(0, name.find('('));
}

Result<ModuleText> of_profile(std::string_view bytes, std::string_view file, std::string_view wanted,
                              const std::stop_token& stop) {
  const std::vector<proto::ProfileModule> all = proto::profile_modules(bytes);
  std::vector<std::string> names;
  for (const proto::ProfileModule& m : all) names.push_back(m.name);
  if (all.empty())
    return invalid("the profile keeps no modules", std::string(file), "give the compiled module itself");
  constexpr size_t kMostNamed = 8;
  if (names.size() > kMostNamed) {
    names.resize(kMostNamed);
    names.emplace_back("…");
  }
  const auto chosen = std::ranges::find_if(all, [&](const proto::ProfileModule& m) {
    return wanted.empty() || m.name == wanted || without_copy_number(m.name) == wanted;
  });
  if (chosen == all.end())
    return invalid(fmt::format("no module '{}', the profile has {}", wanted, join(names, ", ")),
                   std::string(file));
  TRY(std::string text, proto::module_proto_text(chosen->module, stop));
  ModuleText out{std::move(text)};
  for (const proto::ProfileModule& m : all)
    if (&m != &*chosen) out.other_modules.push_back(m.name);
  return out;
}

// A flatbuffer begins with where its table stands; of jax.export's the bytecode is among the first fields.
bool is_exported(std::string_view bytes) {
  constexpr size_t kFarthest = size_t{1} << 16;
  if (bytes.size() < 8 || bytes[2] != 0 || bytes[3] != 0) return false;
  return bytes.substr(0, kFarthest).find(kBytecode) != std::string_view::npos;
}

}  // namespace

const std::vector<ModuleSource>& module_sources() {
  static const std::vector<ModuleSource> kSources = {
      {ModuleForm::text,
       to_say("StableHLO or MHLO text, with Shardy's shardings or XLA's"),
       {"mlir"},
       "JAX: jax.jit(f).lower(x).as_text()"},
      {ModuleForm::text,
       to_say("HLO text"),
       {"hlo", "txt"},
       "JAX: lowered.as_text(\"hlo\") · PyTorch/XLA: torch_xla._XLAC._get_xla_tensors_hlo([loss])"},
      {ModuleForm::text,
       to_say("HLO text after the compiler"),
       {"hlo", "txt"},
       "JAX: lowered.compile().as_text() · XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text\""},
      {ModuleForm::proto,
       to_say("HloProto or HloModuleProto"),
       {"pb"},
       "JAX: lowered.compiler_ir(\"hlo\").as_serialized_hlo_module_proto() · "
       "XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_proto\""},
      {ModuleForm::profile,
       to_say("the modules of a profile"),
       {"pb"},
       "JAX: jax.profiler.trace(DIR), *.xplane.pb"},
      {ModuleForm::exported,
       to_say("a program that jax.export serialised: as text first"),
       {},
       "JAX: jax.export.deserialize(data).mlir_module()"},
      {ModuleForm::mlir_bytecode,
       to_say("MLIR bytecode: as text first"),
       {"mlirbc"},
       "stablehlo-opt FILE.mlirbc"},
  };
  return kSources;
}

std::vector<std::string> module_endings() {
  std::vector<std::string> out;
  for (const ModuleSource& source : module_sources())
    for (const std::string& ending : source.endings)
      if (std::ranges::count(out, ending) == 0) out.push_back(ending);
  return out;
}

bool is_binary(std::string_view head) {
  return std::ranges::any_of(head.substr(0, kHead), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 9 || (code > 13 && code < 27) || code == 127;
  });
}

ModuleForm module_form(std::string_view bytes) {
  if (bytes.starts_with(kBytecode)) return ModuleForm::mlir_bytecode;
  if (!is_binary(bytes)) return ModuleForm::text;
  if (proto::module_in_proto(bytes)) return ModuleForm::proto;
  if (proto::is_profile(bytes)) return ModuleForm::profile;
  return is_exported(bytes) ? ModuleForm::exported : ModuleForm::unknown;
}

Result<ModuleText> module_text(std::string bytes, std::string_view file_name, std::string_view module,
                               const std::stop_token& stop) {
  if (auto report = refused_dump_report(bytes, file_name)) return *std::move(report);
  switch (module_form(bytes)) {
    case ModuleForm::text: {
      if (trim(bytes).empty()) return invalid("the file is empty", std::string(file_name));
      auto unlogged = without_log_prefixes(bytes);
      return ModuleText{unlogged ? *std::move(unlogged) : std::move(bytes)};
    }
    case ModuleForm::proto: {
      auto text = proto::module_proto_text(*proto::module_in_proto(bytes), stop);
      if (text.ok()) return ModuleText{*std::move(text)};
      Error error = text.error();
      if (error.kind == ErrorKind::cancelled) return error;
      error.where = std::string(file_name) + (error.where.empty() ? "" : ": " + error.where);
      return error;
    }
    case ModuleForm::profile:
      return of_profile(bytes, file_name, module, stop);
    case ModuleForm::mlir_bytecode:
      return no_bytecode(file_name, false);
    case ModuleForm::exported:
      return no_bytecode(file_name, true);
    case ModuleForm::unknown:
      break;
  }
  return invalid("neither text nor a module that XLA serialised", std::string(file_name),
                 "give HLO or StableHLO as text, an HloProto (.hlo.pb), or a profile (.xplane.pb)");
}

Result<HloText> read_module_bytes(std::string bytes, std::string_view file_name, std::string_view module,
                                  const std::stop_token& stop) {
  const bool of_profile = module_form(bytes) == ModuleForm::profile;
  TRY(const ModuleText as_text, module_text(std::move(bytes), file_name, module, stop));
  TRY(HloText read,
      read_hlo_or_mlir(as_text.text, file_name, of_profile ? std::string_view() : module, stop));
  TRY(read.program, with_own_operations(std::move(read.program)));
  if (of_profile) read.other_modules = as_text.other_modules;
  return read;
}

}  // namespace shardscope::inline program
