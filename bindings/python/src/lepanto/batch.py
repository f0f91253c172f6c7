"""Batch: thousands of games in numpy arrays, stepped together by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy as np

from ._checks import SEEDS, whole_from
from ._choices import Choices
from ._config import (
    SAMPLERS,
    Actions,
    Indices,
    Observations,
    Opponents,
    ResetMode,
    Sampler,
    agents_of,
    engine_config,
    own_names,
)
from ._copies import Copies
from ._expansion import Expansion
from ._opponents import Seats
from ._options import BatchOptions, with_defaults
from ._record import Record
from ._searching import Searching
from ._seeds import Draws, episode_seeds, fresh_seed
from ._server import Server
from ._text import Text
from .arrays import SCORES, score_index
from .geography import Geography
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Batch(Expansion, Searching, Geography, Choices, Seats, Copies, Text, Record):
    """`num_games` games, stepped together phase by phase in a separate engine process.

    A *step* plays one phase (movement, retreat or adjustment) of every game, with the orders of all powers. A power has
    `order_counts` slots in use: one for each unit in a movement phase, for each dislodged unit in a retreat phase, or
    for each build or removal due in an adjustment phase. The legal orders of a slot are a list without padding:
    `legal_ids[legal_offsets[g, k] : legal_offsets[g, k + 1]]` with k = power * max_orders + slot. An action is an index
    into that list (0 .. n - 1), or with actions="vocabulary" the vocabulary id itself. -1 is no order: a unit holds, a
    dislodged unit is disbanded, a build is not built, a removal follows civil disorder. Two builds in one centre and
    two removals of one unit are refused; without_repeats() replaces the second.

    A batch can be pickled and copied with the module copy. The copy has its own engine and the same games, random
    streams, opponents and draws. Its `rewards`, ends and `final_` arrays are not copied.

    Threads may share a batch: each call waits for the calls of other threads. If a signal handler raises (Ctrl-C), the
    engine first finishes the interrupted call, which is then done completely or not at all. A second exception during
    that time closes the batch.

    Arrays are views of shared memory and overwritten by the next step: copy arrays that you keep. lepanto.Arrays
    describes each array with its shape and type: year season phase status winner units owners center_counts (position);
    order_counts orderable legal_offsets legal_ids acting build_numbers, legal_mask with masks=True (legal orders);
    rewards returns terminated truncated and final_scores final_state final_observation final_previous_orders (ends);
    last_phase last_orders last_locations last_results last_fates (with results=True); observation previous_orders
    deepmind_... last_actions (for nets).

    Parameters
    ----------
    num_games: number of games.
    map, rules: names; `lepanto.Batch(1, map="?")` raises an error that lists them. Options of a map follow its name:
        `map="colonial,tsr,suez"`.
    seed: 32-bit seed, signed or unsigned. Together with a game's slot and the actions it determines the game. None:
        a seed from the operating system, stored in the attribute `seed`.
    until: last year, not before the map's first. Games then end as draws: `terminated`, with a final score. 0: games
        end only by a solo.
    observations: "dipnet", "deepmind" or None.
    opponents: agents by power, {"FRANCE": "random"}, or one such mapping for each game. These powers have no slots.
        set_opponents() changes them. An agent of your own is the path of a module, "./my-agent.mjs:option=1", relative
        to the working directory; it may import 'lepanto', and its output goes to stderr. If it gives an illegal order,
        throws, or ends its thread, the step raises LepantoError; the batch then needs reset() or load() of all games.
    options: keyword options of lepanto.BatchOptions: workers, reset_mode, max_steps, actions, lists, score, results,
        masks, choice_ms, max_children, record, record_as.
    """

    def __init__(
        self,
        num_games: int,
        map: str = "standard",
        rules: str = "datc-3.2",
        *,
        seed: Optional[int] = None,
        until: int = 0,
        observations: Optional[Observations] = "dipnet",
        opponents: Optional[Opponents] = None,
        **options: Unpack[BatchOptions],
    ) -> None:
        #: Seed of the batch, as given or drawn.
        self.seed = fresh_seed() if seed is None else whole_from("seed", seed, *SEEDS)
        given = with_defaults(options)
        given.update(num_games=num_games, map=map, rules=rules, seed=self.seed, until=until)
        given.update(observations=observations, opponents=opponents)
        score_place = score_index(given["score"])
        self._server = Server({**engine_config(given), "text_keys": self._text_keys})
        self._made_with = {name.upper(): agent for name, agent in agents_of(opponents).items()}
        # A copy records nothing, because two batches cannot write one run. The opponents of single games are copied
        # with the games.
        self._options = {**given, "opponents": agents_of(opponents) or None, "record": None}
        self._record_as = own_names(given["record_as"])
        self._lock = self._server.lock
        info = self._server.info
        self.num_games = info["games"]
        self.max_children = info["children"]
        self.map = info["map"]["name"]
        self.rules = info["rules"]["name"]
        self.powers = info["map"]["powers"]
        self.provinces = info["map"]["provinces"]
        self.locations = info["map"]["locations"]
        self.centers = info["map"]["centers"]
        self.max_orders = info["max_orders"]
        self.reset_mode = given["reset_mode"]
        self.observations = observations
        self.by_vocabulary = given["actions"] == "vocabulary"
        self.lists = bool(given["lists"])
        self.mapped = info["mapped"]
        self.vocabulary = Vocabulary(info["vocabulary"], self._server.ask)
        self.score = SCORES[score_place]
        self._draws = Draws(self.seed)
        self._tree = []
        self._replaced = np.zeros((self.num_games, len(self.powers)), np.int64)
        self._agents = {}
        self._stale = False
        self._pending = None
        self._chunk = info["chunk"]
        chunks = -(-self.num_games // self._chunk)
        self._half = min(self.num_games, -(-chunks // 2) * self._chunk)
        self._all = self._server.arrays
        self._view(info, self._all, slice(0, self.num_games), score_place)
        if opponents is not None and not isinstance(opponents, Mapping):
            self._seat(np.arange(self.num_games), opponents)
        self.reset(self.seed)

    def _map_facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = self._info["map"]
        return facts

    def _observed(self) -> Optional[str]:
        return self.observations

    @property
    def process_id(self) -> int:
        """Process id of the engine."""
        return self._server.process_id

    @property
    def bytes_per_game(self) -> int:
        """Shared memory per game in bytes, assuming 500 legal orders."""
        per_game = sum(a[:1].nbytes for name, a in self._rows.items())
        return per_game + 500 * 4

    def close(self) -> None:
        """Ends the engine process. Arrays read earlier stay readable."""
        self._changes("close")
        self._server.close()

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        is_open = self._server._finalizer.alive
        return (
            f"<lepanto.Batch: {self.num_games} games, map {self.map}, rules {self.rules}, "
            f"observations {self.observations}, {'process ' + str(self.process_id) if is_open else 'closed'}>"
        )


__all__ = [
    "SAMPLERS",
    "Actions",
    "Batch",
    "BatchOptions",
    "Indices",
    "Observations",
    "Opponents",
    "ResetMode",
    "Sampler",
    "episode_seeds",
]
