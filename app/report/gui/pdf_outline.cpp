// SPDX-License-Identifier: Apache-2.0
#include "app/report/gui/pdf_outline.h"

#include <QString>
#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"
#include "views/draw/gui/painter.h"

namespace shardscope::inline app_report {
namespace {

// A text of PDF: UTF-16 with its mark, in hexadecimal.
std::string pdf_text(const std::string& text) {
  std::string out = "<FEFF";
  for (const QChar c : QString::fromStdString(text))
    out += fmt::format("{:04X}", static_cast<unsigned>(c.unicode()));
  return out + ">";
}

// The number behind the last `key`.
std::optional<int64_t> number_behind(const std::string& pdf, const std::string& key) {
  const size_t at = pdf.rfind(key);
  if (at == std::string::npos) return std::nullopt;
  const size_t from = pdf.find_first_not_of(" \n", at + key.size());
  const size_t end = pdf.find_first_not_of("0123456789", from);
  return from == std::string::npos ? std::nullopt : parse_int(pdf.substr(from, end - from));
}

// The pages' objects, in order: what stands between the brackets of /Kids.
std::vector<int64_t> page_objects(const std::string& pdf) {
  const size_t at = pdf.rfind("/Kids");
  if (at == std::string::npos) return {};
  const size_t open = pdf.find('[', at), close = pdf.find(']', at);
  if (open == std::string::npos || close == std::string::npos) return {};
  std::string inside = pdf.substr(open + 1, close - open - 1);
  for (char& c : inside) c = c == '\n' ? ' ' : c;
  std::vector<int64_t> out;
  std::string before_last, last;
  for (const std::string& word : split(inside, ' ')) {
    if (word.empty()) continue;
    if (word == "R")
      if (const auto number = parse_int(before_last)) out.push_back(*number);
    before_last = last;
    last = word;
  }
  return out;
}

struct Update {
  std::string out;
  std::vector<std::pair<int64_t, size_t>> places;  // object and where it begins
  void object(int64_t number, const std::string& text) {
    places.emplace_back(number, out.size());
    out += fmt::format("{} 0 obj\n{}\nendobj\n", number, text);
  }
  void finish(int64_t size, int64_t root, int64_t info, int64_t before) {
    const size_t table = out.size();
    out += "xref\n";
    for (const auto& [number, place] : places) out += fmt::format("{} 1\n{:010} 00000 n \n", number, place);
    out +=
        fmt::format("trailer\n<<\n/Size {}\n/Info {} 0 R\n/Root {} 0 R\n/Prev {}\n>>\nstartxref\n{}\n%%EOF\n",
                    size, info, root, before, table);
  }
};

}  // namespace

Result<std::string> with_outline(std::string pdf, const std::vector<PdfMark>& marks, const PdfPlace& place,
                                 const std::string& date) {
  set_pdf_date(pdf, date);
  const auto size = number_behind(pdf, "/Size"), root = number_behind(pdf, "/Root");
  const auto info = number_behind(pdf, "/Info"), before = number_behind(pdf, "startxref");
  const auto tree = number_behind(pdf, "/Type /Catalog\n/Pages");
  const std::vector<int64_t> pages = page_objects(pdf);
  if (!size || !root || !info || !before || !tree || pages.empty() || marks.empty())
    return io_error("the PDF has another form than expected", "outline");
  const int64_t outline = *size, first = *size + 1;
  const auto count = static_cast<int64_t>(marks.size());
  Update update{std::move(pdf), {}};
  if (update.out.back() != '\n') update.out += '\n';
  update.object(*root, fmt::format("<<\n/Type /Catalog\n/Pages {} 0 R\n/Outlines {} 0 R\n/PageMode "
                                   "/UseOutlines\n/Lang (en)\n>>",
                                   *tree, outline));
  update.object(outline, fmt::format("<< /Type /Outlines /First {} 0 R /Last {} 0 R /Count {} >>", first,
                                     first + count - 1, count));
  for (int64_t i = 0; i < count; ++i) {
    const PdfMark& mark = marks[static_cast<size_t>(i)];
    const size_t page = std::min(static_cast<size_t>(mark.page), pages.size() - 1);
    std::string beside;
    if (i > 0) beside += fmt::format(" /Prev {} 0 R", first + i - 1);
    if (i + 1 < count) beside += fmt::format(" /Next {} 0 R", first + i + 1);
    update.object(first + i,
                  fmt::format("<< /Title {} /Parent {} 0 R{} /Dest [{} 0 R /XYZ null {:.1f} null] >>",
                              pdf_text(mark.title), outline, beside, pages[page],
                              place.top_points - mark.y / place.dots_per_point));
  }
  update.finish(*size + 1 + count, *root, *info, *before);
  return std::move(update.out);
}

}  // namespace shardscope::inline app_report
