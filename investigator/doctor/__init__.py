"""Check that the engines work, who they are, and what is sent where: `diagnose`, and the command `doctor`."""

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
