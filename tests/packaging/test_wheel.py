"""Wheel and sdist hold what they should, and an installed wheel does the main job."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return out


def tracked(folder: str) -> set[str]:
    """Return the files of a source root as git tracks them, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return {name.removeprefix(folder + "/") for name in listed.stdout.split()}


def test_the_wheel_holds_both_packages_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    own = {name for name in names if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in own} == {"tilesolve", "tilesolve_models"}
    assert {"tilesolve/py.typed", "tilesolve_models/py.typed"} <= own
    assert not [name for name in own if "__pycache__" in name or "test_" in name]
    wanted = tracked("solver") | tracked("models")
    assert wanted <= own
    licences = [name for name in names if name.endswith("LICENSE")]
    assert len(licences) == 1
    (points,) = (name for name in names if name.endswith("entry_points.txt"))
    text = zipfile.ZipFile(wheel).read(points).decode()
    assert "polyform = tilesolve_models.polyform.game:GAME" in text
    assert "tilesolve = tilesolve.cli:main" in text


def test_the_sdist_holds_sources_tests_and_docs(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {"README.md", "LICENSE", "pyproject.toml", "solver/tilesolve/__init__.py"}
    assert wanted | {"docs/examples/sheet.json", "tests/packaging/test_wheel.py"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".venv")]


def test_an_installed_wheel_runs_the_example_of_the_readme(built: Path, tmp_path: Path) -> None:
    """In an environment with the wheel and its dependencies only, outside the source tree."""
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False, system_site_packages=False)
    site = next((tmp_path / "env").glob("lib/python*/site-packages"), None)
    if site is None:
        site = tmp_path / "env" / "Lib" / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # The dependencies come from this environment; the project itself from the wheel alone.
    here = Path(sys.modules["numpy"].__file__ or "").parents[1] if "numpy" in sys.modules else None
    if here is None:
        import numpy

        here = Path(numpy.__file__).parents[1]
    (site / "dependencies.pth").write_text(str(here) + "\n")
    python = next((tmp_path / "env").glob("bin/python"), tmp_path / "env/Scripts/python.exe")
    script = (
        "import tilesolve, sys; "
        f"assert tilesolve.__file__.startswith({str(site)!r}), tilesolve.__file__; "
        "from tilesolve.cli import main; main(sys.argv[1:])"
    )
    examples = ROOT / "docs" / "examples"
    arguments = ["fit", str(examples / "sheet.json"), str(examples / "pieces.json"), "--cover"]
    done = subprocess.run(
        [str(python), "-c", script, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("yes\n")
