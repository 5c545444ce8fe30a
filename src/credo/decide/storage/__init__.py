"""Where studies are kept, so that nothing that was acknowledged is lost.

`storage_from(None)` is memory, `storage_from("study.db")` a SQLite file, `storage_from("postgresql://…")` a PostgreSQL
server. Many workers share a study: trials are handed out once, for a lease and with a token; answers are final; what a
dead worker held goes to the next who asks.
"""

from credo.decide.storage.base import Storage
from credo.decide.storage.memory import MemoryStorage
from credo.decide.storage.opening import storage_from
from credo.decide.storage.records import Changes, Counts, Evidence, State, StudyRecord, TrialRecord

__all__ = [
    "Changes",
    "Counts",
    "Evidence",
    "MemoryStorage",
    "State",
    "Storage",
    "StudyRecord",
    "TrialRecord",
    "storage_from",
]
