/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of your own in spconv-bench: a shared library with spconv_bench_plugin(), given to
 * `spconv-bench run --plugin FILE`, is verified, timed and accounted for like the program's own
 * algorithms (docs/plugins.md). C99; nothing has to be linked.
 *
 * Tensors are row-major and lie on the device (backend host: in ordinary memory), with element
 * types as `spconv-bench list dtypes` has them: in, gin [n_in, c_in]; out, gout, residual [n_out,
 * c_out]; weights, gw [c_out, kernel_volume, c_in / groups], or as SPB_WEIGHTS_... says; of fp32
 * bias, gbias, scale [c_out] (dgrad: [c_in], wgrad: NULL), residual_scale [1]. Offset o = (o_x *
 * k_y + o_y) * k_z + o_z, x slowest, joins the fine voxel p and the coarse voxel u where p = u *
 * stride + o * dilation - origin on each axis; there is no kernel flip. Outputs are coarse; of
 * kinds inverse and generative they are fine.
 *
 * A function returns NULL, or one line that says what went wrong, which stays valid until the same
 * thread calls the library again. No exception may leave a function. */
#ifndef SPCONV_BENCH_PLUGIN_H
#define SPCONV_BENCH_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever a struct changes; libraries of another number are refused. */
#define SPB_PLUGIN_ABI 1

#if defined(_WIN32)
#define SPB_PLUGIN_EXPORT __declspec(dllexport)
#else
#define SPB_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* Text is valid as long as the call lasts. Triples are x, y, z. */
typedef struct SpbProblem {
  const char* direction; /* "fprop", "dgrad", "wgrad" */
  const char* dtype;     /* "f16" */
  const char* kind;      /* "subm", "strided", "inverse", "generative" */
  int32_t kernel_size[3], stride[3], dilation[3];
  int32_t c_in, c_out;
  int32_t groups;         /* depthwise: groups = c_in = c_out */
  int32_t has_bias;       /* fprop adds bias; wgrad writes gbias, the sum of gout's rows */
  int32_t has_residual;   /* of fprop: added before the activation */
  const char* activation; /* of fprop: "none", "relu", "leaky_relu", "hswish" */
  float slope;            /* of leaky_relu */
} SpbProblem;

/* What an algorithm wants of the program's maps; what is not wanted is not built, and NULL. */
enum { SPB_NEEDS_NEIGHBORS = 1, SPB_NEEDS_PAIRS = 2 };

/* On the device, but for pair_begin. Valid as long as the plan. */
typedef struct SpbMaps {
  int64_t n_in, n_out;
  const int32_t* in_coords;  /* [n_in, 4]: batch, x, y, z, from 0 on */
  const int32_t* out_coords; /* [n_out, 4] */
  int32_t batch_size;
  int32_t in_shape[3], out_shape[3]; /* all coords are less */
  int64_t origin[3];
  /* [rows, kernel_volume]: the row of the other side that offset o leads to, -1 for none. Rows are
   * those of out in fprop, of gin in dgrad, of gout in wgrad. */
  const int32_t* neighbors;
  /* Not 0: entry o belongs to the weights of offset kernel_volume - 1 - o (dgrad of subm). */
  int32_t neighbors_mirrored;
  /* [n_pairs], offset by offset. */
  const int32_t* pair_in;
  const int32_t* pair_out;
  const int64_t* pair_begin; /* [kernel_volume + 1] where each offset's pairs begin, on the host */
} SpbMaps;

enum { SPB_KEPT = 0, SPB_WORKSPACE = 1 };

/* What the program does for a plan; valid as long as the plan. */
typedef struct SpbHost {
  void* self;
  void* stream; /* cudaStream_t, hipStream_t; NULL on host */
  /* Device memory for what is kept between runs, or for what a run alone uses. Counted, and
   * guarded, hashed and poisoned while verifying, which memory of your own is not. Released memory
   * may be handed out again at once. NULL: there is no more. Not for run(). */
  void* (*allocate)(void* self, int64_t bytes, int32_t use);
  void (*release)(void* self, void* data);
  /* Waits for the stream. A plan that waits in another way is timed by the host's clock alone. */
  const char* (*synchronize)(void* self);
} SpbHost;

typedef struct SpbOperands {
  const void* in;
  const void* weights;
  const float* bias;
  const void* gout;
  const void* residual;
  const float* scale;
  const float* residual_scale;
  void* out;
  void* gin;
  void* gw;
  float* gbias;
} SpbOperands;

/* What verification may allow, and what records say. Holds defaults when plan() is called; text is
 * copied when it returns. */
typedef struct SpbDescription {
  const char* kernel;      /* column kernel [the algorithm's name] */
  const char* params_json; /* column algorithm_params [{}] */
  double executed_macs; /* multiplications with those of absent pairs [all offsets of all rows] */
  int32_t mma_depth;    /* products that one instruction of tensor cores sums; 0: scalar [0] */
  int32_t is_deterministic; /* claims equal bits in every run [1] */
  const char* accumulator;  /* dtype of the multiply's own sums ["f32"] */
  const char* partials; /* dtype that sums of a part are rounded to before they are added ["f32"] */
  const char* adds_to_memory; /* dtype of additions to memory, by atomics say; NULL: none [NULL] */
} SpbDescription;

/* How weights and gw lie: [c_out, kernel_volume, c_in / groups], as spconv and FlexGEMM have them,
 * or [kernel_volume, c_in / groups, c_out], as MinkowskiEngine, TorchSparse and WarpConvNet do. */
enum { SPB_WEIGHTS_OUT_FIRST = 0, SPB_WEIGHTS_OUT_LAST = 1 };

/* What is not claimed is refused before the library is asked. Lists have commas between. */
typedef struct SpbAlgorithm SpbAlgorithm;
struct SpbAlgorithm {
  const char* name;       /* of a to z, 0 to 9 and _ */
  const char* summary;    /* one line for `list algorithms` */
  int32_t version;        /* raised with any change of behavior */
  const char* dtypes;     /* "f16,bf16" */
  const char* directions; /* "fprop,dgrad" */
  const char* kinds;      /* "subm,strided" */
  int32_t takes_bias;
  int32_t takes_epilogue; /* activations and residuals */
  int32_t takes_groups;   /* several */
  int32_t takes_depthwise;
  int32_t weight_layout; /* SPB_WEIGHTS_... */
  uint32_t needs;        /* SPB_NEEDS_... */
  /* Why a problem that is claimed cannot run: "c_in = 3, needs a multiple of 8". May be NULL. */
  const char* (*unsupported)(const SpbAlgorithm* self, const SpbProblem* problem);
  /* Prepares runs on these maps, and leaves in *plan what the two others are given: NULL where it
   * returns a fault, and then destroy() is not called. */
  const char* (*plan)(const SpbAlgorithm* self, const SpbProblem* problem, const SpbMaps* maps,
                      const SpbHost* host, void** plan, SpbDescription* description);
  /* Queues one run on `stream`: neither waits nor allocates. What the direction does not touch is
   * NULL. Outputs hold anything before. */
  const char* (*run)(void* plan, const SpbOperands* operands, void* stream);
  void (*destroy)(void* plan);
};

typedef struct SpbPlugin {
  uint32_t abi;        /* SPB_PLUGIN_ABI */
  const char* name;    /* of a to z, 0 to 9 and _: algorithms are called name:algorithm */
  const char* version; /* of the library, for records */
  const char* backend; /* "cuda", "hip", "host": what its pointers are of */
  int32_t algorithm_count;
  const SpbAlgorithm* algorithms;
} SpbPlugin;

/* The one function that a plug-in exports. What it returns is never changed or freed. */
SPB_PLUGIN_EXPORT const SpbPlugin* spconv_bench_plugin(void);

#ifdef __cplusplus
}
#endif
#endif
