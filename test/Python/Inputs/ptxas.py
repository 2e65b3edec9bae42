"""Each place where an assembler is looked for, with the others hidden.

Runs itself with -S: packages are those of the folder that a test makes.
"""

import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv.pop(1) if len(sys.argv) > 1 else None

ASK = """
import sys, warnings
sys.path[:0] = [{package!r}, {site!r}]
from attn_mlir import _ptxas
_ptxas._USUAL_PLACE = {usual!r}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(_ptxas.find({arch!r}, {given!r}))
    _ptxas.find({arch!r}, {given!r})
print(len(caught), *[warning.message for warning in caught])
"""


class Ptxas(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.realpath(self.folder.name)

    def fake(self, *parts, release="13.0", text="#!/bin/sh\necho started >> {log}\necho 'Cuda compilation tools, release {release}, V1'\n"):
        path = os.path.join(self.root, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text.format(release=release, log=os.path.join(self.root, "log")))
        os.chmod(path, 0o755)
        return path

    def started(self):
        path = os.path.join(self.root, "log")
        return len(open(path).readlines()) if os.path.exists(path) else 0

    def find(self, arch="sm_90a", given=None, usual="", **environment):
        code = ASK.format(package=SOURCE, site=os.path.join(self.root, "site"), arch=arch, given=given, usual=usual)
        variables = {"PATH": "/nowhere", "ATTN_MLIR_CACHE_DIR": os.path.join(self.root, "cache"), **environment}
        done = subprocess.run([sys.executable, "-S", "-c", code], env=variables, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        path, warnings = done.stdout.splitlines()
        return path, warnings

    def expect(self, path, **keywords):
        self.assertEqual(self.find(**keywords), (path, "0"))

    def test_given(self):
        self.expect("/any/where", given="/any/where")

    def test_variable(self):
        self.fake("bin", "ptxas")
        self.expect("/any/where", ATTN_MLIR_PTXAS="/any/where", PATH=os.path.join(self.root, "bin"))
        self.expect("none", ATTN_MLIR_PTXAS="none")

    def test_home(self):
        for variable in ("CUDA_HOME", "CUDA_PATH"):
            path = self.fake(variable, "bin", "ptxas")
            self.expect(path, **{variable: os.path.join(self.root, variable)})

    def test_path(self):
        path = self.fake("bin", "ptxas")
        self.expect(path, PATH=os.path.join(self.root, "bin"))

    def test_usual_place(self):
        path = self.fake("cuda", "ptxas")
        self.expect(path, usual=path)

    def test_wheel(self):
        for folder in ("cu13", "cuda_nvcc"):
            path = self.fake("site", "nvidia", folder, "bin", "ptxas")
            self.expect(path)
            os.unlink(path)

    def test_wheel_of_another_release(self):
        """Its list of files says where it is."""
        path = self.fake("site", "nvidia", "elsewhere", "ptxas")
        self.fake("site", "nvidia_cuda_nvcc-99.0.dist-info", "METADATA", text="Name: nvidia-cuda-nvcc\nVersion: 99.0\n")
        self.fake("site", "nvidia_cuda_nvcc-99.0.dist-info", "RECORD", text="nvidia/elsewhere/ptxas,,\n")
        self.expect(path)

    def test_triton(self):
        self.fake("site", "triton", "__init__.py", text="raise ImportError('not to be imported')\n")
        old = self.fake("site", "triton", "backends", "nvidia", "bin", "ptxas", release="12.8")
        new = self.fake("site", "triton", "backends", "nvidia", "bin", "ptxas-blackwell", release="12.9")
        self.expect(old, arch="sm_90a")
        self.expect(old, arch="sm_120a")
        self.expect(new, arch="sm_121a")

    def test_order(self):
        """Each goes before those that follow."""
        self.fake("site", "triton", "__init__.py", text="")
        places = [
            self.fake("home", "bin", "ptxas"), self.fake("bin", "ptxas"), self.fake("usual", "ptxas"),
            self.fake("site", "nvidia", "cu13", "bin", "ptxas"),
            self.fake("site", "triton", "backends", "nvidia", "bin", "ptxas"),
        ]
        for path in places:
            self.expect(
                path, CUDA_HOME=os.path.join(self.root, "home"), PATH=os.path.join(self.root, "bin"), usual=places[2])
            os.unlink(path)

    def test_too_old(self):
        self.fake("bin", "ptxas", release="11.8")
        wheel = self.fake("site", "nvidia", "cu13", "bin", "ptxas", release="13.0")
        self.expect(wheel, PATH=os.path.join(self.root, "bin"))

    def test_broken(self):
        self.fake("bin", "ptxas", text="#!/bin/sh\nexit 1\n")
        path, warnings = self.find(PATH=os.path.join(self.root, "bin"))
        self.assertEqual((path, warnings[0]), ("none", "1"))

    def test_nowhere(self):
        path, warnings = self.find()
        self.assertEqual(path, "none")
        self.assertRegex(warnings, r"^1 no ptxas for sm_90a was found .*the driver compiles .* may be slower")

    def test_started_once(self):
        """A second process knows the release of the first."""
        path = self.fake("bin", "ptxas")
        for _ in range(2):
            self.expect(path, PATH=os.path.join(self.root, "bin"))
        self.assertEqual(self.started(), 1)
        self.fake("bin", "ptxas", release="12.10")
        self.expect(path, PATH=os.path.join(self.root, "bin"))
        self.assertEqual(self.started(), 2)


if __name__ == "__main__":
    unittest.main()
