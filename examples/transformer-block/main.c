/*===- main.c - The block on random inputs, against float64 --------------===*\
|*
|* main BATCH LENGTH: prints how far the compiled block is from a reference
|* that computes in double; 0 if that is near enough.
|*
\*===---------------------------------------------------------------------===*/

#include "hooks.h"
#include "memrefs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { Model = 256, Heads = 8, KvHeads = 2, HeadDim = 32, Hidden = 512 };

/* The one function of block.o. */
int32_t _mlir_ciface_block(const AttnHostHooks *hooks, Activations *x,
                           Vector *norm1, Matrix *wq, Matrix *wk, Matrix *wv,
                           Matrix *wo, Vector *norm2, Matrix *wgate,
                           Matrix *wup, Matrix *wdown, Activations *y);

static AttnHostHooks hooks;

static void *allocate(size_t bytes) {
  void *memory = calloc(bytes ? bytes : 1, 1);
  if (!memory)
    exit(2);
  return memory;
}

/* An argument of the function: where its buffers are. */
static float *allocateFloats(int64_t count) {
  size_t bytes = (size_t)count * sizeof(float);
  void *memory =
      hooks.allocate ? hooks.allocate(hooks.user, bytes, 64) : allocate(bytes);
  if (!memory)
    exit(2);
  return memory;
}

/* Uniform in [-scale, scale]. */
static float *randomFloats(int64_t count, float scale) {
  static uint64_t state = 88172645463325252u;
  float *values = allocateFloats(count);
  for (int64_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values[i] = scale * (float)((double)(state >> 11) / (1ull << 52) - 1);
  }
  return values;
}

static Vector vectorOf(int64_t size) {
  float *data = randomFloats(size, 1);
  Vector result = {data, data, 0, {size}, {1}};
  return result;
}
static Matrix matrixOf(int64_t rows, int64_t columns) {
  /* Products have the size of what they are made of. */
  float *data = randomFloats(rows * columns, sqrtf(3 / (float)rows));
  Matrix result = {data, data, 0, {rows, columns}, {columns, 1}};
  return result;
}
static Activations activationsOf(int64_t batch, int64_t length, float scale) {
  float *data = randomFloats(batch * length * Model, scale);
  Activations result = {
      data, data, 0, {batch, length, Model}, {length * Model, Model, 1}};
  return result;
}

/*===----------------------------------------------------------------------===*\
|* The reference, of one sequence
\*===----------------------------------------------------------------------===*/

static void norm(const double *x, const float *gain, double *y) {
  double sum = 0;
  for (int i = 0; i < Model; ++i)
    sum += x[i] * x[i];
  for (int i = 0; i < Model; ++i)
    y[i] = x[i] / sqrt(sum / Model + 1e-5) * gain[i];
}

static void linear(const double *x, const Matrix *w, double *y) {
  int64_t rows = w->sizes[0], columns = w->sizes[1];
  for (int64_t n = 0; n < columns; ++n) {
    y[n] = 0;
    for (int64_t k = 0; k < rows; ++k)
      y[n] += x[k] * w->aligned[k * columns + n];
  }
}

static void rotate(double *x, int heads, int64_t position) {
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < HeadDim / 2; ++i) {
      double *a = x + h * HeadDim + i, *b = a + HeadDim / 2, low = *a;
      double angle = (double)position * pow(10000, -2.0 * i / HeadDim);
      *a = low * cos(angle) - *b * sin(angle);
      *b = *b * cos(angle) + low * sin(angle);
    }
}

/* Of one query at `position`; keys and values of all positions. */
static void attend(const double *q, const double *k, const double *v,
                   int64_t position, double *o) {
  double *p = allocate((size_t)(position + 1) * sizeof(double));
  for (int h = 0; h < Heads; ++h) {
    int kv = h / (Heads / KvHeads);
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j <= position; ++j) {
      const double *key = k + (j * KvHeads + kv) * HeadDim;
      p[j] = 0;
      for (int d = 0; d < HeadDim; ++d)
        p[j] += q[h * HeadDim + d] * key[d] / sqrt(HeadDim);
      most = fmax(most, p[j]);
    }
    for (int64_t j = 0; j <= position; ++j)
      sum += p[j] = exp(p[j] - most);
    for (int d = 0; d < HeadDim; ++d) {
      double total = 0;
      for (int64_t j = 0; j <= position; ++j)
        total += p[j] / sum * v[(j * KvHeads + kv) * HeadDim + d];
      o[h * HeadDim + d] = total;
    }
  }
  free(p);
}

typedef struct {
  Vector norm1, norm2;
  Matrix wq, wk, wv, wo, wgate, wup, wdown;
} Weights;

static void reference(const float *x, const Weights *w, int64_t length,
                      double *y) {
  size_t row = KvHeads * HeadDim;
  double *q = allocate((size_t)length * Model * sizeof(double)),
         *k = allocate((size_t)length * row * sizeof(double)),
         *v = allocate((size_t)length * row * sizeof(double));
  double in[Model], n[Model], o[Model], gate[Hidden], up[Hidden], down[Model];
  for (int64_t s = 0; s < length; ++s) {
    for (int i = 0; i < Model; ++i)
      in[i] = x[s * Model + i];
    norm(in, w->norm1.aligned, n);
    linear(n, &w->wq, q + s * Model);
    linear(n, &w->wk, k + s * (int64_t)row);
    linear(n, &w->wv, v + s * (int64_t)row);
    rotate(q + s * Model, Heads, s);
    rotate(k + s * (int64_t)row, KvHeads, s);
  }
  for (int64_t s = 0; s < length; ++s) {
    attend(q + s * Model, k, v, s, o);
    linear(o, &w->wo, in);
    for (int i = 0; i < Model; ++i)
      in[i] += x[s * Model + i];
    norm(in, w->norm2.aligned, n);
    linear(n, &w->wgate, gate);
    linear(n, &w->wup, up);
    for (int i = 0; i < Hidden; ++i)
      up[i] *= gate[i] / (1 + exp(-gate[i]));
    linear(up, &w->wdown, down);
    for (int i = 0; i < Model; ++i)
      y[s * Model + i] = in[i] + down[i];
  }
  free(q);
  free(k);
  free(v);
}

/*===----------------------------------------------------------------------===*\
|* The comparison
\*===----------------------------------------------------------------------===*/

/* The largest of rows' |y - r| / |r|. */
static double errorOf(const float *y, const double *r, int64_t rows) {
  double worst = 0;
  for (int64_t s = 0; s < rows; ++s) {
    double difference = 0, size = 0;
    for (int64_t i = s * Model; i < (s + 1) * Model; ++i) {
      difference += (y[i] - r[i]) * (y[i] - r[i]);
      size += r[i] * r[i];
    }
    double error = sqrt(difference / size);
    /* NaN is no small error. */
    if (!(error <= worst))
      worst = error;
  }
  return worst;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: main BATCH LENGTH\n");
    return 2;
  }
  int64_t batch = atoll(argv[1]), length = atoll(argv[2]);
  int missing = setHooks(&hooks);
  if (missing)
    return missing;
  Weights w = {vectorOf(Model),
               vectorOf(Model),
               matrixOf(Model, Heads * HeadDim),
               matrixOf(Model, KvHeads * HeadDim),
               matrixOf(Model, KvHeads * HeadDim),
               matrixOf(Heads * HeadDim, Model),
               matrixOf(Model, Hidden),
               matrixOf(Model, Hidden),
               matrixOf(Hidden, Model)};
  Activations x = activationsOf(batch, length, 1),
              y = activationsOf(batch, length, NAN);

  if (_mlir_ciface_block(&hooks, &x, &w.norm1, &w.wq, &w.wk, &w.wv, &w.wo,
                         &w.norm2, &w.wgate, &w.wup, &w.wdown,
                         &y) != ATTN_SUCCESS ||
      failed())
    return 1;

  double *r = allocate((size_t)(batch * length * Model) * sizeof(double));
  for (int64_t b = 0; b < batch; ++b)
    reference(x.aligned + b * length * Model, &w, length,
              r + b * length * Model);
  double error = errorOf(y.aligned, r, batch * length);
  printf("batch %d, length %d: error %.1e\n", (int)batch, (int)length, error);
  /* Attention is in f16: 11 bits. */
  return error < 1e-3 ? 0 : 1;
}
