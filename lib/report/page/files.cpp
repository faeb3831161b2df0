// SPDX-License-Identifier: Apache-2.0
#include "report/page/files.h"

#include <fmt/format.h>

#include "report/text/xml_text.h"

namespace spb::report {
namespace {

std::string item(std::string_view file, std::string_view meaning) {
  return fmt::format("<li><a href=\"{0}\">{0}</a>: {1}</li>\n", xml_text(file), meaning);
}

}  // namespace

std::string files_section(std::span<const Plot> plots, std::string_view records_file) {
  std::string text = "<ul>\n" + item("results.csv", "every row, every column") +
                     item("summary.md", "the tables of this page as Markdown");
  if (!records_file.empty()) text += item(records_file, "the records that all this is made of");
  text += "</ul>\n";
  if (plots.empty())
    return text +
           "<p class=\"note\">No plots: gnuplot was left out or not installed when this page was "
           "made.</p>\n";
  text += "<ul class=\"plots\">\n";
  const Plot* last = nullptr;
  for (const Plot& plot : plots) {
    if (!last || last->device != plot.device || last->kind != plot.kind) {
      const std::string device = plot.device ? ", " + plot.device->title() : "";
      text +=
          fmt::format("{}<li>{}{}:", last ? "</li>\n" : "", xml_text(plot.kind), xml_text(device));
    }
    text += fmt::format(" <a href=\"plots/{0}.svg\">{0}</a> (<a href=\"plots/{0}.png\">png</a>)",
                        xml_text(plot.name));
    last = &plot;
  }
  return text + "</li>\n</ul>\n";
}

}  // namespace spb::report
