#include "run/run_case.h"

#include <exception>
#include <fmt/format.h>
#include <new>
#include <utility>

#include "core/error.h"
#include "gpu/allocator.h"
#include "run/account.h"
#include "run/record_case.h"
#include "run/session.h"
#include "run/time_case.h"
#include "run/verify_case.h"

namespace spb::run {
namespace {

constexpr uint64_t kTimingSeed = 0xD1B54A32D192ED03u;  // timed data are not the verified data

Record ended(Record record, const char* status, const std::string& detail) {
  record["status"] = std::string(status);
  record["status_detail"] = detail;
  return record;
}

const char* status_of(const Verdict& verdict) {
  if (verdict.failed()) return "incorrect";
  return verdict.status == "mistrusted" ? "mistrusted" : "ok";
}

class CaseRun {
 public:
  CaseRun(const Algorithm& algorithm, const Problem& problem, CaseData& data,
          const RunOptions& options, const Report& report)
      : algorithm_(algorithm), problem_(problem), data_(data), options_(options), report_(report) {}

  /// Fills `record` as far as the case gets; returns its rows.
  std::vector<Record> run(Record& record) {
    plan_and_verify(record);
    if (options_.time &&
        (verdict_.status == "pass" || verdict_.status == "not_run" || options_.time_anyway)) {
      time_and_verify_again();
      account_memory(record);
    }
    add_verdict(record, verdict_, options_);
    record["status"] = std::string(status_of(verdict_));
    return rows(record);
  }

 private:
  void plan_and_verify(Record& record) {
    add_map(record, problem_, data_);
    const MapSet& map = data_.reference_map(problem_.geometry);
    n_pairs_ = static_cast<int64_t>(map.triples.size());
    Session session(algorithm_, problem_, data_.voxels(), true);
    n_out_ = session.plan->n_out();
    add_plan(record, session.plan->description(), problem_, n_pairs_);
    verdict_ = verify_case(session, algorithm_, problem_, data_, options_, report_);
  }

  void time_and_verify_again() {
    Session session(algorithm_, problem_, data_.voxels(), false);
    const auto timed = data_.expectation({.problem = problem_,
                                          .fill = verify::Fill::relu,
                                          .drawn_only = true,
                                          .seed = options_.seed ^ kTimingSeed});
    session.operands.upload(timed->operands, session.stream);
    times_ = time_case(session, algorithm_, problem_, options_);
    for (const PhaseTime& time : times_)
      if (!time.warning.empty()) report_(warning(time.warning));
    verify_again(session, *timed, problem_, data_, options_, report_, verdict_);
    if (verdict_.failed() && !options_.time_anyway) times_.clear();
  }

  void account_memory(Record& record) {
    const MemoryUse use = account(algorithm_, problem_, data_.voxels(), n_out_);
    add_memory(record, use);
    if (use.run_alloc_count != 0)
      report_(warning(fmt::format("run() allocates {} times: it may not", use.run_alloc_count)));
  }

  std::string warning(const std::string& text) const {
    return fmt::format("warning: {}: {}", algorithm_.name, text);
  }

  std::vector<Record> rows(const Record& record) const {
    if (times_.empty()) return {record};
    std::vector<Record> rows;
    for (const PhaseTime& time : times_) {
      rows.push_back(record);
      add_time(rows.back(), time, problem_, data_.voxels().size(), n_out_, n_pairs_);
    }
    return rows;
  }

  const Algorithm& algorithm_;
  const Problem& problem_;
  CaseData& data_;
  const RunOptions& options_;
  const Report& report_;
  int64_t n_out_ = 0, n_pairs_ = 0;
  Verdict verdict_;
  std::vector<PhaseTime> times_;
};

}  // namespace

std::vector<Record> run_case(const Algorithm& algorithm, const Problem& problem, CaseData& data,
                             const RunOptions& options,
                             const std::function<void(const std::string&)>& report) {
  Record record = describe(algorithm, problem, options.seed);
  add_data(record, data);
  try {
    if (const auto reason = algorithm.unsupported(problem)) {
      record["verify_status"] = std::string("unsupported");
      return {ended(record, "unsupported", *reason)};
    }
    return CaseRun(algorithm, problem, data, options, report).run(record);
  } catch (const gpu::OutOfMemory& error) {
    record["oom_request_bytes"] = error.bytes();
    return {ended(record, "oom", error.what())};
  } catch (const std::bad_alloc&) {
    return {ended(record, "oom", "the host's memory is exhausted")};
  } catch (const std::exception& error) {
    return {ended(record, "error", error.what())};
  }
}

}  // namespace spb::run
