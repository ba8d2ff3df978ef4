"""Renders prompts from templates, which are stored as `prompts/<owner>/<name>.j2`.

Each template has a contract: the record of its variables. The template may use only the fields of this record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from investigator.asking.contracts import METHOD, Contract
from investigator.asking.template_check import SUFFIX, check_templates, refuse, template_version
from investigator.asking.templates import Sandbox, file_in, source_of
from investigator.errors import TemplateError
from investigator.records import Prompt, Record, TemplateVersion
from investigator.resources import prompts_folder


class Prompts:
    """The templates in one folder, with the package's own templates as defaults.

    `contracts` maps the names of the templates in use to their contracts; only these templates are checked. Raises
    TemplateError if the folder cannot be used or a template breaks its contract; the message gives the file, the line
    and the allowed names.
    """

    def __init__(self, folder: Path | None = None, contracts: Mapping[str, Contract] = METHOD) -> None:
        if folder is not None:
            refuse(check_templates(folder, contracts).problems, folder)
        self._folder = folder
        self._contracts = contracts
        self._sandbox = Sandbox()

    def of(self, folder: Path | None) -> Prompts:
        """Return the templates in another folder, with the same contracts. Raises TemplateError."""
        return Prompts(folder, self._contracts)

    def path(self, name: str) -> Path:
        """Return the path of the template named `owner/name`. Raises TemplateError."""
        relative = f"{name}{SUFFIX}"
        own = file_in(self._folder, relative) if self._folder is not None else None
        return own or prompts_folder() / relative

    def own(self) -> tuple[TemplateVersion, ...]:
        """Return the user's templates that replace shipped templates."""
        paths = {name: self.path(name) for name in self._contracts}
        return tuple(
            template_version(name, source_of(path), own=True)
            for name, path in paths.items()
            if not path.is_relative_to(prompts_folder())
        )

    def own_words(self, name: str) -> str:
        """Return the fixed text of a template; it is used to detect a model that repeats its prompt."""
        return self._sandbox.own_words(self.path(name))

    def fingerprint(self) -> str:
        """Return a hash of the method's templates; an investigation with changed templates counts as a new one."""
        digest = hashlib.sha256()
        for name in METHOD:
            digest.update(source_of(self.path(name)).encode())
        return digest.hexdigest()

    def render(self, template: Path, variables: Record) -> str:
        """Return the text of a template with its variables filled in. Raises TemplateError."""
        return self._sandbox.render(template, variables)

    def prompt(self, name: str, variables: Record, template: Path | None = None) -> Prompt:
        """Return a prompt for an engine, from the template with this name or the file that replaces it."""
        reply_type = self._contracts[name].reply
        if reply_type is None:
            raise TemplateError(f"the template {name} is not sent to an engine")
        text = self.render(template or self.path(name), variables)
        return Prompt(template=name, variables=variables, text=text, reply_type=reply_type)
