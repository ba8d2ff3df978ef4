"""Adds a bill of materials (CycloneDX, PEP 770) to the wheel: its third-party content and its dependencies."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_HELD = (  # third-party word lists in the wheel: name, version, SPDX id of the licence, purpose
    ("NLTK stop words", "3.7", "Apache-2.0", "investigator/bb3/english_stop_words.txt, as used by BlenderBot 3"),
)


class BillOfMaterials(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the bill before the wheel is built, and removes it afterwards."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the bill and add it to the wheel."""
        bill = json.dumps(self._bill(), indent=1, sort_keys=True) + "\n"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(bill, encoding="utf-8")
        build_data["sbom_files"].append(str(self._file))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the bill, which is now in the wheel."""
        self._file.unlink(missing_ok=True)

    @property
    def _file(self) -> Path:
        return Path(self.directory) / "sbom.cdx.json"

    def _bill(self) -> dict[str, Any]:
        core = self.metadata.core
        own = f"pkg:pypi/{core.name}@{self.metadata.version}"
        held = [
            {
                "type": "data",
                "bom-ref": name,
                "name": name,
                "version": version,
                "description": told,
                **_licence(licence),
            }
            for name, version, licence, told in _HELD
        ]
        tested = _tested(Path(self.root) / "constraints.txt")
        needed = [_needed(re.split(r"[^A-Za-z0-9._-]", one)[0].lower(), tested) for one in core.dependencies]
        return {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application",
                    "bom-ref": own,
                    "name": core.name,
                    "version": self.metadata.version,
                    "description": core.description,
                    "purl": own,
                    **_licence(core.license_expression),
                }
            },
            "components": [*held, *needed],
            "dependencies": [{"ref": own, "dependsOn": [one["bom-ref"] for one in (*held, *needed)]}],
        }


def _licence(spdx: str) -> dict[str, Any]:
    """Return the licence with this SPDX id in CycloneDX form."""
    return {"licenses": [{"license": {"id": spdx}}]}


def _tested(constraints: Path) -> dict[str, str]:
    """Return the versions that the package was tested with; none if a source distribution lacks the file."""
    lines = constraints.read_text(encoding="utf-8").splitlines() if constraints.is_file() else []
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))


def _needed(name: str, tested: dict[str, str]) -> dict[str, Any]:
    """Return a dependency, which the wheel does not contain, with the tested version, if known."""
    purl = f"pkg:pypi/{name}" + (f"@{tested[name]}" if name in tested else "")
    told = "declared, not included; the version is the tested one"
    return {"type": "library", "bom-ref": purl, "name": name, "purl": purl, "scope": "required", "description": told}
