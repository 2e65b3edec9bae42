"""lit's shell tests, which note the processor time that each took in a file: on a
machine that does other work too, elapsed time says little. utils/ci-times.py adds up."""

import os
import resource

import lit.formats


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class TimedShTest(lit.formats.ShTest):
    def __init__(self, times, **rest):
        super().__init__(**rest)
        self.times = times

    def execute(self, test, lit_config):
        # A worker runs one test at a time, and waits for what it starts.
        before = spent()
        result = super().execute(test, lit_config)
        os.makedirs(os.path.dirname(self.times), exist_ok=True)
        with open(self.times, "a") as file:
            file.write(f"{spent() - before:.3f} {'/'.join(test.path_in_suite)}\n")
        return result
