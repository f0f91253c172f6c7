"""Data of one phase of a game: state, orders, results and messages."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from ..engine.message import Message
from .checks import entries, shown, text, texts
from .order_results import OrderResult, result_of
from .sorted_dict import SortedDict

#: A dict of a phase, or a function that makes it when it is first read.
Made = Union[Mapping[str, Any], Callable[[], Mapping[str, Any]]]


class GamePhaseData:
    """Data of one phase. `data["name"]` is the same as `data.name`.

    name: "S1901M". state: as Game.get_state() returns it. orders: keyed by power, None if the power has set none.
    results: keyed by unit. messages: keyed by timestamp.
    """

    def __init__(
        self,
        name: str,
        state: Made,
        orders: Mapping[str, Optional[List[str]]],
        results: Made,
        messages: Mapping[int, Message],
        moment: Any = None,
    ) -> None:
        self.name = name
        self.orders: Dict[str, Any] = dict(orders)
        self.messages = messages if isinstance(messages, SortedDict) else SortedDict(messages)
        self._state, self._results = state, results
        #: The engine's position, a Moment; None if the phase comes from a saved game.
        self._moment = moment

    def __getitem__(self, field: str) -> Any:
        if field not in ("name", "state", "orders", "results", "messages"):
            raise KeyError(field)
        return getattr(self, field)

    def _with(self, messages: Mapping[int, Message]) -> "GamePhaseData":
        """Returns a copy of the phase's data with other messages. messages: keyed by timestamp."""
        return GamePhaseData(self.name, self._state, self.orders, self._results, messages, self._moment)

    @property
    def _bytes(self) -> bytes:
        found: bytes = self._moment._bytes
        return found

    @property
    def state(self) -> Dict[str, Any]:
        if callable(self._state):
            self._state = self._state()
        return self._state  # type: ignore[return-value]

    @property
    def results(self) -> Dict[str, List[OrderResult]]:
        if callable(self._results):
            self._results = self._results()
        return self._results  # type: ignore[return-value]

    def get_scores(self, scoring_system: int = 0) -> List[float]:
        """Returns pydipcc's scores of the powers, in alphabetical order; their sum is 1. A solo scores 1.

        scoring_system: 0 for shares by the squares of the numbers of centres, 1 for equal shares of powers with
        centres.
        """
        counts = [len(own) for own in self.state["centers"].values()]
        solo = max(counts) > 17
        values = [float(n == max(counts)) if solo else n**2 if scoring_system == 0 else float(n > 0) for n in counts]
        return [value / (sum(values) or 1) for value in values]

    def to_dict(self) -> Dict[str, Any]:
        """Returns the phase as a plain dict, in the format of saved games."""
        return {
            "name": self.name,
            "state": self.state,
            "orders": self.orders,
            "results": {unit: [str(word) for word in words] for unit, words in self.results.items()},
            "messages": [message.to_dict() for message in self.messages.values()],
        }

    @classmethod
    def from_dict(cls, given: Any) -> "GamePhaseData":
        """Returns a phase of a saved game. Raises ValueError if it is invalid."""
        phase = entries("phase", given)
        name = text("name of a phase", phase.get("name"))
        orders = {
            power: None if own is None else texts(f"orders of {name}", own)
            for power, own in entries(f"orders of {name}", phase.get("orders")).items()
        }
        results = entries(f"results of {name}", phase.get("results") or {})
        messages = phase.get("messages") or []
        if not isinstance(messages, list):
            raise ValueError(f"messages of {name}: got {shown(messages)}, wanted a list")
        said = [Message.from_dict(one) for one in messages]
        if any(one.time_sent is None for one in said):
            raise ValueError(f"messages of {name}: got one without time_sent, wanted microseconds")
        return cls(
            name,
            entries(f"state of {name}", phase.get("state")),
            orders,
            {unit: [result_of(word) for word in texts(f"results of {name}", words)] for unit, words in results.items()},
            {one.time_sent: one for one in said if one.time_sent is not None},
        )

    def __reduce__(self) -> Any:
        return GamePhaseData, (self.name, self.state, self.orders, self.results, self.messages, self._moment)

    def __deepcopy__(self, memo: Any) -> "GamePhaseData":
        return self

    def __repr__(self) -> str:
        return f"<lepanto.diplomacy.GamePhaseData: {self.name}>"
