"""What pyproject.toml cannot say: the registry, which lies beside the packages in a checkout, goes into the
study when it is built."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class Build(build_py):
    """Builds the packages, and copies the registry to where an installed library looks for it."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            place = Path(self.build_lib) / "study" / "corpora" / "packaged" / "registry"
            shutil.copytree(Path("data") / "registry", place, dirs_exist_ok=True)


setup(cmdclass={"build_py": Build})
