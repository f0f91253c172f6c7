"""Reads Lepanto's files with the PyPI package `diplomacy`, and writes files with it. Run by package-diplomacy.slow.test.ts.

    package-diplomacy.py check FILE              one JSON object: the package's verdict on the saved games in FILE
    package-diplomacy.py again FILE OUT          the saved games in FILE, loaded and written again to OUT
    package-diplomacy.py play MAP GAMES YEARS SEED OUT    random play, written to OUT
"""
import json
import random
import sys

from diplomacy import Game
from diplomacy.utils.export import is_valid_saved_game, load_saved_games_from_disk, to_saved_game_format
from diplomacy.utils.game_phase_data import GamePhaseData

RULES = ["NO_PRESS", "IGNORE_ERRORS", "POWER_CHOICE"]


def words_of(saved, phase):
    """Its own words for the orders of a phase."""
    game = Game(saved["id"], map_name=saved["map"], rules=["SOLITAIRE"] + saved["rules"])
    game.set_phase_data(GamePhaseData.from_dict(phase))
    game.clear_orders()
    for power, orders in phase["orders"].items():
        game.set_orders(power, orders)
    return {unit: [str(word) for word in words] for unit, words in game.process().results.items()}


def check(path):
    found = {"loaded": len(load_saved_games_from_disk(path)), "valid": 0, "ends": [], "units": 0, "differ": {}}
    for line in open(path, encoding="utf8"):
        saved = json.loads(line)
        found["valid"] += is_valid_saved_game(saved)
        found["ends"].append(saved["phases"][-1]["name"])
        for phase in saved["phases"][:-1]:
            if phase["name"][-1] == "R":
                continue  # a position that is loaded has nothing dislodged for it, and so no word for them
            theirs = words_of(saved, phase)
            for unit, words in phase["results"].items():
                found["units"] += 1
                if sorted(theirs.get(unit, ["?"])) == sorted(words):
                    continue
                order = [o for orders in phase["orders"].values() for o in orders if o.startswith(unit + " ")]
                kind = order[0].split()[2] if order else "?"
                key = f"{kind}: theirs {theirs.get(unit)}, ours {words}"
                found["differ"][key] = found["differ"].get(key, 0) + 1
    print(json.dumps(found))


def choose(orders):
    """Rather a convoy or a support than anything else: they are what can differ."""
    convoys = [o for o in orders if " VIA" in o or " C " in o]
    supports = [o for o in orders if " S " in o]
    kind = random.random()
    if convoys and kind < 0.3:
        return random.choice(convoys)
    return random.choice(supports if supports and kind > 0.7 else orders)


def play(map_name, games, years, seed, out):
    random.seed(seed)
    for number in range(games):
        game = Game(map_name=map_name, rules=RULES)
        first = int(game.get_current_phase()[1:-1])
        while not game.is_game_done and int(game.get_current_phase()[1:-1]) < first + years:
            possible = game.get_all_possible_orders()
            for power, locations in game.get_orderable_locations().items():
                if random.random() < 0.1:
                    continue  # civil disorder
                game.set_orders(power, [choose(sorted(possible[at])) for at in locations if possible[at]])
            game.process()
        if number % 5 == 4 and not game.is_game_done:
            game.draw()
        to_saved_game_format(game, output_path=out)


if sys.argv[1] == "check":
    check(sys.argv[2])
elif sys.argv[1] == "again":
    for loaded in load_saved_games_from_disk(sys.argv[2]):
        to_saved_game_format(loaded, output_path=sys.argv[3])
else:
    play(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
