"""Base class of all parts of a batch: its engine process, its arrays, and checks of indices and names."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._checks import mask_array, whole, whole_array
from ._config import Indices, Observations, ResetMode
from ._seeds import Draws
from ._server import LepantoError, Server, alone
from .arrays import Arrays, Floats, Score, UInt8s, score_index
from .vocabulary import Vocabulary


class Games(Arrays):
    """Base class of Batch: games in a separate engine process. Its subclasses add methods, and Batch combines them."""

    num_games: int
    max_children: int
    map: str
    rules: str
    powers: List[str]
    provinces: List[str]
    locations: List[str]
    centers: List[str]
    max_orders: int
    reset_mode: ResetMode
    observations: Optional[Observations]
    by_vocabulary: bool
    lists: bool
    mapped: bool
    #: Vocabulary of the map: all orders that can ever be legal, indexed by vocabulary id.
    vocabulary: Vocabulary
    score: Score
    _server: Server
    _lock: Any
    #: Arrays by name, with the rows of all games, then the rows of all children.
    _all: Dict[str, npt.NDArray[Any]]
    #: Number of each agent that the engine has made, keyed by name of the agent.
    _agents: Dict[str, int]
    #: `seed`: seed of the batch, as given or drawn. `_draws`: makes seeds for calls without a seed.
    seed: int
    _draws: Draws
    #: Valid Children objects: the children of the games, then children of the preceding object.
    _tree: List[Any]
    #: True after random_step(), which does not update the arrays of legal orders.
    _stale: bool
    #: True for a batch with the array `text_keys`: keys that determine the texts of `legal_ids` (server/text-keys.ts).
    _text_keys = False
    #: Name of the net of an arena whose actions() is running: until it returns, the games may only be read.
    _reader: Optional[str] = None
    #: Index of the half that was sent and not yet received, and number of its request; None if there is none.
    _pending: Optional[Tuple[int, int]]
    #: `_chunk`: number of games in a chunk of the engine. `_half`: number of games in the first half.
    _chunk: int
    _half: int

    @property
    def halves(self) -> Tuple[slice, slice]:
        """The two halves of the games as slices, for send() and recv()."""
        return slice(0, self._half), slice(self._half, self.num_games)

    def _refresh(self) -> None:
        if self._stale:
            self._describe()

    @property
    def final_scores(self) -> Floats:
        """f4[G, S, Q]: scores by each system of SCORES at the end of the slot's last finished episode; 0 before the
        first.

        An episode that was cut short (`truncated`) is scored as if the game had ended there.
        """
        return self._rows["final_scores"]

    @property
    def final_state(self) -> UInt8s:
        """u1[G, bytes]: position at the end of the slot's last finished episode."""
        return self._rows["final_state"]

    @property
    def final_observation(self) -> UInt8s:
        """u1[G, L, 35]: `observation` at the end of the slot's last finished episode."""
        return self._tensor("final_observation", 'observations="dipnet" or "deepmind"')  # type: ignore[no-any-return]

    @property
    def final_previous_orders(self) -> UInt8s:
        """u1[G, L, 40]: `previous_orders` at the end of the slot's last finished episode, for DipNet. 0 if it ended
        during a random_step() before the last of its phase-steps."""
        return self._tensor("final_previous_orders", 'observations="dipnet"')  # type: ignore[no-any-return]

    def score_index(self, system: str) -> int:
        """Returns the index of a scoring system in the second dimension of `final_scores`. Raises ValueError for an
        unknown name."""
        return score_index(system)

    # ---- the engine ----

    def _ready(self) -> None:
        if self._pending:
            raise LepantoError(f"got a call with half {self._pending[0]} under way, wanted recv() before it")

    def _changes(self, call: str) -> None:
        """Checks that the method named `call` may change the games. Raises LepantoError while a net of an arena chooses
        its actions."""
        if self._reader is not None:
            wanted = "wanted only reading, expand, rollouts, search"
            raise LepantoError(f"got {call}() in actions of {self._reader}, {wanted}")

    @alone
    def _describe(self) -> None:
        self._server.call("describe", first=0, end=self.num_games)
        self._stale = False

    def _mask(self, mask: Any) -> npt.NDArray[Any]:
        wanted = self._rows["mask"]
        if mask is None:
            wanted[:] = 1
            return wanted
        wanted[:] = mask_array("mask", mask, (self.num_games,))
        return wanted

    # ---- indices and names ----

    def _index(self, games: Indices) -> npt.NDArray[Any]:
        index = np.atleast_1d(whole_array("games", games))
        if index.ndim != 1 or (len(index) and (index.min() < 0 or index.max() >= self.num_games)):
            raise IndexError(f"games: got {games!r}, wanted indices from 0 to {self.num_games - 1}")
        return index

    def _game(self, game: int) -> int:
        """Returns the index of a game as int. Raises TypeError for anything but an integer, IndexError if there is no
        such game, LepantoError if its half was sent and not yet received."""
        row = whole("game", game)
        self._index(row)
        if self._pending:
            half = self.halves[self._pending[0]]
            if half.start <= row < half.stop:
                raise LepantoError(
                    f"got game {row} of half {self._pending[0]}, which is under way, wanted recv() before it"
                )
        return row

    def _wanted(self, powers: Union[None, str, Sequence[str], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        shape = (self.num_games, len(self.powers))
        if powers is None:
            return np.ones(shape, bool)
        if isinstance(powers, np.ndarray) and powers.dtype == bool:
            if powers.shape != shape:
                raise ValueError(f"powers: got shape {powers.shape}, wanted {shape}")
            return powers
        wanted = np.zeros(shape, bool)
        for power in [powers] if isinstance(powers, str) else powers:
            wanted[:, self._power(power)] = True
        return wanted

    def _power(self, name: str) -> int:
        if not isinstance(name, str) or name.upper() not in self.powers:
            raise ValueError(f"power: got {name!r}, wanted one of {', '.join(self.powers)}")
        return self.powers.index(name.upper())

    def _number_of(self, agent: str) -> int:
        text = agent.strip()
        if text not in self._agents:
            self._agents[text] = self._server.ask(op="agent", name=text)
        return self._agents[text]

    def __len__(self) -> int:
        return self.num_games
