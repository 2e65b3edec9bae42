//===- CpuThreads.cpp - Work of several threads of the CPU ----------------===//
//
// Threads live as long as a launch: none has to be brought through a fork, or
// to its end when the process ends. A launch that is done before threads would
// have started runs in place.
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
// Threads
//===----------------------------------------------------------------------===//

namespace {
/// What is left of a launch, which threads take pieces of.
class Work {
public:
  Work(CpuFunction *function, int64_t ctas, void **parameters)
      : function(function), ctas(ctas), parameters(parameters) {}

  int64_t left() const { return ctas - next; }
  void setPiece(int64_t size) { piece = std::max<int64_t>(1, size); }

  /// Takes pieces until nothing is left.
  void run() {
    while (true) {
      int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= ctas)
        return;
      function(begin, std::min(begin + piece, ctas), parameters);
    }
  }

  /// Takes pieces, each twice the one before, for about `most`; how long the
  /// rest takes if it is like these.
  Clock::duration runFor(Clock::duration most) {
    Clock::time_point start = Clock::now();
    Clock::duration taken{};
    for (int64_t begin = 0, size = 1; begin < ctas && taken < most; size *= 2) {
      int64_t end = std::min(begin + size, ctas);
      function(begin, end, parameters);
      taken = Clock::now() - start;
      next = begin = end;
    }
    return taken / std::max<int64_t>(1, next) * left();
  }

private:
  CpuFunction *function;
  int64_t ctas;
  void **parameters;
  int64_t piece = 1;
  std::atomic<int64_t> next{0};
};

/// Threads that run the work, until the end of this.
class Helpers {
public:
  Helpers(Work &work, unsigned count) {
    threads.reserve(count);
    // Signals are for the process's own threads.
    sigset_t all, before;
    sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    try {
      while (threads.size() < count)
        threads.emplace_back([&work] { work.run(); });
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
  std::vector<std::thread> threads;
};
} // namespace

void attn::runOnThreads(CpuFunction *function, int64_t ctas, void **parameters,
                        unsigned threads) {
  if (threads <= 1 || ctas <= 1) {
    function(0, ctas, parameters);
    return;
  }
  Work work(function, ctas, parameters);
  Clock::duration rest = work.runFor(kWorthThread);
  if (work.left() <= 0)
    return;
  int64_t useful = std::min<int64_t>(work.left(), rest / kWorthThread + 1);
  int64_t count = std::min<int64_t>(threads, useful);
  work.setPiece(work.left() / (count * kPiecesOfThread));
  Helpers helpers(work, count - 1);
  work.run();
}
