/*===- fake-cublas.c - A stand-in for cuBLAS: products on the CPU --------===*\
|*
|* What the transformer block's hooks call of cuBLAS, on memory of this process.
|* A call is a line of the file that ATTN_FAKE_LOG names; ATTN_FAKE_CUBLAS is a
|* status that products return.
|*
\*===---------------------------------------------------------------------===*/

#include <stdio.h>
#include <stdlib.h>

enum { InvalidValue = 7, NotSupported = 15 };

static void *streams;

int cublasCreate_v2(void **handle) {
  *handle = &streams;
  return 0;
}

int cublasSetStream_v2(void *handle, void *stream) {
  *(void **)handle = stream;
  return 0;
}

/* Columns one behind the other, at distances of `lda`, `ldb` and `ldc`. */
int cublasSgemmStridedBatched(void *handle, int transA, int transB, int m,
                              int n, int k, const float *alpha, const float *a,
                              int lda, long long strideA, const float *b,
                              int ldb, long long strideB, const float *beta,
                              float *c, int ldc, long long strideC, int count) {
  const char *status = getenv("ATTN_FAKE_CUBLAS");
  const char *file = getenv("ATTN_FAKE_LOG");
  FILE *log = file ? fopen(file, "a") : NULL;
  if (log) {
    fprintf(log, "cublasSgemmStridedBatched %d %d %d, %d of them, stream %d\n",
            m, n, k, count, handle && *(void **)handle != NULL);
    fclose(log);
  }
  if (status)
    return atoi(status);
  if (transA || transB)
    return NotSupported;
  if (lda < m || ldb < k || ldc < m)
    return InvalidValue;
  for (int batch = 0; batch < count; ++batch)
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row) {
        double sum = 0;
        float *out = c + batch * strideC + (long long)column * ldc + row;
        for (int i = 0; i < k; ++i)
          sum += (double)a[batch * strideA + (long long)i * lda + row] *
                 b[batch * strideB + (long long)column * ldb + i];
        *out = (float)(*alpha * sum + *beta * *out);
      }
  return 0;
}
