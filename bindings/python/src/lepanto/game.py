"""One game under the method names that users of `diplomacy` and of pydipcc know."""

from __future__ import annotations

import json
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._pictures import Drawing, Page, replay_page
from ._server import IllegalAction, alone
from .arrays import ADJUSTMENT, NO_ORDER, PLAYING
from .batch import Batch
from .state import Engine, _InEngine, scores_of, shared_engine

COMPLETED = "COMPLETED"


class Game(_InEngine):
    """A game that is played by order text.

        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR", "F BRE - MAO", "A MAR - SPA"])
        game.process()
        game.get_state()["units"]["FRANCE"]

    Games share an engine; each is kept as bytes and lies in the engine while something is asked of it. Orders that are
    illegal are left out by set_orders(), which returns them.
    """

    def __init__(self, game_id: str = "lepanto", engine: Optional[Engine] = None, data: Optional[bytes] = None) -> None:
        self._engine = engine or shared_engine()
        self._bytes = data or self._engine.start
        self.game_id = game_id
        self.map_name = self._engine.batch.map
        self.powers = list(self._engine.batch.powers)
        self.orders: Dict[str, List[str]] = {}
        self._phases: List[Dict[str, Any]] = []
        self._starts: List[bytes] = []
        self._influence: Dict[str, str] = {}
        self._drawn = False
        self._stalemate_years = 0
        self._quiet_years = 0
        self._year_owners = self._enter().owners[0].tobytes()
        self._state: Optional[Dict[str, Any]] = None
        self._see()

    # ---- the position ----

    @alone
    def _raw(self) -> Dict[str, Any]:
        if self._state is None:
            self._state = self._enter()._server.ask(op="state", game=0)
            if self._drawn:
                self._state["name"] = COMPLETED
        return self._state

    def _see(self) -> None:
        for power, units in self._raw()["units"].items():
            for unit in units:
                if not unit.startswith("*"):
                    self._influence[unit[2:5]] = power

    @property
    def phase(self) -> str:
        return str(self._raw()["name"])

    current_short_phase = phase

    def get_current_phase(self) -> str:
        """'S1901M', or COMPLETED."""
        return str(self._raw()["name"])

    @property
    def phase_type(self) -> str:
        name = self._raw()["name"]
        return "-" if name == COMPLETED else str(name[-1])

    @property
    def is_game_done(self) -> bool:
        return bool(self._raw()["name"] == COMPLETED)

    def get_state(self) -> Dict[str, Any]:
        """The position as the package says it: units, retreats, centers, homes, influence, builds, zobrist_hash ..."""
        raw = self._raw()
        influence: Dict[str, List[str]] = {power: [] for power in self.powers}
        for place, power in self._influence.items():
            influence[power].append(place)
        return {
            "timestamp": int(time.time() * 1e6),
            "zobrist_hash": raw["zobrist_hash"],
            "note": "",
            "name": raw["name"],
            "units": {power: list(units) for power, units in raw["units"].items()},
            "retreats": {power: dict(units) for power, units in raw["retreats"].items()},
            "centers": {power: list(centers) for power, centers in raw["centers"].items()},
            "homes": {power: list(homes) for power, homes in raw["homes"].items()},
            "influence": influence,
            "civil_disorder": {power: 0 for power in self.powers},
            "builds": {power: dict(builds) for power, builds in raw["builds"].items()},
        }

    def _of(self, field: str, power: Optional[str]) -> Any:
        return self._raw()[field] if power is None else self._raw()[field][self._power(power)]

    def _power(self, power: str) -> str:
        name = power.upper()
        if name not in self.powers:
            raise ValueError(f"power: got {power!r}, wanted one of {', '.join(self.powers)}")
        return name

    def get_units(self, power_name: Optional[str] = None) -> Any:
        return self._of("units", power_name)

    def get_centers(self, power_name: Optional[str] = None) -> Any:
        return self._of("centers", power_name)

    def get_hash(self) -> str:
        """The package's own position hash, a decimal number as text."""
        return str(self._raw()["zobrist_hash"])

    def compute_board_hash(self) -> int:
        """pydipcc's name. The value is that of get_hash(), not pydipcc's."""
        return int(self._raw()["zobrist_hash"])

    @alone
    def drawing(
        self,
        theme: str = "auto",
        width: Optional[int] = None,
        title: Optional[str] = None,
        phase: Optional[str] = None,
    ) -> Drawing:
        """The board as a picture, with the orders that are set; or that of a phase that was played, with what its orders
        came to. theme, width and title are those of lepanto.draw()."""
        game = self if phase is None else self.rolled_back_to_phase_start(phase)
        orders = self.orders if phase is None else self._orders_of(phase)
        ask = game._enter()._server.ask
        return Drawing(
            ask(op="draw", game=0, orders=orders, played=phase is not None, theme=theme, width=width, title=title)
        )

    def _orders_of(self, phase: str) -> Dict[str, List[str]]:
        return next(dict(played["orders"]) for played in self._phases if played["name"] == phase)

    def _repr_svg_(self) -> str:
        return self.drawing().svg

    def replay(self) -> Page:
        """The page that plays the game so far, as `lepanto replay --html` writes it. It starts a process of its own."""
        return replay_page(self.to_saved_game_format())

    # ---- orders ----

    @alone
    def get_orderable_locations(self, power_name: Optional[str] = None) -> Any:
        """Places with an order due, by power or of one power."""
        batch = self._enter()
        if power_name is None:
            return {power: self._orderable(batch, power) for power in self.powers}
        return self._orderable(batch, self._power(power_name))

    def _orderable(self, batch: Batch, power: str) -> List[str]:
        if self.is_game_done:
            return []
        q = self.powers.index(power)
        if batch.phase[0] == ADJUSTMENT:
            builds = self._raw()["builds"][power]
            units = [unit.split()[1][:3] for unit in self._raw()["units"][power]] if builds["count"] < 0 else []
            return sorted(builds["homes"]) + sorted(units)
        places = batch.orderable[0, q, : batch.order_counts[0, q]]
        return sorted(batch.locations[int(place)][:3] for place in places)

    @alone
    def get_all_possible_orders(self) -> Dict[str, List[str]]:
        """Legal orders by place. A fleet on a coast is under its coast and under its province."""
        found: Dict[str, List[str]] = {location: [] for location in self._engine.batch.locations}
        if self.is_game_done:
            return found
        batch = self._enter()
        for power, slots in batch.legal_as_text(0).items():
            for orders in slots[:1] if batch.phase[0] == ADJUSTMENT else slots:
                self._file(found, power, orders)
        return found

    def _file(self, found: Dict[str, List[str]], power: str, orders: Sequence[str]) -> None:
        for order in orders:
            if order == "WAIVE":
                for home in self._raw()["builds"][power]["homes"]:
                    found[home].append(order)
                continue
            place = order.split()[1]
            for key in {place, place[:3]}:
                found[key].append(order)

    @alone
    def set_orders(self, power_name: str, orders: Sequence[str], expand: bool = True, replace: bool = True) -> List[str]:
        """Sets the orders of a power, in any usual notation. Returns those that are illegal, which are left out."""
        power = self._power(power_name)
        batch = self._enter()
        kept = [] if replace else list(self.orders.get(power, []))
        refused: List[str] = []
        parsed = batch._server.ask(op="parse", game=0, power=power, orders=list(orders))
        ids = [entry["id"] for entry in parsed if entry["reason"] is None]
        texts = iter(batch._server.ask(op="format", game=0, ids=ids))
        for order, entry in zip(orders, parsed):
            if entry["reason"] is None:
                kept.append(next(texts))
            else:
                refused.append(order)
        self.orders[power] = kept
        return refused

    def get_orders(self, power_name: Optional[str] = None) -> Any:
        if power_name is None:
            return {power: list(self.orders.get(power, [])) for power in self.powers}
        return list(self.orders.get(self._power(power_name), []))

    def clear_orders(self, power_name: Optional[str] = None) -> None:
        if power_name is None:
            self.orders.clear()
        else:
            self.orders.pop(self._power(power_name), None)

    # ---- playing ----

    @alone
    def process(self) -> Dict[str, Any]:
        """Plays the phase; units without an order hold. Returns the phase that was played, as in a saved game."""
        if self.is_game_done:
            raise IllegalAction("process: got a game that is over")
        batch = self._enter()
        joint = batch.actions_from_text(0, self.orders)
        played = {
            "name": self.phase,
            "state": self.get_state(),
            "orders": self.get_orders(),
            "results": batch._server.ask(op="results", game=0, ids=self._ids(batch, joint)),
            "messages": [],
        }
        year = int(batch.year[0])
        after = self._engine.play(self, joint)
        self._starts.append(self._bytes)
        self._bytes = after
        self._phases.append(played)
        self.orders = {}
        self._state = None
        self._see()
        self._count_quiet(batch, year)
        return played

    def _ids(self, batch: Batch, joint: np.ndarray) -> List[int]:
        offsets = batch.legal_offsets[0]
        flat = joint.reshape(-1)
        return [int(batch.legal_ids[offsets[k] + flat[k]]) for k in np.flatnonzero(flat != NO_ORDER)]

    def _count_quiet(self, batch: Batch, year: int) -> None:
        if int(batch.year[0]) == year:
            return
        owners = batch.owners[0].tobytes()
        self._quiet_years = self._quiet_years + 1 if owners == self._year_owners else 0
        self._year_owners = owners
        if self._stalemate_years and self._quiet_years >= self._stalemate_years:
            self.draw()

    def draw(self) -> None:
        """Ends the game as a draw."""
        self._drawn = True
        self._state = None

    def set_draw_on_stalemate_years(self, years: int) -> None:
        """Ends the game as a draw after so many years in which no centre has changed hands. 0: never."""
        self._stalemate_years = years

    def get_consecutive_years_without_sc_change(self) -> int:
        return self._quiet_years

    @alone
    def get_scores(self, system: str = "sum_of_squares") -> List[float]:
        """Scores by power (alphabetical) of the position as it stands."""
        batch = self._enter()
        return scores_of(batch, 0, batch.score_index(system))

    def get_square_scores(self) -> List[float]:
        return self.get_scores("sum_of_squares")

    # ---- copies and files ----

    def clone(self) -> "Game":
        other = Game(self.game_id, self._engine, self._bytes)
        other.orders = {power: list(orders) for power, orders in self.orders.items()}
        other._phases = list(self._phases)
        other._starts = list(self._starts)
        other._influence = dict(self._influence)
        other._drawn = self._drawn
        other._state = None
        other._stalemate_years = self._stalemate_years
        other._quiet_years = self._quiet_years
        other._year_owners = self._year_owners
        return other

    def clone_n_times(self, n: int) -> List["Game"]:
        return [self.clone() for _ in range(n)]

    def rolled_back_to_phase_start(self, phase: str) -> "Game":
        """A copy of the game as it stood before a phase that was played. Raises ValueError for another."""
        for i, played in enumerate(self._phases):
            if played["name"] == phase:
                other = Game(self.game_id, self._engine, self._starts[i])
                other._phases = self._phases[:i]
                other._starts = self._starts[:i]
                return other
        raise ValueError(f"phase: got {phase!r}, wanted one of {', '.join(p['name'] for p in self._phases)}")

    def get_phase_history(self) -> List[Dict[str, Any]]:
        return list(self._phases)

    def to_saved_game_format(self) -> Dict[str, Any]:
        """The game as `diplomacy` saves one."""
        last = {"name": self.phase, "state": self.get_state(), "orders": {p: None for p in self.powers}, "results": {}, "messages": []}
        # The package gives back no WAIVE that it was given, and then takes the file for wrong.
        phases = [
            {**phase, "orders": {p: [o for o in orders if o != "WAIVE"] for p, orders in phase["orders"].items()}}
            for phase in self._phases
        ]
        return {"id": self.game_id, "map": self.map_name, "rules": ["NO_PRESS"], "phases": [*phases, last]}

    def to_json(self) -> str:
        return json.dumps(self.to_saved_game_format())

    @classmethod
    def from_saved_game_format(cls, saved: Mapping[str, Any], engine: Optional[Engine] = None) -> "Game":
        """Plays a saved game again from its orders. Raises ValueError if a phase of it does not come about."""
        game = cls(str(saved.get("id", "lepanto")), engine)
        for phase in saved["phases"]:
            if phase["name"] != game.phase:
                raise ValueError(f"saved game: got phase {phase['name']}, wanted {game.phase}")
            orders = phase.get("orders") or {}
            if not any(orders.get(power) for power in game.powers) and phase is saved["phases"][-1]:
                break
            for power, texts in orders.items():
                game.set_orders(power, texts or [])
            game.process()
        return game

    @classmethod
    def from_json(cls, text: str, engine: Optional[Engine] = None) -> "Game":
        return cls.from_saved_game_format(json.loads(text), engine)


__all__ = ["Game", "PLAYING", "COMPLETED"]
