// SPDX-License-Identifier: Apache-2.0
// Runs gnuplot and takes from its files what differs between machines and times.
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <unistd.h>

#include "core/child_process.h"
#include "core/error.h"
#include "report/plots/plots.h"
#include "report/plots/style.h"
#include "report/records/append_file.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFont = "DejaVu Sans";
constexpr int kFontSize = 11;
// For slides; a page uses the SVG. Plots of many rows are large enough as they are.
double png_scale(const Plot& plot) { return plot.height < 600 ? 1.5 : 1; }
constexpr double kPointsPerPixel = 0.75;  // the size of a font is pixels in SVG, points in PNG

std::string find_gnuplot() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / "gnuplot";
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

using File = std::unique_ptr<std::FILE, decltype([](std::FILE* file) { std::fclose(file); })>;

File temporary_file() {
  File file(std::tmpfile());
  if (!file) throw input_error("plots", "a temporary file cannot be made");
  return file;
}

void to_begin(std::FILE* file) {
  if (std::fseek(file, 0, SEEK_SET) != 0)
    throw input_error("plots", "a temporary file cannot be read");
}

std::string content(std::FILE* file) {
  std::string text;
  to_begin(file);
  std::array<char, 4096> piece{};
  while (const size_t count = std::fread(piece.data(), 1, piece.size(), file))
    text.append(piece.data(), count);
  return text;
}

/// Files instead of pipes: neither side can wait for the other.
void run_gnuplot(const std::string& program, const std::string& script, const fs::path& folder,
                 double limit_s) {
  const File input = temporary_file(), output = temporary_file();
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0)
    throw input_error("plots", "the commands for gnuplot cannot be written", "is the disk full?");
  to_begin(input.get());
  std::fflush(nullptr);  // else the child would have unwritten text of ours
  const pid_t child = fork();
  if (child < 0) throw input_error("plots", "gnuplot cannot be started");
  if (child == 0) {
    setenv("LC_ALL", "C.UTF-8", 1);
    if (dup2(fileno(input.get()), STDIN_FILENO) < 0 ||
        dup2(fileno(output.get()), STDOUT_FILENO) < 0 ||
        dup2(fileno(output.get()), STDERR_FILENO) < 0 || chdir(folder.c_str()) != 0)
      _exit(127);
    // -d: no settings of the user.
    execl(program.c_str(), "gnuplot", "-d", "-", static_cast<char*>(nullptr));
    _exit(127);
  }
  const ChildEnd end = end_child(child, limit_s);
  if (end.was_killed)
    throw input_error("plots",
                      fmt::format("gnuplot took longer than {:g} s and was ended", limit_s),
                      "give --no-plots, or see why " + program + " stops");
  if (end.status == 0) return;
  std::string words;
  for (const char c : content(output.get()))
    if (!std::isspace(static_cast<unsigned char>(c)))
      words += c;
    else if (!words.ends_with(' '))
      words += ' ';
  throw input_error("plots", fmt::format("gnuplot failed: {}", words.substr(0, 300)));
}

std::string script_of(const Plot& plot) {
  const double scale = png_scale(plot);
  return fmt::format(
      "reset\nset encoding utf8\n"
      "set terminal svg noenhanced size {0},{1} font '{2},{3}' background '#ffffff'\n"
      "set output '{4}.svg'\n{5}set output\n"
      "set terminal pngcairo noenhanced size {6:.0f},{7:.0f} font '{2},{3}' fontscale {9} "
      "linewidth {8} pointscale {8} background '#ffffff'\n"
      "set output '{4}.png'\nreplot\nset output\n",
      plot.width, plot.height, kFont, kFontSize, plot.name, plot.script, plot.width * scale,
      plot.height * scale, scale, scale * kPointsPerPixel);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Removes every part from `begin` to `end`, both included.
void remove_parts(std::string& text, std::string_view begin, std::string_view end) {
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const size_t last = text.find(end, at);
    if (last == std::string::npos) return;
    text.erase(at, last + end.size() - at);
  }
}

/// What says nothing: attributes with their default values, then groups without content. Half of
/// the bytes.
void remove_noise(std::string& svg) {
  for (const char* attribute : {" stroke-linecap=\"butt\"", " stroke-linejoin=\"miter\"",
                                " stroke-width=\"1.00\"", " class=\"gridline\""})
    replace_all(svg, attribute, "");
  for (size_t at = svg.find("<g "); at != std::string::npos; at = svg.find("<g ", at)) {
    const size_t end = svg.find('>', at) + 1;
    constexpr std::string_view kEmpty = "\n</g>\n";
    if (svg.compare(end, kEmpty.size(), kEmpty) == 0)
      svg.erase(at, end + kEmpty.size() - at);
    else
      at = end;
  }
}

/// No version; ids of its own and the color of text left open, for a page that takes several in.
std::string cleaned(std::string svg, const Plot& plot) {
  remove_parts(svg, "<title>Gnuplot</title>", "</desc>\n");
  remove_parts(svg, "<filter ", "</filter>");
  replace_all(svg, " id=\"gnuplot_canvas\"", "");
  replace_all(svg, "id=\"gnuplot_plot_", fmt::format("id=\"{}_", plot.name));
  for (const char quote : {'\'', '#'})
    replace_all(svg, fmt::format("{}gp", quote), fmt::format("{}{}_gp", quote, plot.name));
  replace_all(svg, fmt::format(" font-family=\"{}\"", kFont), "");
  replace_all(svg, fmt::format(" font-size=\"{}.00\"", kFontSize), "");
  replace_all(svg, " color=\"black\"", "");
  replace_all(svg, "fill=\"black\"", "fill=\"currentColor\"");
  replace_all(svg, "stroke='black'", "stroke='currentColor'");
  for (const char* black : {"rgb(  0,   0,   0)", "rgb(0,0,0)"})
    replace_all(svg, black, "currentColor");
  remove_noise(svg);
  const size_t head = svg.find('>', svg.find("<svg"));
  if (head == std::string::npos || svg.find("</svg>", head) == std::string::npos)
    throw input_error(plot.name + ".svg", "gnuplot wrote no whole SVG", "is the disk full?");
  svg.insert(head + 1, fmt::format("\n<title>{}</title>\n<desc>{}</desc>", xml_text(plot.title),
                                   xml_text(plot.description)));
  svg.insert(head, fmt::format(" role=\"img\" font-family=\"{}, Verdana, sans-serif\" "
                               "font-size=\"{}\"",
                               kFont, kFontSize));
  return svg;
}

}  // namespace

bool has_gnuplot() { return !find_gnuplot().empty(); }

void draw_plots(const std::vector<Plot>& plots, const fs::path& folder, double limit_s) {
  const std::string program = find_gnuplot();
  if (program.empty())
    throw input_error("plots", "gnuplot is not installed, all other files were written",
                      "apt-get install gnuplot-nox, then repeat the command, or give --no-plots");
  std::error_code failed;
  fs::create_directories(folder, failed);
  std::string script;
  for (const Plot& plot : plots) script += script_of(plot);
  run_gnuplot(program, script, fs::absolute(folder), limit_s);
  for (const Plot& plot : plots) {
    const fs::path path = folder / (plot.name + ".svg");
    replace_text(path, cleaned(read_text(path), plot));
  }
}

}  // namespace spb::report
