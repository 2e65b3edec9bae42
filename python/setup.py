"""Puts the launcher, where it is built, beside the package."""

import os
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

FILE_NAME = "libattn_launcher.so"
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


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


setup(cmdclass={"build_py": BuildWithLauncher})
