"""Puts the launcher, where it is built, beside the package."""

import os
import shutil
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

FILE_NAME = "libattn_launcher.so"
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# pip builds in the checkout: what setuptools writes on the way goes elsewhere.
SCRATCH = tempfile.TemporaryDirectory(prefix="attn-mlir-")


class BuildWithLauncher(build_py):
    def run(self):
        super().run()
        launcher = os.environ.get("ATTN_LAUNCHER") or os.path.join(
            SOURCE, "build", "lib", "Launcher", FILE_NAME
        )
        if os.path.exists(launcher):
            shutil.copy(launcher, os.path.join(self.build_lib, "attn_mlir", FILE_NAME))
        else:
            print(f"attn-mlir: no {launcher}: set ATTN_LAUNCHER when you use the package")


class EggInfoElsewhere(egg_info):
    def initialize_options(self):
        super().initialize_options()
        self.egg_base = SCRATCH.name


setup(
    cmdclass={"build_py": BuildWithLauncher, "egg_info": EggInfoElsewhere},
    options={"build": {"build_base": os.path.join(SCRATCH.name, "build")}},
)
