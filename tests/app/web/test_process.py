"""Children that end with their parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from child_work import die
from credo.app.web.process import begun

pytestmark = pytest.mark.slow

PARENT = """
import time
from child_work import hang
from credo.app.web.process import begun
if __name__ == "__main__":
    print(begun(hang, None).pid, flush=True)
    time.sleep(600)
"""


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:1]


def test_a_child_works_and_its_end_is_told():
    child = begun(die, None)
    child.join(60)
    assert child.exitcode == 7


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the test looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("after", [0.0, 5.0], ids=["at once", "at work"])
def test_a_child_ends_with_its_parent(tmp_path, how, after):
    (tmp_path / "parent.py").write_text(PARENT)
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, str(tmp_path / "parent.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}) as parent:
        child = int(parent.stdout.readline())
        time.sleep(after)
        assert is_there(child)
        parent.send_signal(how)
        parent.wait(30)
    deadline = time.monotonic() + 60.0
    while is_there(child) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not is_there(child)
