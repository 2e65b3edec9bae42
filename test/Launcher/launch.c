/*===- launch.c - Launch a bundle from C -----------------------------------===*
 *
 * attn-launch-test DIR: opens the bundle (test/Launcher/Inputs/prefill.json),
 * prints what it asks for and launches it on made-up addresses. Also that the
 * header is C.
 *
 *===----------------------------------------------------------------------===*/

#include "attn-mlir-c/Launcher.h"
#include <stdio.h>
#include <string.h>

static int failed(const char *what, AttnStatus status) {
  fprintf(stderr, "%s: status %d: %s\n", what, (int)status, attnLastError());
  return 1;
}

static void printView(const AttnBundle *bundle, int32_t index) {
  AttnViewInfo info;
  int32_t i;
  if (attnBundleView(bundle, index, &info) != ATTN_SUCCESS)
    return;
  printf("%s %s: type %d,", info.access == ATTN_WRITE ? "write" : "read",
         info.name, (int)info.dtype);
  for (i = 0; i < info.rank; ++i)
    if (info.axes[i])
      printf(" %s@%d", info.axes[i], (int)info.permutation[i]);
    else
      printf(" %lld@%d", (long long)info.sizes[i], (int)info.permutation[i]);
  printf("\n");
}

static AttnTensor makeTensor(uint64_t data, AttnType type, int32_t rank,
                             const int64_t *sizes) {
  AttnTensor tensor;
  int64_t stride = 1;
  int32_t i;
  memset(&tensor, 0, sizeof(tensor));
  tensor.data = data;
  tensor.dtype = type;
  tensor.rank = rank;
  tensor.device = ATTN_DEVICE_UNKNOWN;
  for (i = rank - 1; i >= 0; --i) {
    tensor.sizes[i] = sizes[i];
    tensor.strides[i] = stride;
    stride *= sizes[i];
  }
  return tensor;
}

static int launch(AttnBundle *bundle) {
  const int64_t q[] = {2, 100, 32, 128}, k[] = {2, 50, 8, 128};
  const int64_t lse[] = {2, 32, 100};
  AttnTensor views[4];
  AttnScalar softcap;
  AttnPrepared *prepared;
  AttnLaunchInfo info;
  AttnStatus status;
  views[0] = makeTensor(0x10000, ATTN_BF16, 4, q);
  views[1] = makeTensor(0x2000000, ATTN_BF16, 4, k);
  views[2] = makeTensor(0x3000000, ATTN_BF16, 4, q);
  views[3] = makeTensor(0x4000000, ATTN_F32, 3, lse);
  memset(&softcap, 0, sizeof(softcap));
  softcap.type = ATTN_F32;
  softcap.value.f32 = 30.0f;

  status = attnBundleLaunch(bundle, views, 4, &softcap, 1, NULL);
  if (status != ATTN_SUCCESS)
    return failed("attnBundleLaunch", status);
  status = attnBundlePrepare(bundle, views, 4, &softcap, 1, &prepared);
  if (status != ATTN_SUCCESS)
    return failed("attnBundlePrepare", status);
  attnPreparedInfo(prepared, 0, &info);
  printf("variant %d: %u CTAs of %u threads, %u bytes, %d parameters\n",
         (int)info.variant, info.grid, info.block, info.sharedBytes,
         (int)info.parameterCount);
  status = attnPreparedLaunch(prepared, (void *)0x40);
  attnPreparedDestroy(prepared);
  if (status != ATTN_SUCCESS)
    return failed("attnPreparedLaunch", status);

  views[1].sizes[2] = 9;
  status = attnBundleLaunch(bundle, views, 4, &softcap, 1, NULL);
  printf("status %d: %s\n", (int)status, attnLastError());
  return 0;
}

int main(int argc, char **argv) {
  AttnBundle *bundle;
  AttnStatus status;
  int32_t i;
  int result;
  if (argc != 2 || attnAbiVersion() != ATTN_ABI_VERSION)
    return 2;
  status = attnBundleOpen(argv[1], &bundle);
  if (status != ATTN_SUCCESS)
    return failed("attnBundleOpen", status);
  printf("%s for %s, %s; launcher %s\n", attnBundleName(bundle),
         attnBundleTarget(bundle), attnBundleArch(bundle), attnVersion());
  for (i = 0; i < attnBundleViewCount(bundle); ++i)
    printView(bundle, i);
  result = launch(bundle);
  attnBundleClose(bundle);
  return result;
}
