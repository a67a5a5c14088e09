"""Both stores: a SQLite file, and a database on a Postgres server that the run starts for itself."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest


class Server:
    """A Postgres server in a directory of its own, listening on a free port of this machine."""

    def __init__(self, binaries: Path, home: Path) -> None:
        self._binaries, self._home = binaries, home
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._as_postgres: Sequence[str] = ()
        if os.geteuid() == 0:  # the server refuses to run as root
            owner = pwd.getpwnam("postgres")
            os.chown(home, owner.pw_uid, owner.pw_gid)
            self._as_postgres = ("runuser", "-u", "postgres", "--")
        options = ("-U", "svc", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self._run("initdb", "-D", str(home / "data"), *options)
        self.start()

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self._port} -k {self._home} -c fsync=off"
        log = str(self._home / "log")
        self._run("pg_ctl", "-D", str(self._home / "data"), "-w", "-t", "30", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._home / "data"), "-m", "immediate", "stop")

    def database(self) -> str:
        """The URL of a new, empty schema: as good as a database, and made in a millisecond."""
        import psycopg

        url, name = f"postgresql://svc@127.0.0.1:{self._port}/postgres", f"s_{uuid.uuid4().hex}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{url}?options=-csearch_path%3D{name}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_postgres, str(self._binaries / program), *arguments]
        # A server inherits its parent's output: a pipe would never end.
        subprocess.run(
            command, check=True, cwd=self._home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60
        )


def binaries() -> Path | None:
    """Where the server's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    path = found[-1] if found else shutil.which("initdb")
    return Path(path).parent if path else None


@pytest.fixture(scope="session")
def postgres_server() -> Generator[Server]:
    """One server a run; without one, tests on Postgres are skipped, in CI they fail."""
    place = binaries()
    if place is None:
        reason = "no PostgreSQL server here: install the package postgresql to test that store"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    home = Path(tempfile.mkdtemp(prefix="carerails-pg-"))
    server = Server(place, home)
    yield server
    server.stop()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def sqlite_store(tmp_path: Path) -> str:
    """A new SQLite file."""
    return str(tmp_path / "talks.db")


@pytest.fixture
def postgres_store(postgres_server: Server) -> str:
    """A new Postgres database."""
    return postgres_server.database()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> str:
    """A new store of each kind."""
    return request.getfixturevalue(f"{request.param}_store")
