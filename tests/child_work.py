"""What children of the web page do in tests: functions that another process can import."""

import os
import time

from credo.errors import InputError


def double(say, number):
    say("doubling")
    return 2 * number


def process(say):
    say("looking")
    return os.getpid()


def refuse(say):
    raise InputError("Table", "it is empty")


def stumble(say):
    raise RuntimeError("secret path /etc/passwd")


def hang(say):
    time.sleep(600)


def swell(say):
    held = []
    while True:
        held.append(bytearray(2**24))
        time.sleep(0.01)


def die(say):
    os._exit(7)


def answering_late(pipe):
    """The child of a desk on a busy machine."""
    from credo.app.web.desk import _answering

    time.sleep(2.0)
    _answering(pipe)
