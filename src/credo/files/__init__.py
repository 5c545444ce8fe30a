"""`credo.save` and `credo.load`: one file for a belief, a kernel, a fitted estimator or a nest of them.

A file from a stranger is safe to open. It holds arrays, plain values and names; a name is ``room.Class``, looked up in
the list of what that room exports, and an object is rebuilt by setting its declared fields: there is no code in a file,
and it can call none. What is outside the list is refused when it is saved, by the name of the field.
"""

from credo.files.decode import load
from credo.files.encode import save

__all__ = ["load", "save"]
