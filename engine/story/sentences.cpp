// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sentences.h"

#include "engine/base/check.h"
#include "engine/story/beat_words.h"

namespace shardscope {
namespace {

// Where an instruction with a global index stands, and its line without its place in the text.
std::string line_of(const Program& program, int32_t global_index) {
  int32_t first = 0;
  for (const Computation& c : program.computations) {
    const auto count = static_cast<int32_t>(c.instructions.size());
    if (global_index < first + count) {
      std::string line = print_instruction(program, c, InstructionId(global_index - first));
      line.erase(0, line.find_first_not_of(' '));
      return line;
    }
    first += count;
  }
  CHECK(false, global_index);
  return "";
}

std::string parameter_lines(const Program& program) {
  std::string out;
  const Computation& entry = program.entry_computation();
  for (size_t k = 0; k < entry.instructions.size(); ++k) {
    if (entry.instructions[k].opcode != Opcode::parameter) continue;
    const std::string line =
        line_of(program, program.global_index(program.entry, InstructionId(static_cast<int64_t>(k))));
    out += (out.empty() ? "" : "; ") + line;
  }
  return out.empty() ? "no parameters" : out;
}

}  // namespace

const char* name(SentenceLevel level) {
  switch (level) {
    case SentenceLevel::idea:
      return "idea";
    case SentenceLevel::moves:
      return "moves";
    case SentenceLevel::program:
      return "program";
  }
  return "";
}

std::vector<SentenceLevel> sentence_levels() {
  return {SentenceLevel::idea, SentenceLevel::moves, SentenceLevel::program};
}

const std::string& Sentences::at(SentenceLevel level) const {
  return level == SentenceLevel::idea ? idea : level == SentenceLevel::moves ? moves : program;
}

Sentences sentences(const Story& story, int32_t beat) {
  CHECK(beat >= 0 && static_cast<size_t>(beat) < story.beats().size(), beat);
  const int32_t instruction = story.beats()[static_cast<size_t>(beat)].instruction;
  if (instruction < 0) return {idea_before(story), moves_before(story), parameter_lines(story.program())};
  return {idea_of(story, beat), moves_of(story, beat), line_of(story.program(), instruction)};
}

}  // namespace shardscope
