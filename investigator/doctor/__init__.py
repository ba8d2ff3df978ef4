"""Whether the engines work, who they are, and what is sent where; in Python `diagnose`, on the shell `doctor`."""

from investigator.doctor.diagnosis import diagnose
from investigator.doctor.findings import Diagnosis, EngineFinding, Environment, RoleFinding, RoleState, StructuredOutput

__all__ = [
    "Diagnosis",
    "EngineFinding",
    "Environment",
    "RoleFinding",
    "RoleState",
    "StructuredOutput",
    "diagnose",
]
