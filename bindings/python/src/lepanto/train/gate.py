"""Decides whether a net becomes the best one: games with paired seeds, in looks, until the result is clear or all are
played.

The engine judges, as for `lepanto arena --gate`: all looks together pass a net that is no better with p at most.
"""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._options import arguments_of
from ..arena import judge
from ..batch import Batch
from .config import Config

Scores = List[float]
Progress = Callable[[str, int, int], None]
#: Seconds between two looks at the clock while games are played.
EVERY = 0.2
SCORING = "sum_of_squares"
#: What a gate says of the first net of a run, and agents that any net should beat.
FIRST = "the first net"
WEAK = ("random", "hold")


@dataclass(frozen=True)
class Pairing:
    """Scores of one seat against six, game by game: the same seeds for every net."""

    scores: Tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.mean:.3f} +- {self.error:.3f}"

    @property
    def mean(self) -> float:
        return float(np.mean(self.scores))

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return float(np.std(self.scores, ddof=1) / math.sqrt(len(self.scores))) if len(self.scores) > 1 else math.inf


@dataclass
class Verdict:
    """What a gate came to."""

    passed: bool
    reason: str
    versus_best: Optional[Pairing]
    """One seat of the net against six of the best; None if there was no best."""
    anchors: Dict[str, Pairing] = field(default_factory=dict)


def command_of(name: str, config: Config, queue: Mapping[str, Any], **options: Any) -> List[str]:
    """A command of Lepanto that plays games by the map, rules and workers of a configuration, on the machines of a
    queue if there is one. options: its own."""
    shared = {"map": config.map, "rules": config.rules, "workers": config.workers or None, "quiet": True}
    return [sys.executable, "-m", "lepanto", name, *arguments_of({**shared, **options, **queue})]


def _told(process: "subprocess.Popen[bytes]", while_playing: Callable[[], None]) -> Dict[str, Any]:
    """The last line that an arena prints, as JSON: its result. Empty if the arena failed."""
    try:
        while True:
            while_playing()
            with contextlib.suppress(subprocess.TimeoutExpired):
                lines = process.communicate(timeout=EVERY)[0].splitlines()
                return json.loads(lines[-1]) if process.returncode == 0 else {}
    except BaseException:
        process.terminate()
        process.communicate()
        raise


def _kept_games(folder: Path, told: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Games of the arena whose result this is."""
    names = ("agents", "seed", "until", "map", "rules", "lepanto", "commit")
    arenas = json.loads((folder / "arena.json").read_text(encoding="utf-8"))["arenas"]
    (games,) = [arena["games"] for arena in arenas if all(arena["origin"][name] == told[name] for name in names)]
    return games[: told["games"]]  # type: ignore[no-any-return]


def _engine(config: Config) -> Batch:
    """An engine that plays nothing, to be asked."""
    return Batch(1, config.map, config.rules, workers=1, observations=None, max_children=0)


def _spec(config: Config, agents: Sequence[str], games: int, seed: int) -> Dict[str, Any]:
    """An arena as the engine reads it."""
    spec = {"agents": list(agents), "protocol": "1v6", "scoring": SCORING, "games": games, "seed": seed}
    return {**spec, "until": config.gate.until}


class TimeOver(Exception):
    """Raised by what is told of the progress of a gate: the minutes are over."""


class Gate:
    """Gates of one run. Scores of the best net against anchors are kept, and compared game by game."""

    def __init__(
        self,
        config: Config,
        known: Optional[Dict[str, Scores]] = None,
        queue: Optional[Mapping[str, Any]] = None,
        powers: int = 7,
    ) -> None:
        self.config = config
        self.powers = powers
        self.queue = queue or {}
        #: Called while games are played; what it raises ends the gate.
        self.while_playing: Callable[[], None] = lambda: None
        #: Directory of the games of the gate under way; those that are there are not played again.
        self.folder = Path("gates")
        #: Scores of the best net by anchor.
        self.known: Dict[str, List[float]] = dict(known or {})
        #: Scores of the gate under way by who met whom and in which look: what it need not play again after a kill.
        self.played: Dict[str, Scores] = {}

    def _scores(self, agent: str, others: str, first: int) -> Scores:
        meeting = f"{agent} {others} {first}"
        if meeting not in self.played:
            self.played[meeting] = self._play_games(agent, others, first)
        return self.played[meeting]

    def _play_games(self, agent: str, others: str, first: int) -> Scores:
        """Scores of one seat of an agent against six others, by game. The seed of a game follows from its number."""
        config, gate = self.config, self.config.gate
        seed = config.seed * 1000 + first
        options = {"agents": f"{agent},{others}", "games": gate.games, "until": gate.until, "seed": seed}
        command = command_of("arena", config, self.queue, **options, out=self.folder, json=True)
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        told = _told(process, self.while_playing)
        if process.returncode != 0:
            # It may have heard the Ctrl-C that asks this process for its end.
            self.while_playing()
            raise RuntimeError(f"{agent} against {others}: their games ended with exit code {process.returncode}")
        games = _kept_games(self.folder, told)
        asked = {"spec": _spec(config, told["agents"], len(games), told["seed"]), "games": games}
        with _engine(config) as engine:
            scores: Scores = engine._server.ask(op="arena standings", **asked, seconds=0, workers=1)["scores"]
        return scores

    def _first(self, agent: str, progress: Progress) -> Verdict:
        """The first net is the best one, whatever it is; what it should have beaten is said."""
        met: Dict[str, Pairing] = {}
        with contextlib.suppress(TimeOver):
            for anchor in self.config.gate.anchors:
                progress(anchor, 0, self.config.gate.games)
                met[anchor] = Pairing(tuple(self._scores(agent, anchor, 0)))
        missing = len(self.config.gate.anchors) - len(met)
        # All seats have the same mean score where nobody is better.
        parity = 1 / self.powers
        reasons = [FIRST] + [
            f"worse than {anchor}: {pairing}, wanted {parity:.3f} or more"
            for anchor, pairing in met.items()
            if anchor.split(":")[0] in WEAK and pairing.mean + 2 * pairing.error < parity
        ]
        if missing:
            reasons.append(f"no time was left for {missing} of {missing + len(met)} anchors")
        return Verdict(True, "; ".join(reasons), None, met)

    def judge(self, agent: str, best: Optional[str], progress: Progress = lambda what, done, of: None) -> Verdict:
        """Compares a net with the best. Does not make it the best: see accept()."""
        config, gate = self.config, self.config.gate
        if best is None:
            return self._first(agent, progress)
        sides = [agent, best, *gate.anchors]
        spec = _spec(config, sides, gate.games, config.seed)
        asked = {"op": "arena gate", "spec": spec, "looks": gate.looks, "p": gate.p, "seconds": 0, "workers": 1}
        with _engine(config) as engine:
            found, scores = judge(
                lambda **more: engine._server.ask(**asked, **more),
                lambda match, span: self._play(sides, match, span[0], progress),
            )
        by_anchor = {anchor: scores.get(f"0,{i}") for i, anchor in enumerate(gate.anchors, 2)}
        anchors = {anchor: Pairing(tuple(own)) for anchor, own in by_anchor.items() if own is not None}
        return Verdict(found["record"]["passed"], found["record"]["reason"], Pairing(tuple(scores["0,1"])), anchors)

    def _play(self, sides: Sequence[str], match: Sequence[int], first: int, progress: Progress) -> Scores:
        """The scores of one more look at two nets, or those of one of them against an anchor."""
        games = self.config.gate.games
        one, six = sides[match[0]], sides[match[1]]
        if match[1] < 2:
            if match[0] == 0:
                progress("best", first, self.config.gate.looks * games)
            return self._scores(one, six, 1 + first // games)
        known = self.known.get(six, []) if match[0] == 1 else []
        if len(known) == games:
            return known
        progress(six, 0, games)
        return self._scores(one, six, 0)

    def accept(self, verdict: Verdict) -> None:
        """The judged net is the best from now on."""
        self.known = {anchor: list(pairing.scores) for anchor, pairing in verdict.anchors.items()}


def table_of(rows: Sequence[Tuple[str, Verdict]], anchors: Sequence[str]) -> str:
    """Gates as a table in Markdown."""
    lines = ["| net | " + " | ".join(anchors) + " | gate |", "|---" * (len(anchors) + 2) + "|"]
    for name, verdict in rows:
        how = "" if verdict.reason.startswith(FIRST) else "passed: " if verdict.passed else "kept out: "
        shares = [str(verdict.anchors.get(anchor, "")) for anchor in anchors]
        lines.append(f"| {' | '.join([name, *shares, how + verdict.reason])} |")
    return "\n".join(lines) + "\n"
