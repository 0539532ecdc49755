// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pallas/pallas_statements.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/kernels/pallas/pallas_expressions.h"
#include "engine/kernels/pallas/tiled_product.h"
#include "engine/kernels/program/sizes.h"
#include "engine/kernels/text/parser.h"

namespace shardscope::kernels {
namespace {

class Writer {
 public:
  Writer(const KernelText& text, const KernelOptions& options, const KernelLayout& layout,
         PallasDialect dialect)
      : text_(text),
        options_(options),
        layout_(layout),
        gpu_(dialect == PallasDialect::mosaic_gpu),
        says_(text) {}

  Result<PallasParts> write(const std::string& where) {
    for (const Statement& s : text_.body) top(s);
    if (problem_) return problem_error(*problem_, where);
    if (!gpu_semaphores_.empty()) {
      std::string named = fmt::format("    semaphores_ = semaphores({})\n", gpu_semaphores_.size());
      for (size_t i = 0; i < gpu_semaphores_.size(); ++i)
        named += fmt::format("    {} = semaphores_.at[{}]\n", gpu_semaphores_[i], i);
      out_.body = named + out_.body;
    }
    return std::move(out_);
  }

 private:
  void fail(const TextPlace& place, std::string what) {
    if (!problem_) problem_ = TextProblem{place, 1, std::move(what), ""};
  }

  // What a declaration makes: an entry of one of the lists, or a name in the body.
  void declare(int32_t target, const Builtin& builtin, const Expr& e) {
    const std::string called_so = says_.name(target);
    if (says_.is_traced(e))
      return fail(e.place, fmt::format("the size of {} depends on the device", called_so));
    says_.trace(target);
    if (gpu_ && builtin.name.ends_with("_semaphore")) return gpu_semaphore(called_so, builtin, e);
    if (gpu_ && (builtin.name == "vmem" || builtin.name == "smem"))
      return;  // what a tiled product sums in: it has a place of its own there
    if (builtin.name == "barrier_semaphore") {
      if (!std::exchange(has_barrier_, true)) {
        out_.body += fmt::format("    {} = pltpu.get_barrier_semaphore()\n", called_so);
        return;
      }
      out_.scratch += fmt::format("    \"{}\": pltpu.SemaphoreType.REGULAR,\n", called_so);
      out_.scratched.push_back(called_so);
      return;
    }
    if (builtin.name == "dma_semaphore" || builtin.name == "regular_semaphore") {
      const char* kind = builtin.name == "dma_semaphore" ? "DMA" : "REGULAR";
      const Expr* count = argument_of(builtin, e, "count");
      out_.scratch += fmt::format("    \"{}\": semaphores(pltpu.SemaphoreType.{}{}),\n", called_so, kind,
                                  count == nullptr ? "" : ", " + says_.shown(*count));
      out_.scratched.push_back(called_so);
      return;
    }
    const std::string shape = says_.shown(*argument_of(builtin, e, "shape"));
    const Expr* type = argument_of(builtin, e, "type");
    const std::string element = type == nullptr ? "dtype" : says_.shown(*type);
    const Expr* space = argument_of(builtin, e, "space");
    const std::string where = space == nullptr ? "hbm" : says_.shown(*space);
    if (builtin.name == "input") {
      const Expr* over = argument_of(builtin, e, "same_over");
      const auto& buffers = layout_.buffers;
      const auto place =
          std::ranges::find(buffers, says_.plain(target), &KernelBuffer::name) - buffers.begin();
      out_.inputs += fmt::format("    \"{}\": ({}, \"{}\", {}, {}),\n", called_so, shape, where,
                                 over == nullptr ? "None" : says_.shown(*over), place);
      out_.given.push_back(called_so);
    } else if (builtin.name == "output" || builtin.name == "hbm") {
      const bool output = builtin.name == "output";
      const Expr *same = argument_of(builtin, e, "same_over"), *own = argument_of(builtin, e, "sharded_over");
      if (output && (same != nullptr || own != nullptr))
        out_.specs +=
            fmt::format("    \"{}\": ({}, {}),\n", called_so, same == nullptr ? "None" : says_.shown(*same),
                        own == nullptr ? "None" : says_.shown(*own));
      (output ? out_.outputs : out_.workspaces) +=
          fmt::format("    \"{}\": ({}, \"{}\", {}),\n", called_so, shape, where, element);
      (output ? out_.written : out_.worked).push_back(called_so);
    } else {
      const char* memory = builtin.name == "vmem" ? "VMEM" : "SMEM";
      out_.scratch += fmt::format("    \"{}\": pltpu.{}({}, {}),\n", called_so, memory, shape, element);
      out_.scratched.push_back(called_so);
    }
  }

  // GPUs signal each other by semaphores in global memory; what a store into a peer tells is the TMA engine's
  // own count, which has no name.
  void gpu_semaphore(const std::string& called_so, const Builtin& builtin, const Expr& e) {
    if (argument_of(builtin, e, "count") != nullptr)
      return fail(e.place, "the GPU dialect has no arrays of semaphores");
    if (builtin.name == "dma_semaphore") {
      out_.body += fmt::format("    {} = None\n", called_so);
    } else {
      gpu_semaphores_.push_back(called_so);
    }
  }

  // What only one of the dialects has.
  bool is_said(const Expr& e) {
    const Builtin* function = says_.called(e);
    if (function == nullptr) return true;
    const bool copy = function->name.starts_with("make_async"),
               peer = function->name == "make_async_peer_copy";
    if (!copy || gpu_ == peer) return true;
    fail(e.place,
         gpu_ ? fmt::format("the GPU dialect has no {}: store into a peer with make_async_peer_copy",
                            function->name)
              : "Pallas of TPUs has no make_async_peer_copy: write the GPU dialect (--dialect mosaic-gpu)");
    return false;
  }

  void top(const Statement& s) {
    if (s.kind == Statement::Kind::size) {
      const std::string& plain = says_.plain(s.targets[0]);
      const auto known = std::ranges::find(kernel_sizes(), plain, &KernelSize::name);
      const std::optional<int64_t>& given = options_.*known->field;
      out_.statics += fmt::format("{} = {}\n", says_.name(s.targets[0]),
                                  given ? std::to_string(*given) : says_.shown(s.values[0]));
      return;
    }
    const Builtin* function = s.values.empty() ? nullptr : says_.called(s.values[0]);
    if (s.kind == Statement::Kind::call && function != nullptr &&
        (function->name == "require" || function->name == "needs_product") && !says_.is_traced(s.values[0])) {
      out_.statics += says_.shown(s.values[0]) + "\n";
      return;
    }
    if (s.kind != Statement::Kind::assign) return line(s, 1);
    for (size_t i = 0; i < s.values.size(); ++i) {
      const Builtin* made = says_.called(s.values[i]);
      if (made != nullptr && made->declares) {
        declare(s.targets[i], *made, s.values[i]);
      } else if (says_.is_traced(s.values[i]) || s.values[i].kind == Expr::Kind::list) {
        if (!is_said(s.values[i])) return;
        says_.trace(s.targets[i]);
        out_.body += fmt::format("    {} = {}\n", says_.name(s.targets[i]), says_.shown(s.values[i]));
      } else {
        out_.statics += fmt::format("{} = {}\n", says_.name(s.targets[i]), says_.shown(s.values[i]));
      }
    }
  }

  void block(const std::vector<Statement>& statements, size_t depth, size_t first = 0) {
    for (size_t i = first; i < statements.size(); ++i) line(statements[i], depth);
    if (first >= statements.size()) out_.body += std::string(4 * depth, ' ') + "pass\n";
  }

  std::string names(const std::vector<int32_t>& targets, size_t first = 0) {
    std::vector<std::string> out;
    for (size_t i = first; i < targets.size(); ++i) {
      says_.trace(targets[i]);
      out.push_back(says_.name(targets[i]));
    }
    return join(out, ", ");
  }

  void line(const Statement& s, size_t depth) {
    const std::string indent(4 * depth, ' ');
    for (const std::string& comment : s.comments)
      out_.body += comment.empty() ? "\n" : indent + comment + "\n";
    switch (s.kind) {
      case Statement::Kind::size:
        return fail(s.place, "a size stands outside of blocks");
      case Statement::Kind::assign:
        for (const Expr& e : s.values)
          if (const Builtin* made = says_.called(e); made != nullptr && made->declares)
            return fail(e.place, "Pallas declares buffers and semaphores outside of blocks");
        if (!std::ranges::all_of(s.values, [&](const Expr& e) { return is_said(e); })) return;
        return assign(s, indent);
      case Statement::Kind::store:
        return store(s, indent);
      case Statement::Kind::call:
        if (const Builtin* f = says_.called(s.values[0]);
            f != nullptr && (f->name == "require" || f->name == "needs_product"))
          return;
        out_.body += indent + says_.shown(s.values[0]) + "\n";
        return;
      case Statement::Kind::loop:
        return loop(s, depth);
      case Statement::Kind::when:
        out_.body += fmt::format("{}@pl.when({})\n{}def _():\n", indent, says_.shown(s.values[0]), indent);
        return block(s.body, depth + 1);
      case Statement::Kind::scope: {
        if (gpu_) return tiled_product(s.body.size() == 1 ? s.body[0] : s, indent);
        std::vector<std::string> made;
        for (size_t i = 0; i < s.values.size(); ++i) {
          const Expr& e = s.values[i];
          const Builtin* space = says_.called(e);
          const Expr* shape = space == nullptr ? nullptr : argument_of(*space, e, "shape");
          if (shape == nullptr || space->name != "vmem")
            return fail(e.place, "a block has buffers in vmem");  // one that never runs was not asked before
          const Expr* type = argument_of(*space, e, "type");
          made.push_back(fmt::format("{}=pltpu.VMEM({}, {})", says_.name(s.targets[i]), says_.shown(*shape),
                                     type == nullptr ? "dtype" : says_.shown(*type)));
        }
        out_.body += fmt::format("{}@functools.partial(pl.run_scoped, {})\n{}def _({}):\n", indent,
                                 join(made, ", "), indent, names(s.targets));
        return block(s.body, depth + 1);
      }
      case Statement::Kind::function:
        out_.body += fmt::format("{}def {}({}):\n", indent, says_.name(s.targets[0]), names(s.targets, 1));
        return block(s.body, depth + 1);
    }
  }

  // A pipeline that sums products of blocks in f32 and stores each sum once: of all that a block of vmem can
  // be for, what GPUs have an engine for.
  void tiled_product(const Statement& s, const std::string& indent) {
    const auto product = product_in_tiles(text_, s);
    if (!product)
      return fail(s.place, "the GPU dialect has one pipeline: sums of products of blocks, each stored once");
    out_.body +=
        fmt::format("{}tiled_product({}, {}, {}, ({}, {}, {}))\n", indent, says_.shown(*product->left),
                    says_.shown(*product->right), says_.shown(*product->result), says_.shown(*product->rows),
                    says_.shown(*product->depth), says_.shown(*product->cols));
  }

  void assign(const Statement& s, const std::string& indent) {
    std::vector<std::string> targets;
    for (size_t i = 0; i < s.targets.size(); ++i) {
      if (says_.is_traced(s.values[i])) says_.trace(s.targets[i]);
      targets.push_back(says_.name(s.targets[i]));
    }
    out_.body += fmt::format("{}{} = {}\n", indent, join(targets, ", "), says_.listed(s.values, 0));
  }

  void store(const Statement& s, const std::string& indent) {
    if (gpu_) return fail(s.place, "the GPU dialect computes tiled products alone");
    const Expr& target = s.values[0];
    const bool whole = target.parts.size() == 2 && target.parts[1].word == "...";
    const std::string view =
        says_.shown(target.parts[0]) + (whole ? "" : ".at[" + says_.listed(target.parts, 1) + "]");
    const Expr& value = s.values[1];
    const Builtin* function = says_.called(value);
    std::string stored = says_.shown(value);
    if (value.kind == Expr::Kind::number) {
      stored = fmt::format("jnp.zeros({}.shape, {}.dtype)", view, view);
    } else if (function != nullptr || s.word == "=") {
      stored = fmt::format("{}.astype({}.dtype)", function != nullptr ? stored : "(" + stored + ")", view);
    }
    out_.body += fmt::format("{}{}[...] {} {}\n", indent, view, s.word, stored);
  }

  void loop(const Statement& s, size_t depth) {
    const std::string indent(4 * depth, ' ');
    const Expr& over = s.values[0];
    const Builtin* function = says_.called(over);
    if (function != nullptr && function->name == "emit_pipeline")
      return gpu_ ? tiled_product(s, indent) : pipeline(s, depth);
    std::vector<std::string> counted;
    for (const int32_t target : s.targets) counted.push_back(says_.name(target));
    out_.body += fmt::format("{}for {} in {}:\n", indent, join(counted, ", "), says_.shown(over));
    block(s.body, depth + 1);
  }

  void pipeline(const Statement& s, size_t depth) {
    const std::string indent(4 * depth, ' ');
    std::vector<std::string> counted, ins, outs, blocks, extents;
    for (const int32_t target : s.targets) counted.push_back(says_.name(target));
    const std::string index = join(counted, ", ");
    const Expr& over = s.values[0];
    std::string buffers;
    for (size_t i = 1; i < over.parts.size(); ++i) {
      if (over.keys[i] == "buffers") {
        buffers = ", buffers=" + says_.shown(over.parts[i]);
      } else {
        extents.push_back(says_.shown(over.parts[i]));
      }
    }
    std::vector<std::string> read, written;
    size_t first = 0;
    for (; first < s.body.size() && s.body[first].kind == Statement::Kind::assign; ++first) {
      const Builtin* function = says_.called(s.body[first].values[0]);
      if (function == nullptr || !function->name.starts_with("block_")) break;
      const Expr& e = s.body[first].values[0];
      if (e.parts.size() != 4) return fail(e.place, "expected a buffer, a shape and an index");
      const bool in = function->name == "block_in";
      (in ? ins : outs)
          .push_back(fmt::format("({}, {}, lambda {}: {})", says_.shown(e.parts[1]), says_.shown(e.parts[2]),
                                 index, says_.shown(e.parts[3])));
      (in ? read : written).push_back(says_.name(s.body[first].targets[0]));
      says_.trace(s.body[first].targets[0]);
    }
    const std::string inside = indent + "        ";
    out_.body += fmt::format("{}@blocks({},\n{}ins=[{}],\n{}outs=[{}]{})\n", indent, join(extents, ", "),
                             inside, join(ins, ",\n" + inside + "     "), inside,
                             join(outs, ",\n" + inside + "      "), buffers);
    counted.insert(counted.end(), read.begin(), read.end());
    counted.insert(counted.end(), written.begin(), written.end());
    out_.body += fmt::format("{}def _({}):\n", indent, join(counted, ", "));
    block(s.body, depth + 1, first);
  }

  const KernelText& text_;
  const KernelOptions& options_;
  const KernelLayout& layout_;
  bool gpu_ = false;
  std::vector<std::string> gpu_semaphores_;
  PallasExpressions says_;
  PallasParts out_;
  bool has_barrier_ = false;
  std::optional<TextProblem> problem_;
};

}  // namespace

Result<PallasParts> pallas_parts(const KernelText& text, const KernelOptions& options,
                                 const KernelLayout& layout, const std::string& where,
                                 PallasDialect dialect) {
  return Writer(text, options, layout, dialect).write(where);
}

}  // namespace shardscope::kernels
