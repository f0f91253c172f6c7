"""One game under the method names that users of `diplomacy` and of pydipcc know."""

from __future__ import annotations

import copy
import json
import struct
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._pictures import Drawing, Page, replay_page
from ._server import IllegalAction, alone
from .arrays import NO_ORDER, PLAYING
from .batch import Batch
from .state import Engine, _InEngine, scores_of, shared_engine

COMPLETED = "COMPLETED"
#: Year, season, phase and status at the beginning of a state.
_HEAD = struct.Struct("<HBBB")
#: Slot and list of a place without a unit.
_NONE: Tuple[int, List[str]] = (0, [])


class Power:
    """A power of a game, under the names that users of `diplomacy` know."""

    def __init__(self, game: "Game", name: str) -> None:
        self._game = game
        self.name = name

    @property
    def units(self) -> List[str]:
        """The dislodged ones last, as "*A PAR"."""
        return list(self._game.get_units(self.name))

    @property
    def centers(self) -> List[str]:
        return list(self._game.get_centers(self.name))

    @property
    def orders(self) -> List[str]:
        """Those that are set."""
        return list(self._game.get_orders(self.name))

    def is_eliminated(self) -> bool:
        """True without units and centres."""
        return not self.units and not self.centers

    def __repr__(self) -> str:
        return f"<lepanto.game.Power: {self.name}>"


class _Legal:
    """The legal orders of a phase as text, by slot, and where they are."""

    def __init__(self, game: "Game", batch: Batch) -> None:
        #: By place.
        self.orders: Dict[str, List[str]] = {}
        #: By power and province: slot among those of all powers, and legal orders; all adjustments of a power by "".
        self.slots: Dict[str, Dict[str, Tuple[int, List[str]]]] = {name: {} for name in game.powers}
        rows = batch._rows
        counts: List[int] = rows["order_counts"][0].tolist()
        self.adjusts = game._name[-1] == "A"
        self.due = dict(zip(game.powers, counts))
        if game.is_game_done:
            return
        offsets = rows["legal_offsets"][0].tolist()
        first = offsets[0]
        texts = game._engine.texts.of(first, offsets[-1])
        locations, orders, k = batch.locations, self.orders, 0
        for slots, count, places in zip(self.slots.values(), counts, rows["orderable"][0].tolist()):
            if self.adjusts and count:
                own = texts[offsets[k] - first : offsets[k + 1] - first]
                slots[""] = k, own
                self._by_place(own)
            elif count:
                begin = offsets[k] - first
                for at, location in enumerate(places[:count], k):
                    end = offsets[at + 1] - first
                    place = locations[location]
                    own = orders[place] = texts[begin:end]
                    begin = end
                    if len(place) > 3:
                        # A fleet on a coast is under its coast and under its province.
                        place = place[:3]
                        orders[place] = own
                    slots[place] = at, own
            k += batch.max_orders

    def _by_place(self, texts: List[str]) -> None:
        """Sorts builds or removals of a power into their places; a place of a build may be waived too."""
        found: Dict[str, List[str]] = {}
        for text in texts:
            if text != "WAIVE":
                place = text.split()[1]
                for key in {place, place[:3]}:
                    found.setdefault(key, []).append(text)
        if "WAIVE" in texts:
            for place, own in found.items():
                if len(place) == 3:
                    own.append("WAIVE")
        self.orders.update(found)

    def orderable(self, power: str) -> List[str]:
        """Provinces with an order due."""
        slots = self.slots[power]
        if not self.adjusts:
            return sorted(slots)
        return sorted({text.split()[1][:3] for text in slots.get("", _NONE)[1] if text != "WAIVE"})

    def fitting(self, power: str, orders: Sequence[str]) -> Tuple[List[str], List[str]]:
        """Builds or removals that can be ordered together, and those that are too many or in a place that has one."""
        taken: List[str] = []
        refused: List[str] = []
        places = set()
        for order in orders:
            place = "" if order == "WAIVE" else order[2:5]
            fits = len(taken) < self.due[power] and (place == "" or place not in places)
            (taken if fits else refused).append(order)
            places.add(place)
        return taken, refused

    def knows(self, power: str, orders: Sequence[str]) -> bool:
        """True if all orders are legal and written as here."""
        slots = self.slots[power]
        for order in orders:
            if order not in slots.get("" if self.adjusts else order[2:5], _NONE)[1]:
                return False
        return True


class _Played(Mapping[str, Any]):
    """A phase that was played, as in a saved game. What it was and came to is asked of the engine when it is looked at."""

    _KEYS = ("name", "state", "orders", "results", "messages")

    def __init__(self, game: "Game", orders: Dict[str, List[str]]) -> None:
        self._engine, self._bytes, self._powers = game._engine, game._bytes, game.powers
        self._name, self._position, self._before = game._name, game._position, game._past
        self._orders = orders
        self._found: Optional[Dict[str, Any]] = None

    def __getitem__(self, key: str) -> Any:
        if key == "name":
            return self._name
        if key == "orders":
            return {power: self._orders.get(power, []) for power in self._powers}
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._KEYS)

    def __len__(self) -> int:
        return len(self._KEYS)

    def __repr__(self) -> str:
        return f"<lepanto.game phase {self._name}>"

    def _all(self) -> Dict[str, Any]:
        if self._found is None:
            with self._engine.batch._lock:
                batch = self._engine.enter(self)
                influence = _influence(batch, self._position, self._before)
                state, results = _state_of(batch, self._name, influence, self._orders)
            self._found = {"name": self._name, "state": state, "orders": self["orders"], "results": results, "messages": []}
        return self._found


def _influence(batch: Batch, position: bytes, before: Sequence["_Played"]) -> Dict[str, List[str]]:
    """Places by power that had a unit there last."""
    last = np.zeros(len(batch.provinces), np.int64)
    at: int = batch._info["state"]["units"]
    for seen in [*(played._position for played in before), position]:
        units = np.frombuffer(seen, np.uint8, len(last), at)
        last = np.where(units > 0, units >> 1, last)
    return {power: [tag for tag, q in zip(batch.provinces, last.tolist()) if q == k + 1] for k, power in enumerate(batch.powers)}


def _state_of(
    batch: Batch, name: str, influence: Dict[str, List[str]], orders: Optional[Mapping[str, Sequence[str]]] = None
) -> Tuple[Dict[str, Any], Dict[str, List[str]]]:
    """The position in slot 0 as the package says it; and by unit what orders come to there."""
    raw = batch._server.ask(op="state", game=0, orders=orders)
    state = {
        "timestamp": int(time.time() * 1e6),
        "zobrist_hash": raw["zobrist_hash"],
        "note": "",
        "name": name,
        **{field: raw[field] for field in ("units", "retreats", "centers", "homes")},
        "influence": influence,
        "civil_disorder": {power: 0 for power in batch.powers},
        "builds": raw["builds"],
    }
    return state, raw.get("results", {})


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
        #: By name, in the order of the alphabet.
        self.powers: Dict[str, Power] = {name: Power(self, name) for name in self._engine.batch.powers}
        self.orders: Dict[str, List[str]] = {}
        self._past: Tuple[_Played, ...] = ()
        self._drawn = False
        self._stalemate_years = 0
        self._quiet_years = 0
        self._state: Optional[Dict[str, Any]] = None
        self._legal: Optional[_Legal] = None
        with self._lock:
            self._look(self._enter())
        self._year_owners = self._owners()

    # ---- the position ----

    def _look(self, batch: Batch) -> None:
        """Takes from the engine what the position is; all else is asked when it is wanted."""
        self._position: bytes = batch._rows["state"][0].tobytes()
        year, season, phase, status = _HEAD.unpack_from(self._position)
        self._name = f"{'SFW'[season]}{year}{'MRA'[phase]}" if status == PLAYING else COMPLETED
        self._year = year

    def _owners(self) -> bytes:
        batch = self._engine.batch
        at: int = batch._info["state"]["owners"]
        return self._position[at : at + len(batch.centers)]

    @alone
    def _raw(self) -> Dict[str, Any]:
        if self._state is None:
            batch = self._enter()
            self._state, _ = _state_of(batch, self._name, _influence(batch, self._position, self._past))
        return self._state

    @property
    def phase(self) -> str:
        return self._name

    current_short_phase = phase

    def get_current_phase(self) -> str:
        """'S1901M', or COMPLETED."""
        return self._name

    @property
    def phase_type(self) -> str:
        return "-" if self._name == COMPLETED else self._name[-1]

    @property
    def is_game_done(self) -> bool:
        return self._name == COMPLETED

    def get_state(self) -> Dict[str, Any]:
        """The position as the package says it: units, retreats, centers, homes, influence, builds, zobrist_hash ..."""
        return copy.deepcopy(self._raw())

    def _of(self, field: str, power: Optional[str]) -> Any:
        return self._raw()[field] if power is None else self._raw()[field][self._power(power)]

    def _power(self, power: str) -> str:
        name = power if power in self.powers else power.upper()
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
        return next(dict(played["orders"]) for played in self._past if played["name"] == phase)

    def _repr_svg_(self) -> str:
        return self.drawing().svg

    def replay(self) -> Page:
        """The page that plays the game so far, as `lepanto replay --html` writes it. It starts a process of its own."""
        return replay_page(self.to_saved_game_format())

    # ---- orders ----

    def _lists(self) -> _Legal:
        """The legal orders of the phase; made once."""
        legal = self._legal
        if legal is None:
            with self._lock:
                legal = self._legal = _Legal(self, self._enter())
        return legal

    def get_orderable_locations(self, power_name: Optional[str] = None) -> Any:
        """Places with an order due, by power or of one power."""
        legal = self._lists()
        if power_name is None:
            return {power: legal.orderable(power) for power in self.powers}
        return legal.orderable(self._power(power_name))

    def get_all_possible_orders(self) -> Dict[str, List[str]]:
        """Legal orders by place. A fleet on a coast is under its coast and under its province."""
        found: Dict[str, List[str]] = {location: [] for location in self._engine.batch.locations}
        for place, orders in self._lists().orders.items():
            found[place] = orders.copy()
        return found

    def set_orders(self, power_name: str, orders: Sequence[str], expand: bool = True, replace: bool = True) -> List[str]:
        """Sets the orders of a power, in any usual notation. Returns those that are illegal, which are left out."""
        power = self._power(power_name)
        kept = [] if replace else list(self.orders.get(power, []))
        legal = self._lists()
        if legal.knows(power, orders) and not (legal.adjusts and kept):
            taken, refused = legal.fitting(power, orders) if legal.adjusts else (list(orders), [])
            self.orders[power] = kept + taken
            return refused
        refused = []
        with self._lock:
            ask = self._enter()._server.ask
            parsed = ask(op="parse", game=0, power=power, orders=list(orders))
            texts = iter(ask(op="format", game=0, ids=[entry["id"] for entry in parsed if entry["reason"] is None]))
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
    def process(self) -> Mapping[str, Any]:
        """Plays the phase; units without an order hold. Returns the phase that was played, as in a saved game."""
        if self.is_game_done:
            raise IllegalAction("process: got a game that is over")
        batch = self._enter()
        self._write_actions(batch)
        year = self._year
        played = _Played(self, self.orders)
        self._bytes = self._engine.play_known()
        self._past += (played,)
        self.orders = {}
        self._state = self._legal = None
        self._look(batch)
        if self._year != year:
            self._count_quiet()
        return played

    def _write_actions(self, batch: Batch) -> None:
        """Writes the orders that are set where the engine reads them."""
        row, cells, legal = batch._rows["actions"][0], self._engine.action_cells, self._lists()
        row.fill(NO_ORDER)
        try:
            for power, orders in self.orders.items():
                slots = legal.slots[power]
                if legal.adjusts and orders:
                    first, texts = slots[""]
                    if len(orders) > legal.due[power]:
                        raise ValueError(power)
                    for slot, text in enumerate(orders, first):
                        cells[slot] = texts.index(text)
                    continue
                for text in orders:
                    slot, texts = slots[text[2:5]]
                    cells[slot] = texts.index(text)
        except (KeyError, TypeError, ValueError):
            # A caller may have put any text into `orders`.
            row[:] = batch.actions_from_text(0, self.orders)

    def _count_quiet(self) -> None:
        owners = self._owners()
        self._quiet_years = self._quiet_years + 1 if owners == self._year_owners else 0
        self._year_owners = owners
        if self._stalemate_years and self._quiet_years >= self._stalemate_years:
            self.draw()

    def draw(self) -> None:
        """Ends the game as a draw."""
        self._drawn, self._name = True, COMPLETED
        self._state = self._legal = None

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
        other = copy.copy(self)
        other.orders = {power: list(orders) for power, orders in self.orders.items()}
        other.powers = {name: Power(other, name) for name in self.powers}
        return other

    def clone_n_times(self, n: int) -> List["Game"]:
        return [self.clone() for _ in range(n)]

    def rolled_back_to_phase_start(self, phase: str) -> "Game":
        """A copy of the game as it stood before a phase that was played. Raises ValueError for another."""
        for i, played in enumerate(self._past):
            if played["name"] == phase:
                other = Game(self.game_id, self._engine, played._bytes)
                other._past = self._past[:i]
                return other
        raise ValueError(f"phase: got {phase!r}, wanted one of {', '.join(p['name'] for p in self._past)}")

    def get_phase_history(self) -> List[Mapping[str, Any]]:
        return list(self._past)

    def to_saved_game_format(self) -> Dict[str, Any]:
        """The game as `diplomacy` saves one."""
        last = {"name": self.phase, "state": self.get_state(), "orders": {p: None for p in self.powers}, "results": {}, "messages": []}
        # The package gives back no WAIVE that it was given, and then takes the file for wrong.
        phases = [
            {**phase, "orders": {p: [o for o in orders if o != "WAIVE"] for p, orders in phase["orders"].items()}}
            for phase in self._past
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
