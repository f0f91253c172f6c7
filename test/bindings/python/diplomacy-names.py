"""Plays the same random games with the PyPI package `diplomacy` and with lepanto.diplomacy, and compares what every name
answers, phase by phase. Run by package-diplomacy.slow.test.ts.

    diplomacy-names.py GAMES YEARS SEED    one JSON object: games, phases, answers compared, and differences by kind
"""
import collections
import json
import random
import sys

from diplomacy import Game as TheirGame
from diplomacy.utils.export import from_saved_game_format, to_saved_game_format

from lepanto.diplomacy import Game
from lepanto.diplomacy.utils import export
from lepanto.state import Engine

#: Where DATC leaves a choice and the package chose otherwise: as bindings/formats/games/fitting-rules.ts has it.
THEIR_CHOICES = "datc-3.2,convoyFallback=unordered,disorderGoal=home,disorderMeasure=d"
their_engine = Engine(None, rules=THEIR_CHOICES)
found = collections.Counter()
examples = {}
compared = 0


def differ(kind, *what):
    found[kind] += 1
    examples.setdefault(kind, [str(one)[:3000] for one in what])


def plain(value, ordered=False):
    """Lists as they are, or sorted; texts of results; powers by name."""
    if hasattr(value, "units"):
        return value.name
    if hasattr(value, "items"):
        return {str(key): plain(one, ordered) for key, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        found = [plain(one, ordered) for one in value]
        return found if ordered and not isinstance(value, set) else sorted(found, key=str)
    return str(value) if not isinstance(value, (int, bool, type(None))) else value


#: Lists whose order the package draws from sets.
UNORDERED = ("combat", "Map.dest_with_coasts")


def same(name, theirs, ours):
    global compared
    compared += 1
    one, other = (plain(value, name not in UNORDERED) for value in (theirs, ours))
    if one != other:
        if isinstance(one, dict) and isinstance(other, dict):
            one, other = ({k: a.get(k) for k in {**one, **other} if one.get(k) != other.get(k)} for a in (one, other))
        differ(name, theirs_phase, one, other)
    return one == other


FIELDS = (
    *("phase", "current_short_phase", "phase_type", "is_game_done", "no_press", "rules", "win", "victory", "outcome", "note"),
    *("civil_disorder", "solitaire", "power_choice"),
)
#: What tells of the phase before.
PLAYED = ("command", "combat", "dislodged")
POWER_FIELDS = (
    *("name", "units", "centers", "homes", "influence", "orders", "adjust", "abbrev", "civil_disorder", "vote"),
    *("wait", "order_is_set", "goner"),
)


MAP_FIELDS = (
    *("scs", "locs", "loc_type", "loc_coasts", "loc_name", "loc_abut", "homes", "powers", "units", "centers"),
    *("dest_with_coasts", "first_year", "phase", "own_word", "seq", "keywords", "unit_names"),
)
PHRASES = ("Army Paris - Burgundy", "F Gulf of Lyon S A Marseilles -> Spain", "bul/ec", "F St. Petersburg (South Coast) holds")


def maps(theirs, ours):
    global theirs_phase
    theirs_phase = theirs.name
    for name in MAP_FIELDS:
        same(f"Map.{name}", getattr(theirs, name), getattr(ours, name))
    # Lepanto knows more spellings.
    same("Map.aliases", theirs.aliases, {name: ours.aliases.get(name) for name in theirs.aliases})
    locs = [loc.upper() for loc in theirs.locs]
    for one in locs:
        for call in ("area_type", "find_coasts", "abut_list"):
            same(f"Map.{call}", getattr(theirs, call)(one), getattr(ours, call)(one))
        for unit in (f"A {one}", f"F {one}"):
            same("Map.is_valid_unit", bool(theirs.is_valid_unit(unit)), bool(ours.is_valid_unit(unit)))
        for other in locs:
            same("Map.default_coast", theirs.default_coast(["F", one, "-", other]), ours.default_coast(["F", one, "-", other]))
            for kind in "AF":
                acts = [[bool(which.abuts(kind, one, act, other)) for act in "-SC"] for which in (theirs, ours)]
                same("Map.abuts", *acts)
    for phrase in PHRASES:
        same("Map.norm", theirs.norm(phrase), ours.norm(phrase))


def states(theirs, ours):
    for name in ("units", "centers", "homes", "influence", "civil_disorder", "builds", "name", "zobrist_hash", "note"):
        same(f"get_state {name}", theirs[name], ours[name])


def compare(game, ours, agreed):
    """agreed: what came to the same, M for the last moves, L for the last fall that is over: what is told of it is comparable."""
    last = game.get_phase_history()[-1].name[-1] if game.state_history else "M"
    for name in FIELDS + (PLAYED if last in agreed and "M" in agreed else ()) + (("lost",) if "L" in agreed else ()):
        same(name, getattr(game, name), getattr(ours, name))
    for call in ("get_units", "get_centers", "get_orderable_locations", "get_orders", "get_hash"):
        same(call, getattr(game, call)(), getattr(ours, call)())
    if last in agreed:
        same("get_order_status", game.get_order_status(), ours.get_order_status())
    for power in game.powers:
        for name in POWER_FIELDS:
            same(f"Power.{name}", getattr(game.powers[power], name), getattr(ours.powers[power], name))
        same("Power.is_eliminated", game.powers[power].is_eliminated(), ours.powers[power].is_eliminated())
    for power in game.powers if "M" in agreed else ():
        same("Power.retreats", game.powers[power].retreats, ours.powers[power].retreats)
    states(game.get_state(), ours.get_state())
    same("does_not_wait", game.does_not_wait(), ours.does_not_wait())


def possible(game, ours):
    """What both list; what only one of them does is a difference."""
    one, other = game.get_all_possible_orders(), ours.get_all_possible_orders()
    same("places of orders", list(one), list(other))
    for place in one:
        mine = set(other.get(place, ()))
        for order in set(one[place]) ^ mine:
            words = order.split()
            kind = words[2] if len(words) > 2 else words[0]
            who = "ours" if order in mine else "theirs"
            differ(f"possible orders, {kind}, {who} alone", theirs_phase, order, *game.get_units().values())
        one[place] = sorted(set(one[place]) & mine)
    return one


def choose(orders):
    """Rather a convoy or a support than anything else: they are what can differ."""
    convoys = [o for o in orders if " VIA" in o or " C " in o]
    supports = [o for o in orders if " S " in o]
    kind = random.random()
    if convoys and kind < 0.2:
        return random.choice(convoys)
    return random.choice(supports if supports and kind > 0.75 else orders)


def histories(game, ours, skipped):
    same("history", list(game.order_history.keys()), list(ours.order_history.keys()))
    for theirs, mine in zip(game.get_phase_history(), ours.get_phase_history()):
        name = mine.name
        if name in skipped:
            continue
        for field in ("order_history", "result_history", "message_history"):
            same(field, getattr(game, field)[name], getattr(ours, field)[name])
        same("get_phase_history orders", [theirs.name, theirs.orders], [mine.name, mine.orders])
        same("get_phase_history results", theirs.results, mine.results)
        states(theirs.state, mine.state)
    one, other = game.get_phase_data(), ours.get_phase_data()
    same("get_phase_data", [one.name, one.orders], [other.name, other.orders])


def files(game, ours):
    """Saved games load both ways, and say the same afterwards."""
    saved, mine = to_saved_game_format(game), json.loads(json.dumps(export.to_saved_game_format(ours)))
    back, theirs = export.from_saved_game_format(json.loads(json.dumps(saved))), from_saved_game_format(mine)
    same("saved game", [one["name"] for one in saved["phases"]], [one["name"] for one in mine["phases"]])
    for name in ("get_units", "get_centers", "get_hash", "get_current_phase"):
        same(f"theirs from our file, {name}", getattr(ours, name)(), getattr(theirs, name)())
        same(f"ours from their file, {name}", getattr(game, name)(), getattr(back, name)())
    same("theirs from our file, order_history", theirs.order_history, ours.order_history)
    same("ours from their file, result_history", game.result_history, back.result_history)


def at(game):
    return [game.get_current_phase(), game.get_units(), game.get_centers(), game.get_state()["retreats"]]


def why(state, orders, played, theirs, other):
    """What explains that a phase came to something else. The package plays by its own choices where DATC has some; it calls
    a support void that does not count, and a convoy that no route needs."""
    mine = other.results
    fitting = Game("fitting", engine=their_engine)
    fitting.set_state(state)
    for power, given in orders.items():
        fitting.set_orders(power, given)
    chosen = fitting.process().results
    if plain(at(fitting)) != plain(at(theirs)):
        convoyed = {order for given in orders.values() for order in given if order.endswith(" VIA")}
        came = [order for order in convoyed if not played.results.get(" ".join(order.split()[:2]))]
        return "position, with an army that came by convoy" if came else "position"
    by_choice = plain(mine) != plain(chosen)
    kinds = {"choices"} if by_choice else set()
    verbs = {" ".join(order.split()[:2]): order.split()[2] for given in orders.values() for order in given if order != "WAIVE"}
    for unit in {**chosen, **played.results}:
        if unit == "WAIVE":
            continue
        words = plain(played.results.get(unit)), plain(chosen.get(unit))
        if words[0] != words[1]:
            kinds.add(f"words of {state['name'][-1]}, {verbs.get(unit)}: theirs {words[0]}, ours {words[1]}")
    return ", and ".join(sorted(kinds)) or "choices"


def edit(game, ours):
    """Puts a unit and a centre somewhere, in both."""
    power, place = random.choice(list(game.powers)), random.choice([loc.upper() for loc in game.map.locs])
    unit = f"{random.choice('AF')} {place}"
    if game.map.is_valid_unit(unit):
        for one in (game, ours):
            one.set_units(power, [unit])
            one.set_centers(power, random.Random(place).choice(game.map.scs))
    states(game.get_state(), ours.get_state())


def copies(game, ours):
    """What a state, and taking things away, comes to."""
    one, other = TheirGame("s"), Game("s")
    one.set_state(game.get_state())
    other.set_state(ours.get_state())
    compare(one, other, "")
    power = random.choice(list(game.powers))
    for act, *given in (
        *(("set_units", power, ["A PAR", "F STP/NC"], True), ("clear_centers", power), ("clear_units", power)),
        ("clear_units",),
    ):
        getattr(one, act)(*given)
        getattr(other, act)(*given)
        states(one.get_state(), other.get_state())


def play(years):
    global theirs_phase
    game, ours = TheirGame("g"), Game("g")
    phases, skipped, agreed = 0, set(), set("MRAFL")
    while not game.is_game_done and int(game.get_current_phase()[1:5]) < 1901 + years:
        theirs_phase = game.get_current_phase()
        orders = possible(game, ours)
        if theirs_phase.endswith("M") and random.random() < 0.05:
            edit(game, ours)
            orders = possible(game, ours)
        for power, places in game.get_orderable_locations().items():
            if random.random() < 0.07:
                continue  # civil disorder
            given = [choose(orders[at]) for at in places if orders[at]]
            game.set_orders(power, given)
            ours.set_orders(power, given)
        compare(game, ours, agreed)
        before, given = ours.get_state(), ours.get_orders()
        one, other = game.process(), ours.process()
        phases += 1
        # Results of a later phase tell of units that the moves have destroyed.
        known = theirs_phase.endswith("M") or "M" in agreed
        equal = plain(at(game)) == plain(at(ours)) and (not known or plain(one.results) == plain(other.results))
        agreed |= {theirs_phase[-1], "F" if theirs_phase.startswith("F") and theirs_phase.endswith("M") else theirs_phase[-1]}
        if not known:
            skipped.add(theirs_phase)
        if not equal:
            agreed -= {theirs_phase[-1], theirs_phase[0]}
            kind = why(before, given, one, game, other)
            words = {unit: (one.results.get(unit), other.results.get(unit)) for unit in {**one.results, **other.results}}
            wrong = {unit: both for unit, both in words.items() if plain(both[0]) != plain(both[1])}
            differ(kind, theirs_phase, wrong, before["units"], given, at(game), at(ours))
            skipped.add(theirs_phase)
            ours.set_state(game.get_state(), clear_history=False)
        if theirs_phase.startswith("F") and not game.get_current_phase().startswith("F"):
            agreed = agreed | {"L"} if "F" in agreed else agreed - {"L"}
    theirs_phase = game.get_current_phase()
    if theirs_phase not in skipped:
        histories(game, ours, skipped)
        files(game, ours)
    if theirs_phase.endswith("M"):
        copies(game, ours)
    if random.random() < 0.3 and not game.is_game_done:
        game.draw()
        ours.draw()
        compare(game, ours, "")
        histories(game, ours, skipped)
    return phases


count, years, seed = map(int, sys.argv[1:4])
maps(TheirGame("m").map, Game("m").map)
phases = 0
for number in range(count):
    random.seed(f"{seed} {number}")
    phases += play(years)
print(json.dumps({"games": count, "phases": phases, "compared": compared, "differ": found, "examples": examples}))
