"""Changes rows of runs and gives them valid codes, to test the protection beyond the codes."""

from pathlib import Path

from sqlalchemy import select, update

from investigator.store.database import FileDatabase
from investigator.store.row_codes import with_code
from investigator.store.schema import RUNS, runs
from investigator.store.user_key import user_key


def code_runs(path: Path) -> None:
    """Give each run of a database the code of its current contents."""
    database = FileDatabase(path, RUNS)
    with database.begin() as connection:
        for row in connection.execute(select(runs)).mappings().all():
            connection.execute(update(runs).where(runs.c.id == row["id"]).values(with_code(user_key(), runs, row)))
    database.close()
