"""`carerails rails play`: the playground, where the extra is installed."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from carerails.cli.console import note
from carerails.cli.options import PASS
from carerails.config import load_settings
from carerails.errors import UsageError
from carerails.resources import data_dir

if TYPE_CHECKING:
    from carerails.play.drafts import Drafts
    from carerails.play.runners import Runners

#: Seconds that the cases wait for engines to start.
SETTLED_S = 15.0


def run(path: Path | None, port: int, engines: list[str]) -> int:
    """Serve the page until Ctrl-C."""
    try:
        import uvicorn

        from carerails.play.app import Playground, make_app
    except ImportError as error:
        raise UsageError(
            f"the playground needs {error.name}, which is not installed", "pip install 'carerails[play]'"
        ) from None
    from carerails.engines import load_engine
    from carerails.play.drafts import Drafts
    from carerails.play.runners import Runners

    root = path or data_dir("rails")
    drafts = Drafts(root)
    for name in engines:
        load_engine(name, root)
    settings = load_settings()
    with listening(port) as bound:
        port = bound.getsockname()[1]
        playground = Playground(drafts, Runners(root, settings, engines), settings)
        threading.Thread(target=_decide_cases, args=(drafts, playground.runners), name="cases", daemon=True).start()
        # No access log, no log of errors: a request holds what a patient may have said.
        config = uvicorn.Config(
            make_app(playground, port), access_log=False, log_config=None, log_level="critical", server_header=False
        )
        note(f"playground of {root}: http://127.0.0.1:{port}/#token={playground.token}")
        note("the address is for this machine only; Ctrl-C ends")
        try:
            uvicorn.Server(config).run([bound])
        except KeyboardInterrupt:
            pass
        finally:
            playground.runners.close()
    note("the playground is closed")
    return PASS


def _decide_cases(drafts: Drafts, runners: Runners) -> None:
    """After the engines, which somebody may already be asking."""
    for runner in runners.all:
        runner.settled.wait(SETTLED_S)
    drafts.begin()


def listening(port: int) -> socket.socket:
    """A socket that only this machine can reach; port 0 is any that is free."""
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(("127.0.0.1", port))
        bound.listen()  # from now on whoever opens the address waits, and is not refused
    except OSError as error:
        bound.close()
        raise UsageError(f"port {port}: {error.strerror}", "name another with --port") from None
    return bound
