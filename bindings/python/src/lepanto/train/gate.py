"""Gates: sequential tests that decide whether a net becomes the best one, over arena games with paired seeds.

The engine decides, as for `lepanto arena --gate`. A net that is not better passes with probability p at most, over all
looks together.
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
#: Seconds between calls of `while_playing` during games.
EVERY = 0.2
SCORING = "sum_of_squares"
#: FIRST: reason in the verdict of the first net of a run. WEAK: agents that any net should beat.
FIRST = "the first net"
WEAK = ("random", "hold")


@dataclass(frozen=True)
class Pairing:
    """Scores of an agent in one seat against six of another, one for each game. Every net plays the same seeds, so that
    its games can be paired with those of another net."""

    scores: Tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.mean:.3f} +- {self.error:.3f}"

    @property
    def mean(self) -> float:
        return float(np.mean(self.scores))

    @property
    def error(self) -> float:
        """Standard error of the mean score; infinity for fewer than two games."""
        return float(np.std(self.scores, ddof=1) / math.sqrt(len(self.scores))) if len(self.scores) > 1 else math.inf


@dataclass
class Verdict:
    """Result of a gate. `anchors` has the net's games against each anchor, keyed by anchor."""

    passed: bool
    reason: str
    versus_best: Optional[Pairing]
    """Games of the net in one seat against six of the best net. None if there was no best net."""
    anchors: Dict[str, Pairing] = field(default_factory=dict)


def command_of(name: str, config: Config, queue: Mapping[str, Any], **options: Any) -> List[str]:
    """Returns the command line of a Lepanto command with the map, rules and workers of a configuration.

    name: command, such as "arena". queue: options of the queue whose machines play; empty for this machine. options:
        further options of the command.
    """
    shared = {"map": config.map, "rules": config.rules, "workers": config.workers or None, "quiet": True}
    return [sys.executable, "-m", "lepanto", name, *arguments_of({**shared, **options, **queue})]


def _told(process: "subprocess.Popen[bytes]", while_playing: Callable[[], None]) -> Dict[str, Any]:
    """Waits for an arena process and returns its result, the JSON of its last line. Empty if the arena failed.

    while_playing: called every EVERY seconds. If it raises an exception, the process is terminated.
    """
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
    """Returns the saved games of an arena, as JSON objects. folder: directory of the arena. told: result of the
    arena."""
    names = ("agents", "seed", "until", "map", "rules", "lepanto", "commit")
    arenas = json.loads((folder / "arena.json").read_text(encoding="utf-8"))["arenas"]
    (games,) = [arena["games"] for arena in arenas if all(arena["origin"][name] == told[name] for name in names)]
    return games[: told["games"]]  # type: ignore[no-any-return]


def _engine(config: Config) -> Batch:
    """Starts an engine for requests only, which plays no games."""
    return Batch(1, config.map, config.rules, workers=1, observations=None, max_children=0)


def _spec(config: Config, agents: Sequence[str], games: int, seed: int) -> Dict[str, Any]:
    """Returns the settings of an arena of one seat against six, in the form that the engine reads."""
    spec = {"agents": list(agents), "protocol": "1v6", "scoring": SCORING, "games": games, "seed": seed}
    return {**spec, "until": config.gate.until}


class TimeOver(Exception):
    """Raised by callbacks of a gate when the time of the run is over."""


class Gate:
    """Runs the gates of one training run. Keeps the best net's scores against anchors, to compare them with those of
    the next net."""

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
        #: Called repeatedly during games. An exception from it ends the gate.
        self.while_playing: Callable[[], None] = lambda: None
        #: Directory of the current gate's games. Finished games in it are not played again.
        self.folder = Path("gates")
        #: Scores of the best net in each game, keyed by anchor.
        self.known: Dict[str, List[float]] = dict(known or {})
        #: Scores of the current gate, keyed by "AGENT OTHERS LOOK", so that a resumed run does not play their games
        #: again.
        self.played: Dict[str, Scores] = {}

    def _scores(self, agent: str, others: str, first: int) -> Scores:
        meeting = f"{agent} {others} {first}"
        if meeting not in self.played:
            self.played[meeting] = self._play_games(agent, others, first)
        return self.played[meeting]

    def _play_games(self, agent: str, others: str, first: int) -> Scores:
        """Plays games of an agent in one seat against six of another. Returns the agent's score in each game.

        first: number that the seeds depend on: of the look, from 1; 0 against an anchor. Raises RuntimeError if the
            process of the games fails, and the errors of `while_playing`.
        """
        config, gate = self.config, self.config.gate
        seed = config.seed * 1000 + first
        options = {"agents": f"{agent},{others}", "games": gate.games, "until": gate.until, "seed": seed}
        command = command_of("arena", config, self.queue, **options, out=self.folder, json=True)
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        told = _told(process, self.while_playing)
        if process.returncode != 0:
            # The arena may have received the same Ctrl-C as this process.
            self.while_playing()
            raise RuntimeError(f"{agent} against {others}: their games ended with exit code {process.returncode}")
        games = _kept_games(self.folder, told)
        asked = {"spec": _spec(config, told["agents"], len(games), told["seed"]), "games": games}
        with _engine(config) as engine:
            scores: Scores = engine._server.ask(op="arena standings", **asked, seconds=0, workers=1)["scores"]
        return scores

    def _first(self, agent: str, progress: Progress) -> Verdict:
        """Judges the first net of a run, which always passes. The verdict's reason names weak agents that the net did
        not beat, and how many anchors there was no time for."""
        met: Dict[str, Pairing] = {}
        with contextlib.suppress(TimeOver):
            for anchor in self.config.gate.anchors:
                progress(anchor, 0, self.config.gate.games)
                met[anchor] = Pairing(tuple(self._scores(agent, anchor, 0)))
        missing = len(self.config.gate.anchors) - len(met)
        # Mean score of a seat among equal agents.
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
        """Decides whether a net is better than the best net. Does not replace the best net; see accept().

        agent, best: agent names; best is None for the first net. progress: called with the opponent, the number of
            finished games and their total. Raises the errors of `while_playing` and `progress`, and RuntimeError if a
            process of games fails.
        """
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
        """Returns the scores of the next look at two nets, or of a net against an anchor. Uses known scores of the best
        net.

        sides: agent names: the net, the best net, and the anchors. match: indices of the agent in one seat and of the
            agent in six. first: number of the look's first game.
        """
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
        """Makes the judged net the best one for later gates, by keeping its scores against the anchors."""
        self.known = {anchor: list(pairing.scores) for anchor, pairing in verdict.anchors.items()}


def table_of(rows: Sequence[Tuple[str, Verdict]], anchors: Sequence[str]) -> str:
    """Returns the results of gates as a Markdown table. rows: label and verdict of each gate. anchors: agents in the
    columns."""
    lines = ["| net | " + " | ".join(anchors) + " | gate |", "|---" * (len(anchors) + 2) + "|"]
    for name, verdict in rows:
        how = "" if verdict.reason.startswith(FIRST) else "passed: " if verdict.passed else "did not pass: "
        shares = [str(verdict.anchors.get(anchor, "")) for anchor in anchors]
        lines.append(f"| {' | '.join([name, *shares, how + verdict.reason])} |")
    return "\n".join(lines) + "\n"
