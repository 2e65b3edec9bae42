//===- TimeLimit.h - How long an input may compute --------------*- C++ -*-===//

#ifndef ATTN_TEST_FUZZ_TIMELIMIT_H
#define ATTN_TEST_FUZZ_TIMELIMIT_H

#include <csignal>
#include <cstdlib>
#include <sys/time.h>
#include <unistd.h>

namespace attn_fuzz {

/// A finding where it lives longer than ATTN_FUZZ_SECONDS (20) of processor
/// time. libFuzzer's -timeout is of elapsed time, of which a busy machine takes
/// any part; it is for inputs that wait.
class TimeLimit {
public:
  TimeLimit() {
    static const double seconds = fromEnvironment();
    std::signal(SIGPROF, [](int) {
      static const char text[] = "finding: the input computes for too long\n";
      (void)!write(STDERR_FILENO, text, sizeof text - 1);
      std::abort();
    });
    set(seconds);
  }
  ~TimeLimit() { set(0); }

private:
  static double fromEnvironment() {
    const char *text = std::getenv("ATTN_FUZZ_SECONDS");
    return text ? std::atof(text) : 20;
  }
  static void set(double seconds) {
    itimerval timer = {};
    timer.it_value.tv_sec = time_t(seconds);
    timer.it_value.tv_usec =
        suseconds_t((seconds - double(time_t(seconds))) * 1e6);
    setitimer(ITIMER_PROF, &timer, nullptr);
  }
};

} // namespace attn_fuzz

#endif // ATTN_TEST_FUZZ_TIMELIMIT_H
