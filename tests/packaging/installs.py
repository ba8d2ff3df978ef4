"""Installs a wheel as users do, asks it a question, and reports the cost: `make install-test`. Each way of installing
gets separate folders, which are removed afterwards. The measurements are printed as rows of Markdown.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.packaging.dockerfile import copy_context, instructions

REPORT = "# Trial\n\nThe follow-up took 24 months and ended in June.\n"
QUESTION = "How long was the follow-up?"
ANSWERS = (0, 5)  # answered; passages found
NOBODY = 10001  # the user of the image
_IMPORT = "import time; {}; print(time.process_time())"


def main() -> None:
    """Try each requested way of installing; return 1 if one of them does not work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--ways", default="pip,pipx,uv,dockerfile", help="separated by commas")
    parser.add_argument("--python", default=sys.executable, help="the interpreter to install for")
    parser.add_argument("--constraints", type=Path, help="versions to install, as of pip's -c")
    chosen = parser.parse_args()
    print("| way | Python | seconds | packages | MB | import, CPU s | question, s |")
    print("| --- | --- | --: | --: | --: | --: | --: |")
    for way in chosen.ways.split(","):
        with tempfile.TemporaryDirectory(prefix="investigator-install-") as home:
            _try(way, chosen.wheel.resolve(), chosen.python, chosen.constraints, Path(home))


def _try(way: str, wheel: Path, python: str, constraints: Path | None, home: Path) -> None:
    variables = {
        **os.environ,
        "PIPX_HOME": str(home / "pipx"),
        "PIPX_BIN_DIR": str(home / "bin"),
        "PIPX_MAN_DIR": str(home / "man"),
        "UV_TOOL_DIR": str(home / "uv"),
        "UV_TOOL_BIN_DIR": str(home / "bin"),
        "XDG_DATA_HOME": str(home / "data"),
    }
    variables.pop("PYTHONPATH", None)
    if constraints is not None:
        variables["PIP_CONSTRAINT"] = variables["UV_CONSTRAINT"] = str(constraints.resolve())
    begun = time.perf_counter()
    if way == "pip":
        _run([python, "-m", "venv", str(home / "venv")], variables)
        _run([str(home / "venv" / "bin" / "pip"), "install", "-q", str(wheel)], variables)
        command, interpreter = home / "venv" / "bin" / "investigator", home / "venv" / "bin" / "python"
    elif way == "pipx":
        _run(["pipx", "install", "-q", "--python", python, str(wheel)], variables)
        command, interpreter = home / "bin" / "investigator", next((home / "pipx" / "venvs").glob("*/bin/python"))
    elif way == "dockerfile":
        _carry_out(python, variables, home)
        command, interpreter = home / "opt" / "bin" / "investigator", home / "opt" / "bin" / "python"
    else:
        _run(["uv", "tool", "install", "-q", "--python", python, str(wheel)], variables)
        command, interpreter = home / "bin" / "investigator", next((home / "uv").glob("*/bin/python"))
    seconds = time.perf_counter() - begun
    _use(command, interpreter, variables, home, f"| {way} | {_version(interpreter, variables)} | {seconds:.0f} |")


def _carry_out(python: str, variables: dict[str, str], home: Path) -> None:
    """Do what the Dockerfile does to install, in folders of `home`; running as another user needs root."""
    copy_context(home / "source")
    for one in instructions():
        if one.word == "RUN" and one.stage == 0:
            line = one.text.replace("/opt/investigator", str(home / "opt")).replace(
                "python -m venv", f"{python} -m venv"
            )
            _run(["sh", "-c", line], variables, home / "source")
    (home / "data").mkdir()
    if os.getuid() == 0:
        home.chmod(0o755)
        os.chown(home / "data", NOBODY, NOBODY)


def _use(command: Path, interpreter: Path, variables: dict[str, str], home: Path, row: str) -> None:
    """Use the installed command as in the five-minute start, and print the row."""
    folder = home / "papers"
    folder.mkdir()
    (folder / "report.md").write_text(REPORT, encoding="utf-8")
    folder.chmod(0o555)
    version = _run([str(command), "--version"], variables, home)
    assert version.startswith("document-investigator "), version
    assert "not installed" not in version, version
    assert _run([str(command)], {**variables, "_INVESTIGATOR_COMPLETE": "source_bash"}, home)
    site = Path(
        _run([str(interpreter), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], variables).strip()
    )
    assert (site.parents[2] / "share" / "man" / "man1" / "investigator.1").is_file()
    assert list(site.glob("document_investigator-*.dist-info/sboms/*.json"))
    asked = [str(command), "ask", str(folder), QUESTION]
    begun = time.perf_counter()
    owner = (home / "data").stat().st_uid if (home / "data").exists() else os.getuid()
    answer = _run(asked, variables, home, ANSWERS, owner)
    seconds = time.perf_counter() - begun
    assert "24 months" in answer, answer
    imported = float(
        _run([str(interpreter), "-c", _IMPORT.format("from investigator import Investigator")], variables, home)
    )
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file() and not path.is_symlink())
    packages = len(list(site.glob("*.dist-info")))
    print(f"{row} {packages} | {size / 1e6:,.0f} | {imported:.2f} | {seconds:.1f} |", flush=True)


def _version(interpreter: Path, variables: dict[str, str]) -> str:
    told = "import platform; print(platform.python_version())"
    return f"{_run([str(interpreter), '-c', told], variables).strip()} ({platform.machine()})"


def _run(
    command: list[str],
    variables: dict[str, str],
    folder: Path | None = None,
    wanted: tuple[int, ...] = (0,),
    user: int | None = None,
) -> str:
    other = None if user == os.getuid() else user
    done = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=False, user=other)
    if done.returncode not in wanted:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
