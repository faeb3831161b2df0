// SPDX-License-Identifier: Apache-2.0
#include "random_run.h"

#include "suite/case_runner.h"
#include "suite/given_choices.h"
#include "suite/options.h"

namespace spb::mutants {
namespace {

/// To whom data and cases speak.
class Told final : public suite::Log {
 public:
  explicit Told(const Report& report) : report_(report) {}
  void error(const std::string& text) override { report_(text); }
  void warning(const std::string& text) override { report_(text); }
  void note(const std::string& text) override { report_(text); }

 private:
  const Report& report_;
};

std::string repro_of(const RandomCase& drawn) {
  suite::SuiteRunOptions options;
  options.command = "verify";
  options.tuning = "off";
  options.knobs = drawn.knobs;
  return suite::repro(options, drawn.spec);
}

}  // namespace

std::vector<RandomOutcome> run_random_problem(const config::CaseSpec& problem,
                                              std::span<const Algorithm> algorithms,
                                              const Report& report) {
  std::vector<Algorithm> rows(algorithms.begin(), algorithms.end());
  std::vector<RandomOutcome> outcomes;
  suite::PlannedCases plan;
  for (Algorithm& row : rows) {
    RandomCase drawn = random_case(problem, row);
    row.choice = suite::given_choices(drawn.knobs).forced;
    plan.cases.push_back(drawn.spec);
    outcomes.push_back({.of = drawn, .repro = repro_of(drawn)});
  }
  plan.algorithms = rows;
  plan.run.time = false;
  Told log(report);
  suite::LocalRunner runner(plan, log, report);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const std::vector<Record> found = runner.run(i, 0).rows;
    outcomes[i].status = found.at(0).get(columns::status).value();
    outcomes[i].detail = found.at(0).text(columns::status_detail);
  }
  return outcomes;
}

}  // namespace spb::mutants
