// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/module_text.h"

#include "engine/program/mlir/mlir_lowering.h"
#include "engine/program/mlir/mlir_modules.h"

namespace shardscope::inline program {

Result<Program> read_stablehlo(std::string_view text, std::string_view file_name,
                               const std::stop_token& stop) {
  return MlirLowering(text, file_name, stop).program();
}

bool is_mlir(std::string_view text) {
  MlirLexer lexer(text, "");
  if (lexer.accept("!")) return !lexer.suffix().empty();
  // "#loc = …", not a line of HLO behind "# ".
  if (lexer.accept("#")) return !lexer.suffix().empty() && lexer.accept("=");
  if (lexer.starts_with("\"builtin.module\"") || lexer.starts_with("\"func.func\"")) return true;
  const std::string_view word = lexer.word();
  if (word == "func.func" || word == "sdy.mesh") return true;
  if (word != "module") return false;
  return lexer.starts_with("@") || lexer.starts_with("{") || lexer.starts_with("attributes");
}

Result<HloText> read_hlo_or_mlir(std::string_view text, std::string_view file_name, std::string_view module,
                                 const std::stop_token& stop) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // as editors put it in front of UTF-8
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!is_mlir(text)) return read_hlo(text, file_name, module, stop);
  TRY(ChosenModule part, choose_module(mlir_modules(text), module, file_name));
  TRY(Program program, MlirLowering(text.substr(0, part.end), file_name, stop, part.start).program());
  return HloText{std::move(program), std::nullopt, std::move(part.others)};
}

}  // namespace shardscope::inline program
