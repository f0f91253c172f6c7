"""Prompts for language models: a position as text or JSON, with the same facts in the same sequence."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diplomacy.engine.game import Game
from .facts import Facts, Made, facts_of

#: Instructions for the form of an answer, by name of the form.
ANSWERS = {
    "orders": "Answer with one order on each line, for every unit in the sequence of the list, and with nothing else.",
    "thoughts": "Think first if you want. Then write a line ORDERS: and below it one order on each line, for every "
    "unit in the sequence of the list, and nothing after them.",
    "json": 'Answer with one JSON object and nothing else: {"orders": {"A PAR": "A PAR - BUR", ...}}, one order for '
    "every unit.",
}
#: Longest message, in characters: that of games with press, so that no message which may be sent stops a player.
MOST_CHARACTERS = 65_536

_RULES = """Diplomacy. All powers move at the same time. A unit is an army (A) or a fleet (F) in a province. A power with more
than half of the supply centres wins. Places have tags of three letters, coasts a slash: STP/SC.
A PAR H: hold. A PAR - BUR: move. A LON - NWY VIA: move by convoy.
A MAR S A PAR - BUR: support a move. A MAR S A PAR: support a unit that does not move. F NTH C A LON - NWY: convoy.
In retreats: A BUR R PIC, A BUR D (disband). In winter: A PAR B (build), F BRE B, A PAR D (remove), WAIVE (build nothing).
A move succeeds against fewer supports. Equal strength bounces. An attack on a supporting unit cuts its support, unless it
comes from where the support is aimed. A unit without an order holds; a dislodged one is disbanded.
Centres change hands after the autumn; then units are built in free home centres, or removed."""  # noqa: E501

_SEASONS = {"S": "Spring", "F": "Autumn", "W": "Winter"}
_PHASES = {"M": "movement", "R": "retreats", "A": "adjustments"}


class Message(NamedTuple):
    """A press message in a context."""

    phase: str
    round: int
    sender: str
    recipients: Tuple[str, ...]
    """Names of the receiving powers. A message to everybody lists all powers."""
    text: str


class Told(NamedTuple):
    """An order of a played phase, and its result."""

    order: str
    result: str
    """A name of lepanto.RESULTS, or "illegal"."""
    fate: Optional[str]
    """Fate of the unit: "dislodged", "destroyed" or None."""
    reason: Optional[str]


class Context:
    """View of a game for one power. `text` is `static` followed by `dynamic`; `json` has the same facts as a dict.

    `static` is the same for all powers, phases and games with the same map and answer form. `dynamic` follows with the
    power, the past, the messages and the position. In this sequence, a prompt cache can reuse the longest prefix.
    """

    def __init__(
        self,
        board: "_Board",
        power: str,
        past: Sequence["_Phase"],
        messages: Sequence[Message],
        options: Tuple[str, bool],
    ) -> None:
        self.power = power
        self.phase = board.phase
        self._board, self._past, self._messages = board, past, messages
        self._answer, self._legend = options

    @property
    def static(self) -> str:
        """Rules, map and form of the answer, as text."""
        facts = self._board.facts
        key = self._answer, self._legend
        if key not in facts.statics:
            legend = f"# Map\n{facts.legend}\n\n" if self._legend else ""
            facts.statics[key] = (
                f"# Rules\n{_RULES}\nMap {facts.map}, rules {facts.rules}.\n\n"
                f"{legend}# Answer\n{ANSWERS[self._answer]}\n\n"
            )
        return facts.statics[key]

    @property
    def dynamic(self) -> str:
        """Power, past, messages, position, threats and legal orders, as text."""
        return "".join(
            [
                f"# Power\nYou are {self.power}.\n\n",
                "# Past\n",
                *([phase.text for phase in self._past] or ["none\n"]),
                "\n# Messages\n",
                *(map(_line, self._messages) if self._messages else ["none\n"]),
                "\n",
                self._board.text,
                self._board.own_text[self.power],
            ]
        )

    @property
    def text(self) -> str:
        return self.static + self.dynamic

    @property
    def chat(self) -> List[Dict[str, str]]:
        """Messages for a chat model: `static` with the role "system", `dynamic` with the role "user"."""
        return [{"role": "system", "content": self.static}, {"role": "user", "content": self.dynamic}]

    @property
    def json(self) -> Dict[str, Any]:
        """The facts of `text` as a dict: rules, map, answer, power, past, messages, phase, powers, unowned, threats,
        due, units."""
        board = self._board
        return {
            "rules": _RULES,
            "map": board.facts.legend.split("\n") if self._legend else [],
            "answer": ANSWERS[self._answer],
            "power": self.power,
            "past": [phase.json() for phase in self._past],
            "messages": [{**message._asdict(), "recipients": list(message.recipients)} for message in self._messages],
            "phase": board.phase,
            "powers": board.powers(),
            "unowned": board.unowned,
            **board.own_json(self.power),
        }

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<lepanto.llm.Context of {self.power} in {self.phase}>"


#: A centre or unit near a unit: its name, the number of moves to it, and its owner.
_Near = Tuple[str, int, Optional[str]]


class _Board:
    """Facts about a position that contexts need, computed once for all powers."""

    def __init__(self, game: Game) -> None:
        facts = self.facts = facts_of(game._engine)
        # Adjudicate the last phase in the same request, because contexts usually need it.
        open_ = [one for one in game.get_phase_history()[-1:] if not _known(facts, one)]
        with game._lock:
            records = [{**record_of(game, one), "orders": one["orders"]} for one in open_]
            answer = game._enter()._server.ask(op="seen", game=0, records=records)
        for phase, told in zip(open_, answer["told"]):
            _remember(facts, phase, told)
        record = answer["position"]
        self.phase: str = game.get_current_phase()
        self.record = _record(record, facts.map)
        self.units: Dict[str, List[str]] = {power: record["units"].get(power, []) for power in facts.powers}
        self.centers: Dict[str, List[str]] = {power: record["centers"].get(power, []) for power in facts.powers}
        #: Number of builds due (positive) or removals due (negative), keyed by power.
        self.due: Dict[str, int] = dict(zip(facts.powers, record["due"]))
        legal = game._sync().legal()
        #: Legal orders keyed by power and by place with an order due, without waives.
        self.legal: Dict[str, Dict[str, List[str]]] = {
            power: {
                place: [order for order in legal.orders[place] if order != "WAIVE"] if due else legal.orders[place]
                for place in legal.orderable(power)
            }
            for power, due in self.due.items()
        }
        self.owner = {tag: power for power, tags in self.centers.items() for tag in tags}
        #: Power and unit in a province, keyed by province.
        self.occupant = {unit[2:5]: (power, unit) for power, units in self.units.items() for unit in units}
        self.unowned = sorted(facts.centers.difference(self.owner))
        #: `notes`: what contexts say about a province, keyed by province. `own_text`: threats and legal orders,
        #: keyed by power.
        self.notes, self.own_text = Made(self._note), Made(self._own_text)
        self._threats: Optional[Dict[str, List[Tuple[str, str]]]] = None
        self.text = self._text()

    def _note(self, tag: str) -> str:
        """Returns what contexts say about a province, such as ", centre of GERMANY, A MUN of GERMANY". Empty for a
        province with neither centre nor unit.

        tag: name of the province, such as "MUN".
        """
        note = f", centre of {self.owner.get(tag, 'nobody')}" if tag in self.facts.centers else ""
        power, unit = self.occupant.get(tag, ("", ""))
        return f"{note}, {unit} of {power}" if unit else note

    def powers(self) -> Dict[str, Any]:
        return {
            power: {
                "centers": self.centers[power],
                "units": self.units[power],
                **({"dislodged": list(self.record["retreats"][power])} if power in self.record["retreats"] else {}),
                **({"due": self.due[power]} if self.due[power] else {}),
            }
            for power in self.facts.powers
        }

    def _text(self) -> str:
        name = self.phase
        when = f"{_SEASONS[name[0]]} {name[1:-1]}, {_PHASES[name[-1]]} ({name})" if name[0] in _SEASONS else name
        lines = [f"# Position\n{when}"]
        for power, units in self.units.items():
            centers = self.centers[power]
            line = f"{power}: {len(centers)} centres {' '.join(centers)}; {len(units)} units {', '.join(units)}"
            if power in self.record["retreats"]:
                line += f"; dislodged {', '.join(self.record['retreats'][power])}"
            if self.due[power]:
                line += f"; {abs(self.due[power])} {'builds' if self.due[power] > 0 else 'removals'}"
            lines.append(line)
        lines.append(f"nobody: centres {' '.join(self.unowned) or 'none'}\n\n")
        return "\n".join(lines)

    def threats(self, power: str) -> List[Tuple[str, List[Tuple[str, str]]]]:
        """Returns the provinces with a unit or centre of a power that units of other powers can enter without a convoy,
        each with the power and name of each such unit."""
        if self._threats is None:
            self._threats = {tag: [] for tag in (*self.owner, *self.occupant)}
            reach = self.facts.reach
            for one in self.occupant.values():
                for end in reach[one[1][0], one[1][2:]]:
                    if end in self._threats:
                        self._threats[end].append(one)
        own = sorted({*self.centers[power], *(unit[2:5] for unit in self.units[power])})
        found = [(tag, [one for one in self._threats[tag] if one[0] != power]) for tag in own]
        return [(tag, units) for tag, units in found if units]

    def _nearest(self, power: str, unit: str) -> Tuple[List[_Near], List[_Near]]:
        """Returns the three nearest centres that the power does not own, and the two nearest units of other powers, for
        a unit of the power."""
        facts, owner, occupant = self.facts, self.owner, self.occupant
        centers: List[_Near] = []
        enemies: List[_Near] = []
        for moves, tag in facts.near[unit[0], unit[2:]]:
            if tag in facts.centers and len(centers) < 3 and owner.get(tag) != power:
                centers.append((tag, moves, owner.get(tag)))
            if tag in occupant and len(enemies) < 2 and occupant[tag][0] != power:
                enemies.append((occupant[tag][1], moves, occupant[tag][0]))
            if len(centers) == 3 and len(enemies) == 2:
                break
        return centers, enemies

    def _listed(self, power: str) -> Iterator[Tuple[str, str, Tuple[List[_Near], List[_Near]], List[str]]]:
        """Yields for each place with an order due: the place, its unit, the centres and units near it, and lines with
        the legal orders and their meanings."""
        lines, notes = self.facts.lines, self.notes
        for place, orders in self.legal[power].items():
            unit = unit_of(orders[0])
            near = ([], []) if self.due[power] else self._nearest(power, unit)
            texts = [line + notes[end] if end else line for line, end in map(lines.__getitem__, orders)]
            yield place, unit, near, texts

    def _own_text(self, power: str) -> str:
        """Returns the threats and legal orders of a power as text."""
        due = self.due[power]
        parts = ["# Threats\n"]
        for tag, units in self.threats(power):
            parts.append(
                f"{tag}{self.notes[tag]}: {', '.join([f'{unit} of {owner}' for owner, unit in units])} can enter\n"
            )
        if len(parts) == 1:
            parts.append("none\n")
        parts.append("\n# Orders\n" if not due else f"\n# Orders\n{abs(due)} of these, in this sequence:\n")
        for _, unit, near, lines in self._listed(power):
            if not due:
                centers, enemies = (
                    ", ".join([f"{name} {moves} ({of or 'nobody'})" for name, moves, of in some]) or "none"
                    for some in near
                )
                parts.append(f"{unit}: centres {centers}; enemies {enemies}\n")
            parts += [f"{line}\n" for line in lines]
        if due > 0:
            parts.append("WAIVE: build nothing\n")
        if not self.legal[power] and due <= 0:
            parts.append("none\n")
        return "".join(parts)

    def own_json(self, power: str) -> Dict[str, Any]:
        """Returns the threats, builds or removals due, and legal orders of a power as a dict."""
        due, units = self.due[power], []
        for place, unit, (centers, enemies), lines in self._listed(power):
            one: Dict[str, Any] = {"place": place}
            if not due:
                one = {"unit": unit}
                one["nearest_centers"] = [dict(zip(("center", "moves", "owner"), near)) for near in centers]
                one["nearest_enemies"] = [dict(zip(("unit", "moves", "power"), near)) for near in enemies]
            one["orders"] = [dict(zip(("order", "meaning"), line.split(": ", 1))) for line in lines]
            units.append(one)
        threats = [
            {"province": tag, "units": [{"power": owner, "unit": unit} for owner, unit in units]}
            for tag, units in self.threats(power)
        ]
        return {"threats": threats, "due": due, "units": units}


def unit_of(order: str) -> str:
    """Returns the unit of an order, such as "F STP/SC"."""
    return " ".join(order.split(" ", 2)[:2])


class _Phase:
    """A played phase with the results of its orders."""

    def __init__(self, name: str, told: Mapping[str, Sequence[Told]]) -> None:
        self.name = name
        self.told = told
        lines = [f"{power}: {'; '.join(map(_said, orders))}\n" for power, orders in told.items() if orders]
        self.text = f"{name}\n{''.join(lines)}"

    def json(self) -> Dict[str, Any]:
        return {
            "phase": self.name,
            "orders": {power: [one._asdict() for one in orders] for power, orders in self.told.items()},
        }


def _said(told: Told) -> str:
    fate = f", {told.fate}" if told.fate else ""
    return f"{told.order} {told.result}{fate} ({told.reason})" if told.reason else f"{told.order} {told.result}{fate}"


def board_of(game: Game) -> _Board:
    """Returns the facts about the current position of a game, from a cache."""
    boards = facts_of(game._engine).boards
    # game.draw() does not change the bytes of the position.
    key = game._bytes, game.is_game_done
    board: Optional[_Board] = boards.get(key)
    if board is None:
        board = boards[key] = _Board(game)
    return board


def record_of(game: Game, phase: Any) -> Dict[str, Any]:
    """Returns the position before a phase of a game's history, as a record of `lepanto adjudicate`."""
    engine = game._engine
    board = facts_of(engine).boards.get((phase._bytes, False))
    if board is not None:
        return board.record  # type: ignore[no-any-return]
    with game._lock:
        return _record(engine.enter(phase).position(0), engine.batch.map)


def _record(position: Mapping[str, Any], map: str) -> Dict[str, Any]:
    return {**{name: position[name] for name in ("phase", "units", "centers", "retreats")}, "map": map}


def told_of(game: Game, phase: Any) -> Dict[str, List[Told]]:
    """Returns the results of the orders in a phase of a game's history, keyed by power."""
    return _played(game, phase).told  # type: ignore[return-value]


def _played(game: Game, phase: Any) -> _Phase:
    facts = facts_of(game._engine)
    known = _known(facts, phase)
    if known is not None:
        return known
    with game._lock:
        record = {**record_of(game, phase), "orders": phase["orders"]}
        (answer,) = game._engine.batch._server.ask(op="adjudicate_records", records=[record])
    return _remember(facts, phase, answer["orders"])


def _known(facts: Facts, phase: Any) -> Optional[_Phase]:
    # The cache holds a reference to the phase, so that its id is not reused.
    return facts.told.get(id(phase), (None, None))[1]  # type: ignore[no-any-return]


def _remember(facts: Facts, phase: Any, entries: Sequence[Mapping[str, Any]]) -> _Phase:
    found: Dict[str, List[Told]] = {}
    for entry in entries:
        # Saved games have no waives, so skip them here.
        if entry["order"] == "WAIVE":
            continue
        order = entry["order"] or f"{entry['unit']} without an order"
        found.setdefault(entry["power"], []).append(Told(order, entry["result"], entry["fate"], entry["reason"]))
    made = _Phase(phase["name"], {power: found[power] for power in sorted(found)})
    facts.told[id(phase)] = phase, made
    return made


def _line(message: Message) -> str:
    to = ", ".join(message.recipients)
    text = json.dumps(message.text, ensure_ascii=False)
    return f"{message.phase} round {message.round}, {message.sender} to {to}: {text}\n"


def read_messages(messages: Any, powers: Sequence[str]) -> List[Message]:
    """Reads messages from dicts or objects with phase, round, sender, recipients (or recipient) and text. A message
    without recipients, or to "GLOBAL", goes to all powers.

    powers: names of all powers. Raises TypeError or ValueError with the index of the first invalid message.
    """
    if isinstance(messages, (str, bytes)):
        raise TypeError(f"messages: got {type(messages).__name__}, wanted a list")
    values = messages.values() if isinstance(messages, Mapping) else messages
    return [_read_message(i, one, powers) for i, one in enumerate(values)]


def _read_message(place: int, message: Any, powers: Sequence[str]) -> Message:
    def field(name: str, default: Any = None) -> Any:
        return message.get(name, default) if isinstance(message, Mapping) else getattr(message, name, default)

    where = f"message {place}"
    sender, text = field("sender"), field("text", field("message"))
    if sender not in powers:
        raise ValueError(f"{where}, sender: got {sender!r}, wanted one of {', '.join(powers)}")
    to = field("recipients", field("recipient"))
    to = [to] if isinstance(to, str) or to is None else list(to)
    if to == [None] or "GLOBAL" in to:
        to = list(powers)
    for one in to:
        if one not in powers:
            raise ValueError(f"{where}, recipients: got {one!r}, wanted some of {', '.join(powers)}, or GLOBAL")
    return Message(
        str(field("phase", "")), int(field("round", 0) or 0), sender, tuple(to), checked_text(f"{where}, text", text)
    )


def checked_text(name: str, text: Any, most: int = MOST_CHARACTERS) -> str:
    """Returns a str, or bytes in UTF-8, as text. name: of the text, for errors. most: longest text, in characters.

    Raises TypeError for other types, and ValueError for text that is too long or not valid Unicode.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{name}: got bytes that are no UTF-8 from byte {error.start} on, wanted text") from None
    if not isinstance(text, str):
        raise TypeError(f"{name}: got {type(text).__name__}, wanted text")
    if len(text) > most:
        raise ValueError(f"{name}: got {len(text):,} characters, wanted at most {most:,}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: got half a surrogate pair at character {error.start}, wanted text") from None
    return text


def is_over(game: Game, until: int) -> bool:
    """True if a game is over, or the year `until` has been played to its end."""
    return bool(game.is_game_done) or int(game.get_current_phase()[1:-1]) > until


def power_of(game: Game, power: str) -> str:
    """Returns the name of a power in upper case. power: name in any case. Raises ValueError if the game has no such
    power."""
    name = power.upper() if isinstance(power, str) else power
    if name not in game.powers:
        raise ValueError(f"power: got {power!r}, wanted one of {', '.join(game.powers)}")
    return name


def context(
    game: Game,
    power: str,
    phases: Optional[int] = 2,
    messages: Optional[Sequence[Any]] = None,
    answer: str = "orders",
    legend: bool = True,
    past: Optional[Sequence[Any]] = None,
) -> Context:
    """Returns the view of a game for a power, as text and JSON.

    phases: number of played phases to include, with the result of each order and its reason; None: all, which keeps
        the prefix for a prompt cache.
    messages: dicts of phase, round, sender, recipients and text, the oldest first. Messages that the power neither
        sent nor received are left out. None: messages of the game, if it has any.
    answer: form of the answer: "orders", "thoughts" (followed by orders) or "json".
    legend: False leaves out the map.
    past: played phases as lepanto.bot.Past, which replace the game's history if the game began elsewhere. They have no
        reasons.

    Raises ValueError or TypeError for invalid arguments.
    """
    name = power_of(game, power)
    if answer not in ANSWERS:
        raise ValueError(f"answer: got {answer!r}, wanted one of {', '.join(ANSWERS)}")
    if phases is not None and (isinstance(phases, bool) or not isinstance(phases, int) or phases < 0):
        raise ValueError(f"phases: got {phases!r}, wanted a whole number from 0, or None")
    board = board_of(game)
    history = game.get_phase_history() if past is None else past
    last = history if phases is None else history[max(0, len(history) - phases) :]
    told = [_played(game, phase) if past is None else _seen(phase) for phase in last]
    read = read_messages(getattr(game, "messages", ()) if messages is None else messages, board.facts.powers)
    return Context(
        board, name, told, [one for one in read if name == one.sender or name in one.recipients], (answer, legend)
    )


def _seen(past: Any) -> _Phase:
    told = {
        power: [Told(order, result, None, None) for order, result in zip(orders, past.results.get(power, []))]
        for power, orders in past.orders.items()
    }
    return _Phase(past.phase, told)
