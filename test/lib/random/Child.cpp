//===- Child.cpp - Modules in a child process -----------------------------===//

#include "Child.h"
#include "TestDialect.h"
#include "attn-mlir/Compiler/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

using namespace attn_random;

namespace {

/// What a child says: a line for each module, of status, kind and detail.
std::string encode(const Outcome &outcome) {
  auto clean = [](std::string text) {
    for (char &c : text)
      if (c == '\t' || c == '\n')
        c = ' ';
    return text.substr(0, 2000);
  };
  return std::to_string(outcome.status) + "\t" + clean(outcome.kind) + "\t" +
         clean(outcome.detail) + "\n";
}

Outcome decode(llvm::StringRef line) {
  auto [status, rest] = line.split('\t');
  auto [kind, detail] = rest.split('\t');
  unsigned number = 0;
  status.getAsInteger(10, number);
  return {Outcome::Status(number), kind.str(), detail.str()};
}

/// A child that executes modules from `first` on until nobody reads.
[[noreturn]] void work(llvm::function_ref<RandomModule(uint64_t)> make,
                       uint64_t first, int out, bool quiet) {
  if (quiet)
    if (int null = open("/dev/null", O_WRONLY); null >= 0)
      dup2(null, 2);
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  registry.insert<attn_test::AttnTestDialect>();
  // Types and attributes of a context stay until its end: a new one now and
  // then.
  constexpr unsigned kModulesOfContext = 100;
  while (true) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    for (unsigned i = 0; i < kModulesOfContext; ++i) {
      std::string line = encode(execute(context, make(first++)));
      if (write(out, line.data(), line.size()) != ssize_t(line.size()))
        _exit(0);
    }
  }
}

/// The parent's end of a child.
class Child {
public:
  Child(llvm::function_ref<RandomModule(uint64_t)> make, uint64_t first,
        bool quiet) {
    int ends[2];
    if (pipe(ends) != 0)
      llvm::report_fatal_error("no pipe for a child");
    llvm::outs().flush();
    process = fork();
    if (process < 0)
      llvm::report_fatal_error("no child");
    if (process == 0) {
      close(ends[0]);
      work(make, first, ends[1], quiet);
    }
    close(ends[1]);
    in = ends[0];
  }
  ~Child() {
    close(in);
    if (!ended) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// The outcome of the next module; `lost` if the child is no more.
  Outcome next(unsigned seconds, bool &lost) {
    double begin = processorTime();
    while (true) {
      if (size_t end = pending.find('\n'); end != std::string::npos) {
        Outcome outcome = decode(llvm::StringRef(pending).take_front(end));
        pending.erase(0, end + 1);
        return outcome;
      }
      constexpr int kMilliseconds = 500;
      pollfd wait{in, POLLIN, 0};
      int ready = poll(&wait, 1, kMilliseconds);
      lost = ready == 0 && processorTime() - begin > seconds;
      if (lost)
        return {Outcome::Failed, "takes too long",
                "more than " + std::to_string(seconds) + " s"};
      if (ready <= 0)
        continue;
      char buffer[4096];
      ssize_t count = read(in, buffer, sizeof(buffer));
      lost = count <= 0;
      if (lost)
        return ending();
      pending.append(buffer, count);
    }
  }

private:
  /// Seconds that the child has computed: others that compute do not count.
  double processorTime() const {
    clockid_t clock;
    timespec time{};
    if (clock_getcpuclockid(process, &clock) == 0)
      clock_gettime(clock, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  }

  Outcome ending() {
    int status = 0;
    waitpid(process, &status, 0);
    ended = true;
    return {Outcome::Failed, "crashes",
            WIFSIGNALED(status)
                ? std::string("signal ") + strsignal(WTERMSIG(status))
                : "exit status " + std::to_string(WEXITSTATUS(status))};
  }

  pid_t process;
  int in;
  bool ended = false;
  std::string pending;
};

} // namespace

void attn_random::executeInChildren(
    llvm::function_ref<RandomModule(uint64_t)> make,
    llvm::function_ref<bool(uint64_t, const Outcome &)> done, unsigned seconds,
    bool quiet) {
  // A child that is not read from ends by its write.
  std::signal(SIGPIPE, SIG_IGN);
  for (uint64_t number = 0;;) {
    Child child(make, number, quiet);
    for (bool lost = false; !lost; ++number)
      if (!done(number, child.next(seconds, lost)))
        return;
  }
}

Outcome attn_random::executeInChild(const RandomModule &module,
                                    unsigned seconds) {
  Outcome result;
  executeInChildren([&](uint64_t) { return module; },
                    [&](uint64_t, const Outcome &outcome) {
                      result = outcome;
                      return false;
                    },
                    seconds, /*quiet=*/true);
  return result;
}
