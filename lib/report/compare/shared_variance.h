// SPDX-License-Identifier: Apache-2.0
// What the rows of a comparison say of each other's noise.
#pragma once

#include <vector>

#include "report/compare/student.h"

namespace spb::report {

/// Few rounds hardly know how much a row varies: of 40 rows, some look far too quiet, and Student's
/// t must reach far to allow for them. Together the rows know it well. From ten on each is given
/// the variance that Smyth ("Linear models and empirical Bayes methods ...", Statistical
/// Applications in Genetics and Molecular Biology 3, 2004) draws from its own and from all, and the
/// degrees of freedom of both, as many as the rows are alike. A row that is noisier keeps its own
/// variance, and one too noisy to be of this kind its own degrees of freedom, too.
void share_variance(const std::vector<LogRatio*>& rows);

}  // namespace spb::report
