"""Decides whether a net becomes the best one: games with paired seeds, in looks, until it is clear or they are spent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..arena import play
from .config import Config

Scores = List[float]
Progress = Callable[[str, int, int], None]


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


def seat_scores(agent: str, others: str, games: int, first: int, config: Config) -> Scores:
    """Scores of one seat of an agent against six others, by game. The seed of a game follows from its number."""
    result = play(
        [agent, others],
        games=games,
        until=config.gate.until,
        seed=config.seed * 1000 + first,
        map=config.map,
        rules=config.rules,
        workers=config.threads,
    )
    scores = []
    for game in result.games:
        squares = [0.0 if game.winner >= 0 else float(count) ** 2 for count in game.centers]
        if game.winner >= 0:
            squares[game.winner] = 1.0
        scores.append(squares[list(game.seats).index(0)] / max(sum(squares), 1.0))
    return scores


def passing_z(p: float, looks: int) -> float:
    """How many standard errors are wanted at each look, so that all looks together pass by luck with p at the most."""
    return NormalDist().inv_cdf(1 - p / looks)


class Gate:
    """Gates of one run. Scores of the best net against anchors are kept, and compared game by game."""

    def __init__(self, config: Config, known: Optional[Dict[str, List[float]]] = None) -> None:
        self.config = config
        #: Scores of the best net by anchor.
        self.known: Dict[str, List[float]] = dict(known or {})
        #: Scores of the gate under way by who met whom and in which look: what it need not play again after a kill.
        self.played: Dict[str, Scores] = {}

    def _scores(self, agent: str, others: str, first: int) -> Scores:
        meeting = f"{agent} {others} {first}"
        if meeting not in self.played:
            self.played[meeting] = seat_scores(agent, others, self.config.gate.games, first, self.config)
        return self.played[meeting]

    def _anchors(self, agent: str, progress: Progress) -> Dict[str, Pairing]:
        gate = self.config.gate
        found = {}
        for anchor in gate.anchors:
            progress(anchor, 0, gate.games)
            found[anchor] = Pairing(tuple(self._scores(agent, anchor, 0)))
        return found

    def judge(self, agent: str, best: Optional[str], progress: Progress = lambda what, done, of: None) -> Verdict:
        """Compares a net with the best. Does not make it the best: see accept()."""
        gate = self.config.gate
        if best is None:
            return Verdict(True, "the first net", None, self._anchors(agent, progress))
        wanted = passing_z(gate.p, gate.looks)
        ours: Scores = []
        theirs: Scores = []
        z = 0.0
        for look in range(gate.looks):
            progress("best", look * gate.games, gate.looks * gate.games)
            ours += self._scores(agent, best, 1 + look)
            theirs += self._scores(best, agent, 1 + look)
            # The same seeds, one seat against six both ways: which of the two is the better stranger.
            gains = np.array(ours) - np.array(theirs)
            z = float(gains.mean() / max(gains.std(ddof=1) / math.sqrt(len(gains)), 1e-9))
            if abs(z) >= wanted:
                break
        versus = Pairing(tuple(ours))
        if z < wanted:
            return Verdict(False, f"not clearly better than the best (z = {z:.2f}, wanted {wanted:.2f})", versus)
        anchors = self._anchors(agent, progress)
        for anchor, pairing in anchors.items():
            before = self.known.get(anchor)
            if before is None or len(before) != len(pairing.scores):
                continue
            change = np.array(pairing.scores) - np.array(before)
            error = float(change.std(ddof=1) / math.sqrt(len(change)))
            if change.mean() < -2 * error:
                return Verdict(False, f"worse against {anchor} by {-change.mean():.3f} +- {error:.3f}", versus, anchors)
        return Verdict(True, f"better than the best (z = {z:.2f})", versus, anchors)

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
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {'passed' if verdict.passed else 'kept out'}: {verdict.reason} |")
    return "\n".join(lines) + "\n"
