"""What pyproject.toml cannot say: the registry and the embedded corpus, which lie beside the packages in a
checkout, go into the study when it is built."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class Build(build_py):
    """Builds the packages, and copies both to where an installed library looks for them."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            place = Path(self.build_lib) / "study" / "corpora" / "packaged"
            for name in ("registry", "mini"):
                shutil.copytree(Path("data") / name, place / name, dirs_exist_ok=True)


setup(cmdclass={"build_py": Build})
