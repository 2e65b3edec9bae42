//===- CpuThreads.cpp - Work of several threads of the CPU ----------------===//
//
// Threads live as long as a launch: none has to be brought through a fork, or
// to its end when the process ends. A launch runs in place where one like it
// was done before threads would have started.
//
//===----------------------------------------------------------------------===//

#include "CpuThreads.h"
#include "Failure.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

using namespace attn;
using Clock = std::chrono::steady_clock;

constexpr unsigned kMaxThreads = 4096;

/// What a thread takes to start, and more.
constexpr std::chrono::microseconds kWorthThread(50);

/// Pieces that each thread has of the work, about: CTAs differ in their work.
constexpr int64_t kPiecesOfThread = 8;

//===----------------------------------------------------------------------===//
// Numbers of threads
//===----------------------------------------------------------------------===//

static unsigned usableCores() {
  // Room for more cores than one set has.
  cpu_set_t sets[16];
  if (sched_getaffinity(0, sizeof(sets), sets) == 0)
    if (int count = CPU_COUNT_S(sizeof(sets), sets); count > 0)
      return std::min(unsigned(count), kMaxThreads);
  return std::max(1u, std::thread::hardware_concurrency());
}

unsigned attn::cpuThreads() {
  const char *text = std::getenv("ATTN_CPU_THREADS");
  if (!text || !*text)
    return usableCores();
  char *end = nullptr;
  errno = 0;
  long number = std::strtol(text, &end, 10);
  if (errno || *end || number < 1 || number > long(kMaxThreads))
    fail(ATTN_ERROR_ARGUMENT,
         "ATTN_CPU_THREADS: " +
             wantedGot("a number from 1 to " + std::to_string(kMaxThreads),
                       inQuotes(text)));
  return number;
}

//===----------------------------------------------------------------------===//
// What launches took
//===----------------------------------------------------------------------===//

namespace {
/// Of the launches before, by kernel and number of CTAs, in nanoseconds of
/// one thread; 0: not known. One may be another's, and is a guess then.
class Memory {
public:
  std::atomic<int64_t> &of(CpuFunction *function, int64_t ctas) {
    uint64_t key = reinterpret_cast<uintptr_t>(function) + ctas;
    return times[key * 0x9E3779B97F4A7C15u >> 54];
  }

private:
  std::atomic<int64_t> times[1 << 10] = {};
};
} // namespace

static Memory memory;

static int64_t nanoseconds(Clock::duration time) {
  return std::chrono::nanoseconds(time).count();
}

/// Threads that are worth starting for work of that time.
static int64_t worthFor(int64_t time) {
  return time / nanoseconds(kWorthThread) + 1;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
/// What is left of a launch, which threads take pieces of.
class Work {
public:
  Work(CpuFunction *function, int64_t ctas, void **parameters)
      : function(function), ctas(ctas), parameters(parameters) {}

  int64_t left() const { return std::max<int64_t>(0, ctas - next); }
  void setPiece(int64_t size) { piece = std::max<int64_t>(1, size); }

  /// Takes pieces until nothing is left.
  void run() {
    Clock::time_point start = Clock::now();
    while (true) {
      int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= ctas)
        break;
      function(begin, std::min(begin + piece, ctas), parameters);
    }
    busy += nanoseconds(Clock::now() - start);
  }

  /// Takes pieces, each twice the one before, for about `most`.
  void runFor(Clock::duration most) {
    Clock::time_point start = Clock::now();
    Clock::duration taken{};
    for (int64_t size = 1; taken < most; size *= 2) {
      int64_t begin = next.fetch_add(size, std::memory_order_relaxed);
      if (begin >= ctas)
        break;
      function(begin, std::min(begin + size, ctas), parameters);
      taken = Clock::now() - start;
    }
    busy += nanoseconds(taken);
  }

  /// What all threads worked, in nanoseconds.
  int64_t time() const { return busy; }

private:
  CpuFunction *function;
  int64_t ctas;
  void **parameters;
  int64_t piece = 1;
  std::atomic<int64_t> next{0}, busy{0};
};

/// Threads that run the work, until the end of this.
class Helpers {
public:
  explicit Helpers(Work &work) : work(work) {}

  /// Starts `count` more of them, or as many as the machine has.
  void start(int64_t count) {
    if (count <= 0)
      return;
    threads.reserve(threads.size() + count);
    // Signals are for the process's own threads.
    sigset_t all, before;
    sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    try {
      for (; count > 0; --count)
        threads.emplace_back([this] { work.run(); });
    } catch (const std::system_error &) {
      // The machine has no more of them: those that are there do the work.
    }
    if (masked)
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Helpers(const Helpers &) = delete;
  Helpers &operator=(const Helpers &) = delete;
  ~Helpers() {
    for (std::thread &thread : threads)
      thread.join();
  }

private:
  Work &work;
  std::vector<std::thread> threads;
};
} // namespace

/// Runs on `first` threads, and on `most` once it took longer than they need
/// if all is as known: that may be of another kernel, or of shorter streams.
static void runOn(Work &work, int64_t first, int64_t most) {
  Helpers helpers(work);
  work.setPiece(work.left() / (most * kPiecesOfThread));
  helpers.start(first - 1);
  if (first < most) {
    // Their work, and what they take to start.
    work.runFor(2 * kWorthThread);
    helpers.start(std::min(most - first, work.left() - 1));
  }
  work.run();
}

void attn::runOnThreads(CpuFunction *function, int64_t ctas, void **parameters,
                        unsigned most) {
  if (most <= 1 || ctas <= 1) {
    function(0, ctas, parameters);
    return;
  }
  std::atomic<int64_t> &before = memory.of(function, ctas);
  int64_t known = before.load(std::memory_order_relaxed);
  int64_t all = std::min<int64_t>(most, ctas);
  Work work(function, ctas, parameters);
  runOn(work, known ? std::min(all, worthFor(known)) : all, all);
  int64_t time = std::max<int64_t>(1, work.time());
  // One that others took the core from is no reason to start threads.
  if (known)
    time = std::min(time, 2 * known);
  before.store(time, std::memory_order_relaxed);
}
