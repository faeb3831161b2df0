// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace spb::cli {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void redirect(const std::filesystem::path& path, int descriptor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
}

}  // namespace

Program::Program(const std::string& words, const std::filesystem::path& folder)
    : Program(SPB_PROGRAM, words, folder) {}

Program::Program(const std::string& executable, const std::string& words,
                 const std::filesystem::path& folder)
    : out_(folder / "stdout"), err_(folder / "stderr"), start_(now()) {
  std::vector<std::string> arguments{executable};
  std::istringstream stream(words);
  for (std::string word; stream >> word;) arguments.push_back(word);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("fork failed");
  if (child_ > 0) return;
  setpgid(0, 0);  // a group of its own, as a shell makes it
  redirect(out_, STDOUT_FILENO);
  redirect(err_, STDERR_FILENO);
  if (chdir(folder.c_str()) != 0) _exit(127);
  // What the user has measured and tuned is none of a test's business.
  setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  execv(argv[0], argv.data());
  _exit(127);
}

void Program::send(int signal) const { kill(child_, signal); }

void Program::send_to_group(int signal) const { kill(-child_, signal); }

bool Program::is_running() const {
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

Outcome Program::wait() {
  int status = 0;
  if (waitpid(child_, &status, 0) != child_) throw std::runtime_error("waitpid failed");
  const double seconds = now() - start_;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(out_), read(err_),
          seconds};
}

Outcome Program::wait_for(double limit_s) {
  while (is_running() && now() < start_ + limit_s)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (is_running()) send_to_group(SIGKILL);
  return wait();
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

size_t count_lines(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> kNames = [] {
    std::istringstream lines(TemporaryFolder().run("list algorithms").out);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);)
      if (!contains(line, "(not among all)")) names.push_back(line.substr(0, line.find(' ')));
    return names;
  }();
  return kNames;
}

size_t algorithm_count() {
  const auto& names = algorithm_names();
  return names.size() - static_cast<size_t>(std::ranges::count(names, "depthwise"));
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace spb::cli
