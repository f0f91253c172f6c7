"""Decides whether a net becomes the best one: games with paired seeds, in several interim looks, until the result is clear or all are played.

The statistics are those of `lepanto arena --gate`: a look passes where gains so high are luck with a probability below p divided
by the looks (one-sided t-test), so that all looks together pass a net that is no better with p at the most.
"""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .config import Config

Scores = List[float]
Progress = Callable[[str, int, int], None]
#: Seconds between two looks at the clock while games are played.
EVERY = 0.2
#: What a gate says of the first net of a run, and agents that any net should beat.
FIRST = "the first net"
WEAK = ("random", "hold")


@dataclass(frozen=True)
class Pairing:
    """Scores of one seat against six, game by game: the same seeds for every net."""

    scores: Tuple[float, ...]

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


def seat_scores(
    agent: str,
    others: str,
    games: int,
    first: int,
    config: Config,
    queue: Sequence[str] = (),
    while_playing: Callable[[], None] = lambda: None,
    folder: Optional[Path] = None,
) -> Scores:
    """Scores of one seat of an agent against six others, by game. The seed of a game follows from its number.

    queue: as for Trainer; the games are the same. while_playing: called while `lepanto arena` plays; what it raises ends that.
    folder: where the games are kept, so that what is there already is not played again; None: nowhere.
    """
    with contextlib.ExitStack() as stack:
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "games.json" if folder is None else folder
        arguments = ["--agents", f"{agent},{others}", "--games", str(games), "--until", str(config.gate.until)]
        arguments += ["--seed", str(config.seed * 1000 + first), "--map", config.map, "--rules", config.rules]
        if config.workers > 0:
            arguments += ["--workers", str(config.workers)]
        command = [sys.executable, "-m", "lepanto", "arena", *arguments, "--out", str(kept), "--quiet", "--json", *queue]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            told = _told(process, while_playing)
        except BaseException:
            process.terminate()
            process.communicate()
            raise
        if process.returncode != 0:
            # It may have heard the Ctrl-C that asks this process for its end.
            while_playing()
            raise RuntimeError(f"{agent} against {others}: their games ended with exit code {process.returncode}")
        return _scores_of(_kept_games(kept, told))


def _told(process: "subprocess.Popen[bytes]", while_playing: Callable[[], None]) -> Dict[str, Any]:
    """The last line that an arena prints, as JSON: its result."""
    while True:
        while_playing()
        try:
            lines = process.communicate(timeout=EVERY)[0].splitlines()
        except subprocess.TimeoutExpired:
            continue
        return json.loads(lines[-1]) if process.returncode == 0 else {}


def _kept_games(path: Path, told: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Games of the arena whose result this is."""
    file = path / "arena.json" if path.is_dir() else path
    names = ("agents", "seed", "until", "map", "rules", "lepanto", "commit")
    arenas = json.loads(file.read_text(encoding="utf-8"))["arenas"]
    (games,) = [arena["games"] for arena in arenas if all(arena["origin"][name] == told[name] for name in names)]
    return games[: told["games"]]  # type: ignore[no-any-return]


def _scores_of(games: Sequence[Dict[str, Any]]) -> Scores:
    scores = []
    for game in games:
        winner = game["winner"]
        squares = [0.0 if winner >= 0 else float(count) ** 2 for count in game["centers"]]
        if winner >= 0:
            squares[winner] = 1.0
        scores.append(squares[game["seats"].index(0)] / max(sum(squares), 1.0))
    return scores


def chance_of(t: float, freedom: int) -> float:
    """The probability that a t of so many degrees of freedom is as high as this, or higher."""
    # The density of atan(t / sqrt(freedom)) is cos to the power of (freedom - 1): a finite integral, by Simpson's rule.
    end = min(math.pi / 2, 12 / math.sqrt(freedom))
    weights = np.array([1.0] + [4.0, 2.0] * 999 + [4.0, 1.0])

    def integral(begin: float) -> float:
        return float(weights @ np.cos(np.linspace(begin, end, 2001)) ** (freedom - 1)) * (end - begin) / 6000

    above = integral(min(end, math.atan(abs(t) / math.sqrt(freedom)))) / (2 * integral(0.0))
    return above if t >= 0 else 1 - above


def chance_of_gain(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """How probable gains so high are for equal nets, by scores in the order of the games."""
    gains = np.array(ours) - np.array(theirs)
    gain, error = float(gains.mean()), float(gains.std(ddof=1) / math.sqrt(len(gains)))
    if error == 0:
        return 0.5 if gain == 0 else float(gain < 0)
    return chance_of(gain / error, len(gains) - 1)


class TimeOver(Exception):
    """Raised by what is told of the progress of a gate: the minutes are over."""


class Gate:
    """Gates of one run. Scores of the best net against anchors are kept, and compared game by game."""

    def __init__(
        self, config: Config, known: Optional[Dict[str, List[float]]] = None, queue: Sequence[str] = (), powers: int = 7
    ) -> None:
        self.config = config
        self.powers = powers
        self.queue = queue
        #: Called while games are played; what it raises ends the gate.
        self.while_playing: Callable[[], None] = lambda: None
        #: Where the games of the gate under way are kept; None: nowhere.
        self.folder: Optional[Path] = None
        #: Scores of the best net by anchor.
        self.known: Dict[str, List[float]] = dict(known or {})
        #: Scores of the gate under way by who met whom and in which look: what it need not play again after a kill.
        self.played: Dict[str, Scores] = {}

    def _scores(self, agent: str, others: str, first: int) -> Scores:
        meeting = f"{agent} {others} {first}"
        if meeting not in self.played:
            games = self.config.gate.games
            config, queue, folder = self.config, self.queue, self.folder
            self.played[meeting] = seat_scores(agent, others, games, first, config, queue, self.while_playing, folder)
        return self.played[meeting]

    def _anchors(self, agent: str, progress: Progress) -> Dict[str, Pairing]:
        found: Dict[str, Pairing] = {}
        self._meet(agent, progress, found)
        return found

    def _meet(self, agent: str, progress: Progress, found: Dict[str, Pairing]) -> None:
        for anchor in self.config.gate.anchors:
            progress(anchor, 0, self.config.gate.games)
            found[anchor] = Pairing(tuple(self._scores(agent, anchor, 0)))

    def _first(self, agent: str, progress: Progress) -> Verdict:
        """The first net is the best one, whatever it is; what it should have beaten is said."""
        met: Dict[str, Pairing] = {}
        with contextlib.suppress(TimeOver):
            self._meet(agent, progress, met)
        missing = len(self.config.gate.anchors) - len(met)
        reasons = [FIRST]
        for anchor, pairing in met.items():
            # All seats have the same mean score where nobody is better.
            if anchor.split(":")[0] in WEAK and pairing.mean + 2 * pairing.error < 1 / self.powers:
                reasons.append(f"worse than {anchor}: {pairing.mean:.3f} +- {pairing.error:.3f}, wanted {1 / self.powers:.3f} or more")
        if missing:
            reasons.append(f"no time was left for {missing} of {missing + len(met)} anchors")
        return Verdict(True, "; ".join(reasons), None, met)

    def judge(self, agent: str, best: Optional[str], progress: Progress = lambda what, done, of: None) -> Verdict:
        """Compares a net with the best. Does not make it the best: see accept()."""
        gate = self.config.gate
        if best is None:
            return self._first(agent, progress)
        limit = gate.p / gate.looks
        ours: Scores = []
        theirs: Scores = []
        chance = 0.5
        for look in range(gate.looks):
            progress("best", look * gate.games, gate.looks * gate.games)
            ours += self._scores(agent, best, 1 + look)
            theirs += self._scores(best, agent, 1 + look)
            # The same seeds, one seat against six both ways: which of the two is the better stranger.
            chance = chance_of_gain(ours, theirs)
            if min(chance, 1 - chance) < limit:
                break
        versus = Pairing(tuple(ours))
        odds = f"p = {chance:.2g}, wanted below {limit:.2g}"
        if chance >= limit:
            return Verdict(False, f"not clearly better than the best ({odds})", versus)
        anchors = self._anchors(agent, progress)
        for anchor, pairing in anchors.items():
            before = self.known.get(anchor)
            if before is None or len(before) != len(pairing.scores):
                continue
            change = np.array(pairing.scores) - np.array(before)
            error = float(change.std(ddof=1) / math.sqrt(len(change)))
            if change.mean() < -2 * error:
                return Verdict(False, f"worse against {anchor} by {-change.mean():.3f} +- {error:.3f}", versus, anchors)
        return Verdict(True, f"better than the best ({odds})", versus, anchors)

    def accept(self, verdict: Verdict) -> None:
        """The judged net is the best from now on."""
        self.known = {anchor: list(pairing.scores) for anchor, pairing in verdict.anchors.items()}


def table_of(rows: Sequence[Tuple[str, Verdict]], anchors: Sequence[str]) -> str:
    """Gates as a table in Markdown."""
    lines = ["| net | " + " | ".join(anchors) + " | gate |", "|---" * (len(anchors) + 2) + "|"]
    for name, verdict in rows:
        cells = []
        for anchor in anchors:
            pairing = verdict.anchors.get(anchor)
            cells.append("" if pairing is None else f"{pairing.mean:.3f} +- {pairing.error:.3f}")
        how = "passed: " if verdict.passed else "kept out: "
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {'' if verdict.reason.startswith(FIRST) else how}{verdict.reason} |")
    return "\n".join(lines) + "\n"
