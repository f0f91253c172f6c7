"""Normalises orders of any spelling, and describes results of orders in the words of the package `diplomacy`."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from ..utils.game_phase_data import GamePhaseData
from ..utils.order_results import DISLODGED, NO_CONVOY, OK, VOID, OrderResult
from .map import Map
from .moments import Board


def spelled(order: str, map_: Map, kind_of_phase: str, unit_in: Callable[[str], Optional[str]]) -> str:
    """Returns an order in the spelling of get_all_possible_orders(), as far as it is understood.

    kind_of_phase: "M", "R" or "A". unit_in: returns the unit in a province, None if it is empty.
    """
    tokens = map_.vet(map_.compact(order))
    # Drops remarks at the end of an order, but keeps "by convoy".
    end = [("VIA", 5)] if tokens[-1:] == [("^", 7)] else []
    while tokens and tokens[-1][1] in (0, 7):
        tokens.pop()
    tokens += end
    words: List[str] = []
    for token, kind in tokens:
        if kind == 1:
            continue
        if kind in (3, 4):
            unit = unit_in(token)
            before = words[-1] if words else ""
            if len(before) >= 3 and before != "VIA":
                words.append("-")
            elif before in ("", "S", "C") and unit:
                words.append(unit[0])
            if words and words[-1] in ("A", "F") and unit and unit[0] == words[-1]:
                token = unit[2:]
            elif (
                "/" in token
                and words[-1:] == ["-"]
                and (words[3:4] if words[2:3] in (["S"], ["C"]) else words[:1]) == ["A"]
            ):
                token = token[:3]
        elif kind == 6:
            token = "-"
        words.append(token)
    if kind_of_phase == "R" and "-" in words:
        words[words.index("-")] = "R"
    if kind_of_phase == "R" and words[:1] == ["R"]:
        words = [*words[1:3], "R", *words[3:]]
    if len(words) > 3 and words[-1] == "H" and words[2] == "S":
        words.pop()
    return " ".join(map_.default_coast(words) if len(words) == 4 else words)


def place_of(order: str) -> str:
    """Returns the province of an order of an adjustment or retreat phase; "" for a waive and a refused order."""
    return "" if order[:4] in ("VOID", "WAIV") else order[2:5]


def unit_of(order: str) -> str:
    """Returns the unit of an order, such as "A PAR"."""
    return " ".join(order.split()[:2])


def commands_of(data: GamePhaseData) -> Dict[str, str]:
    """Returns the order of each unit in a movement phase, without the unit ("- BUR"), keyed by unit. Units without an
    order hold ("H")."""
    # Under NO_CHECK the orders of the phase may have any spelling, so the engine's come first.
    told = [*(data._moment.orders.values() if data._moment else ()), *data.orders.values()]
    given = {unit_of(order): order for orders in told for order in orders or ()}
    units = [unit for own in data.state["units"].values() for unit in own if unit[0] != "*"]
    found = {unit: given[unit][len(unit) + 1 :] if unit in given else "H" for unit in units}
    for unit, order in found.items():
        if order.endswith(" VIA") and NO_CONVOY in data.results.get(unit, ()):
            found[unit] = order[:-4]
        elif order.startswith("S F ") and " - " in order and "/" not in order[-3:]:
            # Adds the coast of the supported move to the support.
            helped, _, goal = order[2:].partition(" - ")
            coast = given.get(helped, "").partition(f" - {goal}/")[2]
            found[unit] = f"{order}/{coast}" if coast else order
    return found


def adjusted(old: Board, new: Board, given: Sequence[str], voids: Sequence[str]) -> Dict[str, List[OrderResult]]:
    """Returns the results of an adjustment phase, keyed by unit: OK for units that were built or removed, VOID for
    refused orders and waives.

    old, new: lists before and after the phase. given: orders of the phase. voids: units of refused orders.
    """
    found: Dict[str, List[OrderResult]] = {}
    for order in given:
        if order == "WAIVE":
            found.setdefault(order, []).append(VOID)
    for unit in voids:
        found.setdefault(unit, []).append(VOID)
    for power, units in new.units.items():
        for unit in {*units} ^ {*old.units[power]}:
            found.setdefault(unit, []).append(OK)
    return found


def strengths(data: GamePhaseData) -> Dict[str, Dict[int, List[List[Any]]]]:
    """Returns the units that moved to or stayed in each province of a movement phase: {province: {strength: [[unit,
    supports], ...]}}. The supports listed are those that do not count because they attack their own power's unit."""
    commands, results = commands_of(data), data.results
    owners = {unit: power for power, units in data.state["units"].items() for unit in units}
    at = {unit[2:5]: unit for unit in commands}

    def goal(unit: str) -> str:
        words = commands[unit].split()
        return words[1][:3] if words[0] == "-" else unit[2:5]

    supports: Dict[str, List[str]] = {unit: [] for unit in commands}
    for unit, order in commands.items():
        words = order.split()
        if words[0] == "S" and not results.get(unit) and words[2][:3] in at:
            helped = at[words[2][:3]]
            if goal(helped) == (words[4][:3] if len(words) > 3 and words[3] == "-" else helped[2:5]):
                supports[helped].append(unit)
    found: Dict[str, Dict[int, List[List[Any]]]] = {}
    for unit in commands:
        place = goal(unit)
        stays = place == unit[2:5]
        occupant = at.get(place)
        swapped = occupant is not None and goal(occupant) == unit[2:5] and not results.get(occupant)
        bounced = occupant is not None and goal(occupant) != place and bool(results.get(occupant))
        defended = not stays and not swapped and not bounced and occupant is not None
        own = [helper for helper in supports[unit] if defended and owners[helper] == owners.get(occupant or "")]
        # A unit does not attack without its convoy, nor if the unit in its destination dislodges it.
        lost = NO_CONVOY in results.get(unit, ()) or (swapped and DISLODGED in results.get(unit, ()))
        if stays or not lost:
            found.setdefault(place, {}).setdefault(1 + len(supports[unit]), []).append([unit, own])
        if not stays and results.get(unit):
            found.setdefault(unit[2:5], {}).setdefault(1, []).append([unit, []])
    return found
