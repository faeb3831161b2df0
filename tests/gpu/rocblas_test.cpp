// SPDX-License-Identifier: Apache-2.0
// What is loaded, what it is told and what is made of its errors; gemm_test.cu has its products.
#include "gpu/rocblas.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/fake_rocblas.h"
#include "gpu/rocblas_gemm.h"

namespace spb::gpu {
namespace {

using Names = std::vector<std::string>;

/// Sets or unsets a variable of the environment, until it goes.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;  // what was set before goes back once
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value)
      setenv(name_, value, 1);
    else
      unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(RocblasNames, AreOfTheRocmThatHipIsOf) {
  const Variable told("SPCONV_BENCH_ROCBLAS", nullptr);
  const Variable elsewhere("ROCM_PATH", nullptr);
  EXPECT_EQ(rocblas::library_names(5),
            (Names{"librocblas.so.3", "librocblas.so.0", "/opt/rocm/lib/librocblas.so.3",
                   "/opt/rocm/lib/librocblas.so.0"}));
  EXPECT_EQ(rocblas::library_names(6), (Names{"librocblas.so.4", "/opt/rocm/lib/librocblas.so.4"}));
  EXPECT_EQ(rocblas::library_names(8), Names{}) << "of another HIP it would be";
  const Variable rocm("ROCM_PATH", "/rocm-7.2");
  EXPECT_EQ(rocblas::library_names(7), (Names{"librocblas.so.5", "/rocm-7.2/lib/librocblas.so.5"}));
}

TEST(RocblasNames, AreTheUsersWhereOneIsTold) {
  const Variable told("SPCONV_BENCH_ROCBLAS", "/mine/librocblas.so");
  EXPECT_EQ(rocblas::library_names(6), Names{"/mine/librocblas.so"});
  EXPECT_TRUE(rocblas::library_is_told());
  const Variable none("SPCONV_BENCH_ROCBLAS", "none");
  EXPECT_EQ(rocblas::library_names(6), Names{});
  const Variable nothing("SPCONV_BENCH_ROCBLAS", "");
  EXPECT_FALSE(rocblas::library_is_told());
}

TEST(RocblasLibrary, IsNullWhereThereIsNone) {
  EXPECT_FALSE(open_rocblas_gemm(Names{}));
  EXPECT_FALSE(open_rocblas_gemm(Names{"libno-such-library.so"}));
  const auto second = rocblas::open(Names{"libno-such-library.so", SPB_FAKE_ROCBLAS});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->version, "4.4.0.made-up");
}

/// What an Error says; empty where there is none.
template <class Call>
std::string rocblas_error(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    return error.what();
  }
  return {};
}

TEST(RocblasLibrary, ThatLacksAFunctionIsAnError) {
  EXPECT_EQ(rocblas_error([] { open_rocblas_gemm(Names{"libm.so.6"}); }),
            "libm.so.6: has no rocblas_create_handle; name another rocBLAS in "
            "SPCONV_BENCH_ROCBLAS, or none");
}

TEST(RocblasLibrary, ThatWasToldOrCannotBeLoadedIsAnError) {
  EXPECT_EQ(rocblas_error([] { open_rocblas_gemm(Names{}, true); }), "") << "none was told";
  const std::string absent =
      rocblas_error([] { open_rocblas_gemm(Names{"libno-such-library.so"}, true); });
  EXPECT_NE(absent.find("No such file"), std::string::npos) << absent;
  const std::string broken =
      rocblas_error([] { open_rocblas_gemm(Names{std::string(SPB_SOURCE_DIR) + "/README.md"}); });
  EXPECT_NE(broken.find("SPCONV_BENCH_ROCBLAS"), std::string::npos) << broken;
}

/// Products of the library that multiplies on the host. Its state is one for all handles, so that
/// each test makes one of its own.
class RocblasCalls : public testing::Test {
 protected:
  void SetUp() override {
    if (!on_host()) GTEST_SKIP() << "the library of this test multiplies on the host";
    gemm_ = open_rocblas_gemm(Names{SPB_FAKE_ROCBLAS});
    ASSERT_TRUE(gemm_);
    void* library = dlopen(SPB_FAKE_ROCBLAS, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_TRUE(library);
    const auto state = reinterpret_cast<void* (*)()>(dlsym(library, "fake_rocblas_state"));
    ASSERT_TRUE(state);
    fake_ = static_cast<FakeRocblas*>(state());
    *fake_ = {};
  }

  /// Of ones.
  void multiply(int64_t m, const Stream& stream, const GemmWorkspace& workspace,
                int64_t a_pitch = 2) {
    gemm_->multiply(Dtype::f32, m, 2, 2, {ones_.data(), a_pitch}, {ones_.data(), 2}, sums_.data(),
                    2, false, stream, workspace);
  }

  std::unique_ptr<RocblasGemm> gemm_;
  FakeRocblas* fake_ = nullptr;
  std::vector<float> ones_ = std::vector<float>(64, 1.f), sums_ = std::vector<float>(64);
};

TEST_F(RocblasCalls, StartOnceAndRepeat) {
  gemm_->start();
  EXPECT_EQ(fake_->handles, 1);
  EXPECT_EQ(fake_->atomics, 0) << "sums by atomics do not repeat";
  const Stream stream;
  multiply(2, stream, {});
  gemm_->start();
  EXPECT_EQ(fake_->handles, 1);
  EXPECT_EQ(fake_->products, 1);
  EXPECT_EQ(sums_[3], 2);
}

// No capture allows a change of stream before ROCm 6.2; workspaces follow the plan that runs.
TEST_F(RocblasCalls, TellStreamAndWorkspaceWhenTheyChange) {
  const Stream stream, other;
  char data[2] = {};
  multiply(2, stream, {&data[0], 1});
  EXPECT_EQ(fake_->stream, stream.handle());
  EXPECT_EQ(fake_->workspace, &data[0]);
  EXPECT_EQ(fake_->workspace_bytes, 1u);
  const int streams = fake_->streams, workspaces = fake_->workspaces;
  multiply(2, stream, {&data[0], 1});
  EXPECT_EQ(fake_->streams, streams);
  EXPECT_EQ(fake_->workspaces, workspaces);

  multiply(2, other, {&data[0], 1});
  EXPECT_EQ(fake_->stream, other.handle());
  multiply(2, other, {&data[0], 2});
  EXPECT_EQ(fake_->workspace_bytes, 2u);
  multiply(2, other, {&data[1], 2});
  EXPECT_EQ(fake_->workspace, &data[1]);
  multiply(2, other, {});
  EXPECT_EQ(fake_->workspace, nullptr) << "memory of a plan that is gone";
}

TEST_F(RocblasCalls, ThatFailSayWhatAndWhy) {
  const Stream stream;
  EXPECT_EQ(rocblas_error([&] { multiply(kFakeRocblasFails, stream, {}); }),
            "rocBLAS 4.4.0.made-up: product: rocblas_status_not_implemented");
  multiply(2, stream, {});
  EXPECT_EQ(fake_->products, 1) << "the next one works";
}

TEST_F(RocblasCalls, TakeSizesBelow31Bits) {
  const Stream stream;
  const int64_t most = (int64_t{1} << 31) - 1;
  multiply(1, stream, {}, most);
  EXPECT_EQ(fake_->products, 1);
  EXPECT_EQ(rocblas_error([&] { multiply(1, stream, {}, most + 1); }),
            "rocBLAS product: a size or row pitch of 2147483648 is more than 2^31 - 1");
  EXPECT_EQ(rocblas_error([&] { multiply(int64_t{1} << 32, stream, {}); }),
            "rocBLAS product: a size or row pitch of 4294967296 is more than 2^31 - 1");
  EXPECT_EQ(fake_->products, 1);
  EXPECT_EQ(rocblas_error([&] {
              gemm_->multiply(Dtype::tf32, 2, 2, 2, {ones_.data(), 2}, {ones_.data(), 2},
                              sums_.data(), 2, false, stream, {});
            }),
            rocblas_error([] { no_instance("rocBLAS", Dtype::tf32); }));
}

TEST(RocblasDtypes, AreThoseItMultipliesAsTheyAre) {
  for (const char* chip : {"gfx906", "gfx90a", "gfx942", "gfx1100"}) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
      EXPECT_TRUE(rocblas_takes(dtype, chip)) << info(dtype).name;
    for (const Dtype dtype : {Dtype::tf32, Dtype::tf32x3, Dtype::e4m3, Dtype::e4m3_f16})
      EXPECT_FALSE(rocblas_takes(dtype, chip)) << info(dtype).name;
    for (const Dtype dtype : {Dtype::i8, Dtype::i8_f32, Dtype::i8_i32})
      EXPECT_EQ(rocblas_takes(dtype, chip), std::string(chip) != "gfx906") << chip;
  }
}

TEST(RocblasArithmetic, IsThatOfMatrixCoresIn16Bits) {
  for (const bool flush : {false, true}) {
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
      const GemmArithmetic arithmetic = rocblas_arithmetic(dtype, flush);
      EXPECT_EQ(arithmetic.mma_depth, 16);
      EXPECT_EQ(arithmetic.mma_rounding, 4);
      EXPECT_EQ(arithmetic.flushes_subnormals, flush);
    }
    for (const Dtype dtype : {Dtype::f32, Dtype::i8, Dtype::i8_f32}) {
      const GemmArithmetic arithmetic = rocblas_arithmetic(dtype, flush);
      EXPECT_EQ(arithmetic.mma_depth, 0) << info(dtype).name;
      EXPECT_EQ(arithmetic.mma_rounding, 0);
      EXPECT_FALSE(arithmetic.flushes_subnormals);
    }
  }
}

TEST(RocblasWorkspace, IsWhatItWouldTake) {
  EXPECT_EQ(rocblas_workspace_bytes("gfx90a"), 32 << 20);
  EXPECT_EQ(rocblas_workspace_bytes("gfx942"), 128 << 20);
  EXPECT_EQ(rocblas_workspace_bytes("gfx1100"), 32 << 20);
}

}  // namespace
}  // namespace spb::gpu
