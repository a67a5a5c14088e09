"""What a key costs in processor time, which a busy machine changes little; docs/editors.md has what a session took."""

from __future__ import annotations

import statistics
import time

import pytest

from carerails.lsp.checking import check
from carerails.lsp.pack import Pack
from carerails.resources import data_dir

#: Milliseconds of processor time: half of what may pass between a key and the answer.
MOST_MS = 150
#: Characters of the file that is checked: more than any of ours has, since files that long have been split.
LENGTH = 40_000


@pytest.mark.parametrize("examples", [False, True])
def test_a_key_in_the_largest_file_is_cheap(examples: bool):
    pack = Pack(data_dir("rails"))
    written = {
        name: text for name, text in pack.texts.items() if name != "guards.co" and ("examples/" in name) is examples
    }
    name = max(written, key=lambda name: len(written[name]))
    text = written[name] if examples else grown(written[name])
    check(pack, name)
    took: list[float] = []
    for number in range(7):
        pack.open[name] = f"{text}\nflow bad{number} -> $x\n  return findall()\n"
        begin = time.process_time()
        found = check(pack, name)
        took.append((time.process_time() - begin) * 1000)
        assert ("examples" if examples else "function") in [one.code for one in found]
    assert statistics.median(took) < MOST_MS, took


def grown(text: str) -> str:
    """The file with as many further flows as make it that long."""
    number = 0
    while len(text) <= LENGTH:
        number += 1
        text += f'\nflow spare{number} $t -> $hits\n  """Whether it is spare."""\n'
        text += f'  if search("\\\\b(?:spare|extra)s? part{number}\\\\b", $t)\n    return ["spare"]\n  return []\n'
    return text
