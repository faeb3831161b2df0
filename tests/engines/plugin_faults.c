/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in of the host backend that is wrong on purpose, in C: as a whole, by the environment
 * variable SPB_PLUGIN_FAULT, or in what one of its algorithms does. */
#include <spconv_bench/plugin.h>
#include <stdlib.h>
#include <string.h>

struct plan {
  const char* name;
  SpbProblem problem;
  int is_transposed; /* outputs are fine */
  int64_t n_in, n_out;
  int32_t c_in, c_out, kernel_volume;
  const SpbMaps* maps;
  const SpbHost* host;
  float* memory;
};

static const char* unsupported(const SpbAlgorithm* self, const SpbProblem* problem) {
  (void)self;
  return problem->c_in == 13 ? "c_in = 13 brings bad luck" : NULL;
}

static const char* make_plan(const SpbAlgorithm* self, const SpbProblem* problem,
                             const SpbMaps* maps, const SpbHost* host, void** made,
                             SpbDescription* description) {
  const int32_t* kernel = problem->kernel_size;
  struct plan* plan = malloc(sizeof *plan);
  if (!plan) return "the host's memory is exhausted";
  plan->name = self->name;
  plan->problem = *problem; /* its numbers: text ends with the call */
  plan->is_transposed =
      strcmp(problem->kind, "inverse") == 0 || strcmp(problem->kind, "generative") == 0;
  plan->n_in = maps->n_in;
  plan->n_out = maps->n_out;
  plan->c_in = problem->c_in;
  plan->c_out = problem->c_out;
  plan->kernel_volume = kernel[0] * kernel[1] * kernel[2];
  plan->maps = maps;
  plan->host = host;
  plan->memory = NULL;
  *made = plan;
  if (strcmp(self->name, "plan_fails") == 0) {
    free(plan);
    return "no plan today";
  }
  if (strcmp(self->name, "no_memory") == 0 &&
      !host->allocate(host->self, INT64_C(1) << 60, SPB_WORKSPACE)) {
    free(plan);
    return "too little memory";
  }
  if (strcmp(self->name, "odd_partials") == 0) description->partials = "f61";
  if (strcmp(self->name, "half_sums") == 0) description->partials = "f16";
  if (strcmp(self->name, "sums_in_workspace") == 0 || strcmp(self->name, "remembers") == 0 ||
      strcmp(self->name, "changes_kept") == 0) {
    const int32_t use = strcmp(self->name, "changes_kept") == 0 ? SPB_KEPT : SPB_WORKSPACE;
    const int64_t bytes = maps->n_out * problem->c_out * 4;
    plan->memory = host->allocate(host->self, bytes, use);
    if (!plan->memory) return "too little memory";
    memset(plan->memory, 0, (size_t)bytes);
  }
  return host->synchronize(host->self);
}

static int64_t weight_at(const struct plan* plan, int64_t offset, int64_t i, int64_t j) {
  return strcmp(plan->name, "out_last") == 0 ? (offset * plan->c_in + i) * plan->c_out + j
                                             : (j * plan->kernel_volume + offset) * plan->c_in + i;
}

/* Right, by pairs. */
static void convolve(const struct plan* plan, const SpbOperands* given, float* out) {
  const float *in = given->in, *weights = given->weights;
  const SpbMaps* maps = plan->maps;
  int64_t row, pair;
  int32_t offset, i, j;
  for (row = 0; row < plan->n_out; ++row)
    for (j = 0; j < plan->c_out; ++j) out[row * plan->c_out + j] = given->bias ? given->bias[j] : 0;
  for (offset = 0; offset < plan->kernel_volume; ++offset)
    for (pair = maps->pair_begin[offset]; pair < maps->pair_begin[offset + 1]; ++pair)
      for (j = 0; j < plan->c_out; ++j)
        for (i = 0; i < plan->c_in; ++i)
          out[maps->pair_out[pair] * (int64_t)plan->c_out + j] +=
              in[maps->pair_in[pair] * (int64_t)plan->c_in + i] *
              weights[weight_at(plan, offset, i, j)];
}

static int is_less(const int32_t* at, const SpbMaps* maps, const int32_t* shape) {
  return at[0] < maps->batch_size && at[1] < shape[0] && at[2] < shape[1] && at[3] < shape[2];
}

/* Right, by coords alone: of maps a library makes itself. */
static const char* convolve_by_coords(const struct plan* plan, const SpbOperands* given,
                                      float* out) {
  const float *in = given->in, *weights = given->weights;
  const SpbMaps* maps = plan->maps;
  const SpbProblem* problem = &plan->problem;
  int64_t row, source;
  int32_t offset, i, j, axis;
  if (maps->neighbors || maps->pair_in || maps->pair_out || maps->pair_begin)
    return "maps that nobody asked for";
  for (row = 0; row < plan->n_out; ++row)
    for (j = 0; j < plan->c_out; ++j) out[row * plan->c_out + j] = given->bias ? given->bias[j] : 0;
  for (row = 0; row < plan->n_out; ++row)
    for (source = 0; source < plan->n_in; ++source) {
      const int32_t *to = maps->out_coords + 4 * row, *from = maps->in_coords + 4 * source;
      const int32_t *fine = plan->is_transposed ? to : from,
                    *coarse = plan->is_transposed ? from : to;
      if (!is_less(to, maps, maps->out_shape) || !is_less(from, maps, maps->in_shape))
        return "coords beyond their box";
      if (to[0] != from[0]) continue;
      for (offset = 0; offset < plan->kernel_volume; ++offset) {
        const int32_t* size = problem->kernel_size;
        const int32_t at[3] = {offset / (size[1] * size[2]), offset / size[2] % size[1],
                               offset % size[2]};
        int joined = 1;
        for (axis = 0; axis < 3; ++axis)
          joined &= fine[1 + axis] == (int64_t)coarse[1 + axis] * problem->stride[axis] +
                                          (int64_t)at[axis] * problem->dilation[axis] -
                                          maps->origin[axis];
        if (!joined) continue;
        for (j = 0; j < plan->c_out; ++j)
          for (i = 0; i < plan->c_in; ++i)
            out[row * plan->c_out + j] +=
                in[source * plan->c_in + i] * weights[weight_at(plan, offset, i, j)];
      }
    }
  return NULL;
}

static const char* run(void* made, const SpbOperands* given, void* stream) {
  const struct plan* plan = made;
  float* out = given->out;
  const int64_t outputs = plan->n_out * plan->c_out;
  (void)stream;
  if (strcmp(plan->name, "run_fails") == 0) return "no run today";
  if (strcmp(plan->name, "crashes") == 0) abort();
  if (strcmp(plan->name, "own_maps") == 0) return convolve_by_coords(plan, given, out);
  if (strcmp(plan->name, "remembers") == 0 || strcmp(plan->name, "changes_kept") == 0) {
    int64_t at;
    convolve(plan, given, out);
    for (at = 0; at < outputs; ++at) {
      if (strcmp(plan->name, "remembers") == 0) out[at] += plan->memory[at];
      plan->memory[at] += strcmp(plan->name, "remembers") == 0 ? 0 : 1;
    }
    return NULL;
  }
  convolve(plan, given, plan->memory ? plan->memory : out);
  if (plan->memory) memcpy(out, plan->memory, (size_t)outputs * sizeof *out);
  if (strcmp(plan->name, "wrong") == 0 && outputs > 0) out[outputs - 1] += 1;
  if (strcmp(plan->name, "writes_past") == 0) out[outputs] = 1;
  if (strcmp(plan->name, "writes_inputs") == 0) ((float*)given->in)[0] = 8;
  if (strcmp(plan->name, "allocates") == 0)
    plan->host->release(plan->host->self, plan->host->allocate(plan->host->self, 8, SPB_KEPT));
  return NULL;
}

static void destroy(void* made) {
  struct plan* plan = made;
  if (plan->memory) plan->host->release(plan->host->self, plan->memory);
  free(plan);
}

static const char* const kNames[] = {
    "right",     "plan_fails", "no_memory", "odd_partials", "half_sums",     "sums_in_workspace",
    "run_fails", "crashes",    "wrong",     "writes_past",  "writes_inputs", "allocates",
    "out_last",  "own_maps",   "remembers", "changes_kept", "turned"};
enum { kCount = sizeof kNames / sizeof *kNames };
static SpbAlgorithm algorithms[kCount];
static SpbPlugin plugin;

SPB_PLUGIN_EXPORT const SpbPlugin* spconv_bench_plugin(void) {
  const char* fault = getenv("SPB_PLUGIN_FAULT");
  int i;
  if (!fault) fault = "";
  for (i = 0; i < kCount; ++i) {
    SpbAlgorithm row = {0};
    row.name = kNames[i];
    row.summary = "for tests";
    row.version = 3;
    row.dtypes = "f32";
    row.directions = "fprop";
    row.kinds = strcmp(row.name, "own_maps") == 0 ? "subm,strided,inverse,generative"
                                                  : "subm,strided,inverse";
    row.takes_bias = 1;
    row.weight_layout = strcmp(row.name, "out_last") == 0 || strcmp(row.name, "turned") == 0
                            ? SPB_WEIGHTS_OUT_LAST
                            : SPB_WEIGHTS_OUT_FIRST;
    row.needs = strcmp(row.name, "own_maps") == 0 ? 0 : SPB_NEEDS_PAIRS;
    row.unsupported = unsupported;
    row.plan = make_plan;
    row.run = run;
    row.destroy = destroy;
    algorithms[i] = row;
  }
  plugin.abi = SPB_PLUGIN_ABI;
  plugin.name = "faults";
  plugin.version = "0.1";
  plugin.backend = "host";
  plugin.algorithm_count = kCount;
  plugin.algorithms = algorithms;
  if (strcmp(fault, "nothing") == 0) return NULL;
  if (strcmp(fault, "abi") == 0) plugin.abi = 99;
  if (strcmp(fault, "name") == 0) plugin.name = "a name";
  if (strcmp(fault, "version") == 0) plugin.version = NULL;
  if (strcmp(fault, "backend") == 0) plugin.backend = "cuda";
  if (strcmp(fault, "algorithms") == 0) plugin.algorithm_count = 0;
  if (strcmp(fault, "algorithm name") == 0) algorithms[1].name = "Plan/fails";
  if (strcmp(fault, "dtype") == 0) algorithms[0].dtypes = "f32,f61";
  if (strcmp(fault, "direction") == 0) algorithms[0].directions = "";
  if (strcmp(fault, "kind") == 0) algorithms[0].kinds = "subm,,";
  if (strcmp(fault, "needs") == 0) algorithms[0].needs = 64;
  if (strcmp(fault, "layout") == 0) algorithms[0].weight_layout = 2;
  if (strcmp(fault, "function") == 0) algorithms[0].run = NULL;
  if (strcmp(fault, "twice") == 0) algorithms[1].name = "right";
  return &plugin;
}
