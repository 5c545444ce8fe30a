"""Under which names this machine is asked, and the address that is printed."""

import socket
from contextlib import suppress
from ipaddress import ip_address

__all__ = ["address_of", "hosts_of", "is_local"]

_LOCAL = ("127.0.0.1", "localhost", "::1")
_EVERYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # with what reaches it from this machine
_HTTP = 80  # the port that browsers leave out
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # addresses that are nobody's


def is_local(host: str) -> bool:
    """Whether only this machine reaches what is served there."""
    return _plain(host) in _LOCAL


def hosts_of(host: str, port: int) -> frozenset[str]:
    """What a browser may send as `Host`: names that are ours, so that no other name that leads here opens anything.

    To the world these are all names and addresses of this machine. Browsers leave out port 80.
    """
    names = {_plain(host), *_LOCAL} if is_local(host) else {_plain(host), *_LOCAL, *_own()}
    written = {_written(name) for name in names if name not in _EVERYWHERE}
    with_port = {f"{name}:{port}" for name in written}
    return frozenset(with_port | written if port == _HTTP else with_port)


def address_of(host: str, port: int) -> str:
    """The address that leads here, from other machines too where they are served."""
    name = _plain(host)
    if name in _EVERYWHERE:
        name = _outward(socket.AF_INET6 if ":" in name else socket.AF_INET) or _EVERYWHERE[name]
    return f"http://{_written('127.0.0.1' if name == 'localhost' else name)}" + ("" if port == _HTTP else f":{port}")


def _plain(host: str) -> str:
    """A name in small letters; an address as browsers write it, without brackets and zone."""
    name = host.strip("[]").partition("%")[0].lower()
    try:
        return ip_address(name).compressed
    except ValueError:
        return name


def _written(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _own() -> set[str]:
    """The names and addresses of this machine."""
    names = {socket.gethostname(), socket.getfqdn()}
    addresses = {_outward(family) for family in _ELSEWHERE}
    for name in tuple(names):
        with suppress(OSError):
            addresses |= {str(found[4][0]) for found in socket.getaddrinfo(name, None)}
    return {_plain(each) for each in names | addresses if each}


def _outward(family: socket.AddressFamily) -> str:
    """The address that other machines see; nothing is sent to find it."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((_ELSEWHERE[family], 9))
        return str(probe.getsockname()[0])
    return ""
