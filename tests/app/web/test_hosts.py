"""Names of this machine, and the address that is printed."""

import socket

import pytest

from credo.app.web import hosts
from credo.app.web.hosts import address_of, hosts_of, is_local

HERE = {"127.0.0.1:8765", "localhost:8765", "[::1]:8765"}


@pytest.fixture
def machine(monkeypatch):
    """One with a name and two addresses."""

    def addresses(name, port):
        if name != "Lab":
            raise OSError
        found = (("192.168.1.7", 0), ("fe80::7%eth0", 0, 0, 2))
        return [(None, None, 0, "", address) for address in found]

    monkeypatch.setattr(socket, "gethostname", lambda: "Lab")
    monkeypatch.setattr(socket, "getfqdn", lambda: "lab.example.org")
    monkeypatch.setattr(socket, "getaddrinfo", addresses)
    outward = {socket.AF_INET: "10.0.0.7", socket.AF_INET6: ""}
    monkeypatch.setattr(hosts, "_outward", outward.__getitem__)


WORLD = {"lab:8765", "lab.example.org:8765", "192.168.1.7:8765", "[fe80::7]:8765", "10.0.0.7:8765"}


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *((host, HERE) for host in ("127.0.0.1", "localhost", "::1", "[::1]", "0:0:0:0:0:0:0:1")),
        *((host, HERE | WORLD) for host in ("0.0.0.0", "::", "192.168.1.7", "Lab")),
        ("other.example.org", HERE | WORLD | {"other.example.org:8765"}),
        ("2001:DB8::1", HERE | WORLD | {"[2001:db8::1]:8765"}),
    ],
)
def test_the_set_of_hosts(machine, host, expected):
    assert hosts_of(host, 8765) == expected


def test_browsers_leave_out_the_port_of_http(machine):
    assert hosts_of("127.0.0.1", 80) == {
        *("127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "localhost:80", "[::1]:80"),
    }
    assert {"lab", "10.0.0.7", "lab:80"} <= hosts_of("0.0.0.0", 80)


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [
        ("127.0.0.1", 8765, "http://127.0.0.1:8765"),
        ("localhost", 8765, "http://127.0.0.1:8765"),
        ("127.0.0.1", 80, "http://127.0.0.1"),
        ("::1", 8765, "http://[::1]:8765"),
        ("0.0.0.0", 8765, "http://10.0.0.7:8765"),
        ("::", 8765, "http://[::1]:8765"),
        ("Lab", 8765, "http://lab:8765"),
    ],
)
def test_the_address_is_one_of_the_hosts(machine, host, port, expected):
    assert address_of(host, port) == expected
    assert expected.removeprefix("http://") in hosts_of(host, port)


def test_what_this_machine_says_of_itself_is_served():
    name = socket.gethostname().lower()
    assert f"{name}:8765" in hosts_of("0.0.0.0", 8765)
    assert address_of("0.0.0.0", 8765).removeprefix("http://") in hosts_of("0.0.0.0", 8765)
    assert "0.0.0.0:8765" not in hosts_of("0.0.0.0", 8765)


def test_other_machines_are_the_world():
    assert all(is_local(host) for host in ("127.0.0.1", "localhost", "LOCALHOST", "::1", "[::1]"))
    assert not any(is_local(host) for host in ("", "0.0.0.0", "::", "192.168.1.7", "lab", "127.0.0.1.example.org"))
