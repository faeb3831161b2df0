// SPDX-License-Identifier: Apache-2.0
#include "suite/isolated_runner.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <span>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "core/child_process.h"
#include "gpu/device_info.h"
#include "report/records/fields.h"
#include "report/records/jsonl.h"

// Over a socket pair, a line each: the parent sends the index of a case and the round; the child
// answers any number of "note TEXT" and "row JSON", each row followed by "samples ...", then "done
// CODE". It sends "lost" instead of waiting for
// the next case when the device runs nothing any more.
namespace spb::suite {
namespace {

constexpr std::string_view kNote = "note ", kRow = "row ", kSamples = "samples ", kDone = "done ";
constexpr int kChildSocket = STDIN_FILENO;

// For a process that has no more to do: devices are left, profilers write their files.
constexpr double kExitS = 60, kLeastExitS = 1;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// False when the other side is gone.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool send_line(int socket, std::string_view mark, std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return send_all(socket, std::string(mark) + text + "\n");
}

/// Appends what has arrived; false at the end.
bool receive(int socket, std::string& received) {
  char bytes[1 << 16];
  ssize_t count;
  do count = recv(socket, bytes, sizeof(bytes), 0);
  while (count < 0 && errno == EINTR);
  if (count > 0) received.append(bytes, static_cast<size_t>(count));
  return count > 0;
}

bool take_line(std::string& received, std::string& line) {
  const size_t end = received.find('\n');
  if (end == std::string::npos) return false;
  line = received.substr(0, end);
  received.erase(0, end + 1);
  return true;
}

std::string samples_text(std::span<const bench::Sample> samples) {
  std::string text;
  for (const bench::Sample& sample : samples)
    text += fmt::format("{} {} {} {} {} {} ", sample.time_us, sample.sm_clock_mhz, sample.set,
                        sample.round, int{sample.throttled}, sample.reasons.bits());
  return text;
}

std::vector<bench::Sample> parse_samples(const std::string& text) {
  std::vector<bench::Sample> samples;
  std::istringstream words(text);
  unsigned reasons = 0;
  for (bench::Sample sample; words >> sample.time_us >> sample.sm_clock_mhz >> sample.set >>
                             sample.round >> sample.throttled >> reasons;) {
    sample.reasons = gpu::ThrottleReasons::of_bits(reasons);
    samples.push_back(sample);
  }
  return samples;
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

IsolatedRunner::IsolatedRunner(const PlannedCases& plan, std::vector<std::string> command_line,
                               int device, double timeout_s, Log& log)
    : plan_(plan),
      log_(log),
      command_line_(std::move(command_line)),
      device_(device),
      timeout_s_(timeout_s > 0 ? timeout_s : kUsualTimeoutS) {}

void IsolatedRunner::start() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw Error(ExitCode::runtime, std::string("socket pair: ") + std::strerror(errno));
  std::vector<std::string> words = command_line_;
  words.insert(words.end(), {kWorkerOption, std::to_string(device_)});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ < 0)
    throw Error(ExitCode::runtime, std::string("start a process: ") + std::strerror(errno));
  if (child_ == 0) {
    // Only calls that are safe between fork and exec.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN);  // a key press reaches both processes: the parent decides
    std::signal(SIGTERM, SIG_IGN);
    dup2(sockets[1], kChildSocket);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output belongs to the parent's table
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(sockets[1]);
  socket_ = sockets[0];
  received_.clear();
}

/// Its rows are on disk: nothing is lost where it has to be killed.
void IsolatedRunner::stop() {
  if (child_ < 0) return;
  close(socket_);
  const double limit_s = std::min(timeout_s_, kExitS);
  if (end_child(child_, limit_s).was_killed)
    log_.warning(fmt::format(
        "the process of the cases did not end within {:g} s behind its last one, and was killed; "
        "no row is lost",
        limit_s));
  child_ = socket_ = -1;
}

std::string IsolatedRunner::ended(double limit_s) {
  close(socket_);
  const ChildEnd end = end_child(child_, limit_s);
  child_ = socket_ = -1;
  if (end.was_killed) return "the process of the case answered no more and did not end: killed";
  const int status = end.status.value_or(0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return "killed: signal 9, which the system sends when the host's memory runs out";
  if (WIFSIGNALED(status))
    return fmt::format("crashed: signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("the process of the case ended with exit code {}", WEXITSTATUS(status));
}

IsolatedRunner::Read IsolatedRunner::read_line(double until_s, std::string& line) {
  while (!take_line(received_, line)) {
    // First, for a child may talk without end.
    const double left_s = until_s - now_s();
    if (left_s <= 0) return Read::late;
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min(left_s * 1e3 + 1, 1e9)));
    if (ready > 0 && !receive(socket_, received_)) return Read::ended;
  }
  return Read::line;
}

CaseOutcome IsolatedRunner::run(size_t index, int round) {
  if (child_ < 0) start();
  const auto failed = [&](Status status, const std::string& reason) {
    return CaseOutcome{{row_without_result(plan_, index, status, reason)}};
  };
  send_all(socket_, fmt::format("{} {}\n", index, round));  // a dead child shows when it is read
  CaseOutcome outcome;
  const double until_s = now_s() + timeout_s_;
  for (std::string line;;) {
    const Read read = read_line(until_s, line);
    if (read == Read::ended)
      return failed(Status::error, ended(std::max(until_s - now_s(), kLeastExitS)));
    if (read == Read::late) {
      kill(child_, SIGKILL);
      ended(kLeastExitS);
      return failed(Status::timeout,
                    fmt::format("took longer than {} s, the limit of --timeout", timeout_s_));
    }
    if (line.starts_with(kNote)) log_.note("  " + line.substr(kNote.size()));
    if (line.starts_with(kRow))
      outcome.rows.push_back(report::parse_result(line.substr(kRow.size()), "row of a case"));
    if (line.starts_with(kSamples))
      outcome.samples.push_back(parse_samples(line.substr(kSamples.size())));
    if (!line.starts_with(kDone)) continue;
    outcome.code = static_cast<ExitCode>(number(std::string_view(line).substr(kDone.size())));
    if (line.ends_with("lost")) ended(std::min(timeout_s_, kExitS));
    return outcome;
  }
}

ExitCode serve_cases(const PlannedCases& plan, int device, Log& log) {
  gpu::use_device(device);
  LocalRunner runner(plan, log,
                     [](const std::string& text) { send_line(kChildSocket, kNote, text); });
  std::string received;
  for (std::string line;;) {
    while (!take_line(received, line))
      if (!receive(kChildSocket, received)) return ExitCode::ok;
    const std::string_view round = std::string_view(line).substr(line.find(' ') + 1);
    CaseOutcome outcome = runner.run(static_cast<size_t>(number(line)), number(round));
    bool error = false;
    outcome.samples.resize(outcome.rows.size());
    for (size_t i = 0; i < outcome.rows.size(); ++i) {
      Record& row = outcome.rows[i];
      row[columns::schema_version] = report::kSchemaVersion;
      error |= row.get(columns::status) == Status::error;
      send_all(kChildSocket, std::string(kRow) + report::result_line(row));
      send_line(kChildSocket, kSamples, samples_text(outcome.samples[i]));
    }
    const bool lost = error && gpu::context_is_lost();
    send_line(kChildSocket, kDone,
              fmt::format("{}{}", static_cast<int>(outcome.code), lost ? " lost" : ""));
    if (lost) return ExitCode::runtime;
  }
}

}  // namespace spb::suite
