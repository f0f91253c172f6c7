"""Tests language models as players: contexts, parsing of answers, and games with models of a local test server."""

import contextlib
import http.server
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any, Dict, List, Optional, Set, cast

from lepanto import llm
from lepanto.diplomacy import Game

KEY = "sk-secret-of-the-test"
GUIDE = Path(__file__).parent.parent / "LANGUAGE-MODELS.md"


def played(phases: Any, seed: int = 1) -> Any:
    """Returns a game after a number of phases with random orders."""
    game, draw = Game(), random.Random(seed)
    while len(game.get_phase_history()) < phases:
        step(game, draw)
    return game


def step(game: Any, draw: Any) -> None:
    legal = game.get_all_possible_orders()
    builds = game.get_state()["builds"]
    for power, places in game.get_orderable_locations().items():
        due = abs(builds[power]["count"]) if game.phase_type == "A" else len(places)
        game.set_orders(power, [draw.choice(legal[place]) for place in draw.sample(places, min(due, len(places)))])
    game.process()


#: Units and centres of FRANCE in winters of answers.json.
WINTERS = {
    "builds": (["A BUR", "A SPA", "F MAO"], ["PAR", "BRE", "MAR", "SPA", "POR"]),
    "removals": (["A PAR", "F BRE", "A SPA", "F MAO"], ["PAR", "BRE"]),
}


def winter(units: List[str], centers: List[str]) -> Game:
    """Returns a game in the first winter at the initial position, except for the units and centres of FRANCE."""
    game = Game()
    game.set_current_phase("W1901A")
    game.set_units("FRANCE", units, reset=True)
    game.set_centers("FRANCE", centers, reset=True)
    return game


def until(kind: Any, seed: int = 1) -> Any:
    """Returns a random game in a phase of a kind: "A" in which powers build and remove, or "R"."""
    draw = random.Random(seed)
    while True:
        game = Game()
        for _ in range(60):
            due = [one["count"] for one in game.get_state()["builds"].values()] if game.phase_type == "A" else [1, -1]
            if game.phase_type == kind and min(due) < 0 < max(due):
                return game
            step(game, draw)


class Letters:
    """Tokenizer of single letters and some words."""

    eos_token_id = 0
    texts = ["", "\n", " ", "A PAR", "F ", " - ", " S A", "\nA ", "é", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ-/;"]
    vocab_size = len(texts)

    def decode(self, ids: Any) -> Any:
        return "".join(self.texts[token] for token in ids)


class Contexts(unittest.TestCase):
    def test_sections_stand_in_one_sequence_with_what_changes_last(self) -> None:
        game = played(9)
        contexts = {power: llm.context(game, power) for power in game.powers}
        for power, one in contexts.items():
            heads = re.findall(r"^# (\w+)$", one.text, re.M)
            self.assertEqual(
                heads, ["Rules", "Map", "Answer", "Power", "Past", "Messages", "Position", "Threats", "Orders"]
            )
            self.assertIn(f"You are {power}.", one.dynamic)
        self.assertEqual(len({one.static for one in contexts.values()}), 1)
        self.assertEqual(contexts["FRANCE"].static, llm.context(Game(), "FRANCE").static)
        # With the whole past, the context of a phase is a prefix of the next one.
        before = llm.context(game, "FRANCE", phases=None).text
        step(game, random.Random(1))
        after = llm.context(game, "FRANCE", phases=None).text
        self.assertTrue(after.startswith(before[: before.index("\n# Messages")]))
        self.assertEqual(after, llm.context(game.clone(), "FRANCE", phases=None).text)

    def test_text_and_json_have_each_legal_order_with_its_meaning(self) -> None:
        for game in (played(8), until("R"), until("A")):
            legal = game.get_all_possible_orders()
            for power, places in game.get_orderable_locations().items():
                one = llm.context(game, power)
                own = {order for place in places for order in legal[place]} - {"WAIVE"}
                told = [order for unit in one.json["units"] for order in unit["orders"]]
                self.assertEqual({order["order"] for order in told}, own)
                listed = one.text[one.text.index("# Orders") :]
                for order in told:
                    self.assertIn(f"\n{order['order']}: {order['meaning']}\n", listed)
                self.assertEqual(list(one.json), list(llm.context(Game(), "FRANCE").json))

    def test_says_what_is_near_and_what_threatens(self) -> None:
        game = Game()
        game.set_orders("GERMANY", ["A MUN - BUR"])
        game.set_orders("FRANCE", ["A PAR - BUR", "F BRE - MAO"])
        game.process()
        one = llm.context(game, "FRANCE")
        self.assertIn("A PAR - BUR fails (bounced with A MUN)", one.text)
        self.assertIn("A PAR: centres BEL 2 (nobody), ", one.text)
        self.assertIn("enemies A MUN 2 (GERMANY)", one.text)
        self.assertIn("none", one.text[one.text.index("# Threats") : one.text.index("# Orders")])
        game.set_orders("GERMANY", ["A MUN - BUR"])
        game.process()
        one = llm.context(game, "FRANCE")
        self.assertIn("PAR, centre of FRANCE, A PAR of FRANCE: A BUR of GERMANY can enter\n", one.text)
        self.assertIn("A PAR - BUR: move to Burgundy, A BUR of GERMANY\n", one.text)
        (threat,) = [one for one in one.json["threats"] if one["province"] == "PAR"]
        self.assertEqual(threat["units"], [{"power": "GERMANY", "unit": "A BUR"}])
        self.assertEqual(llm.context(game, "FRANCE", phases=1).text.count("A MUN - BUR"), 1)

    def test_messages_are_for_those_who_may_read_them(self) -> None:
        said = [
            {"phase": "S1901M", "round": 1, "sender": "FRANCE", "recipients": ["ENGLAND"], "text": "No fleet\nin ENG?"},
            {"phase": "S1901M", "round": 1, "sender": "ITALY", "recipients": ["GLOBAL"], "text": "Peace".encode()},
        ]
        texts = {power: llm.context(Game(), power, messages=said).text for power in ("FRANCE", "ENGLAND", "TURKEY")}
        line = 'S1901M round 1, FRANCE to ENGLAND: "No fleet\\nin ENG?"\n'
        self.assertEqual([line in text for text in texts.values()], [True, True, False])
        self.assertTrue(all('"Peace"' in text for text in texts.values()))
        game = Game()
        game.messages = said  # type: ignore[assignment]
        self.assertEqual(llm.context(game, "ENGLAND").text, texts["ENGLAND"])
        # The longest message that a game with press allows must not stop a player that reads it.
        longest = {**said[0], "text": "x" * 65_536}
        self.assertIn(longest["text"], llm.context(Game(), "ENGLAND", messages=[longest]).text)

    def test_refuses_what_is_wrong(self) -> None:
        def refused(words: Any, **given: Any) -> None:
            one = {"phase": "S1901M", "round": 1, "sender": "FRANCE", "recipients": ["ENGLAND"], "text": "x", **given}
            with self.assertRaisesRegex((TypeError, ValueError), words):
                llm.context(Game(), "FRANCE", messages=[one])

        refused("message 0, sender: got 'SPAIN', wanted one of AUSTRIA", sender="SPAIN")
        refused("message 0, recipients: got 'SPAIN', wanted some of", recipients=["SPAIN"])
        refused("message 0, text: got 1,000,000 characters, wanted at most 65,536", text="x" * 1_000_000)
        refused("message 0, text: got bytes that are no UTF-8 from byte 1 on", text=b"a\xff")
        refused("message 0, text: got half a surrogate pair at character 1", text="a\ud800")
        refused("message 0, text: got NoneType, wanted text", text=None)
        with self.assertRaisesRegex(ValueError, "power: got 'SPAIN', wanted one of AUSTRIA"):
            llm.context(Game(), "SPAIN")
        with self.assertRaisesRegex(ValueError, "answer: got 'x', wanted one of orders, thoughts, json"):
            llm.context(Game(), "FRANCE", answer="x")
        with self.assertRaisesRegex(ValueError, "phases: got -1, wanted a whole number from 0"):
            llm.context(Game(), "FRANCE", phases=-1)


class Answers(unittest.TestCase):
    def counts(self, text: Any, game: Any = None) -> Any:
        counts = llm.parse(text, game or Game(), "FRANCE").counts
        return [counts[name] for name in ("legal", "unmatched", "illegal", "missing")]

    def test_finds_orders_in_what_models_write(self) -> None:
        for text in (
            "A PAR - BUR\nA MAR S A PAR - BUR\nF BRE - MAO",
            "1. A PAR - BUR\n2) **A MAR S A PAR - BUR**\n* `F BRE -> MAO`",
            "FRANCE: A PAR - BUR, A MAR S A PAR - BUR; F BRE - MAO",
            "A PAR H would be weak.\nA MAR H too.\n\n**ORDERS:**\n"
            "army paris to burgundy\nA Marseilles S A PAR - BUR\nfleet Brest - MAO",
            '```json\n{"orders": {"A PAR": "A PAR - BUR", "A MAR": "A MAR S A PAR - BUR", '
            '"F BRE": "F BRE - MAO"}}\n```',
            '{"thoughts": [1], "orders": ["A PAR - BUR", "A MAR S A PAR - BUR", "F BRE - MAO"]} So be it.',
            '{"orders": {"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR", "F BRE - MAO"]}}',
        ):
            answer = llm.parse(text, Game(), "france")
            self.assertEqual(sorted(answer.orders), ["A MAR S A PAR - BUR", "A PAR - BUR", "F BRE - MAO"], text)
            self.assertEqual(self.counts(text), [3, 0, 0, 0], text)
            self.assertEqual(answer.share, 1)

    def test_each_order_has_its_verdict_and_reason(self) -> None:
        text = "A PAR - MOS\nA PAR - PIC\nA PAR - BUR\nA MAR S A PAR - BUR\nA MUN H"
        answer = llm.parse(text, Game(), "FRANCE")
        self.assertEqual(
            [one.verdict for one in answer.verdicts], ["illegal", "legal", "illegal", "unmatched", "illegal"]
        )
        reasons = [
            "A PAR does not border MOS",
            None,
            "already ordered",
            "order was A PAR - PIC",
            "A MUN belongs to GERMANY",
        ]
        self.assertEqual([one.reason for one in answer.verdicts], reasons)
        self.assertEqual((answer.orders, answer.missing), (["A PAR - PIC", "A MAR S A PAR - BUR"], ["F BRE"]))
        self.assertEqual(answer.counts, {"legal": 1, "unmatched": 1, "illegal": 3, "missing": 1})
        self.assertAlmostEqual(answer.share, 1 / 6)

    def test_nonsense_is_no_order(self) -> None:
        for text in (
            "",
            "I pass.",
            "A good plan is a plan.",
            "[" * 5000,
            '{"orders": 7}',
            "\0\ud7ff",
            "A" * 100_000,
            "{}" * 9999,
        ):
            self.assertEqual(self.counts(text), [0, 0, 0, 3], text[:20])
        self.assertLess(sum(self.counts("A PAR - BUR\n" * 5000)), 210)
        with self.assertRaisesRegex(ValueError, "answer: got 1,000,001 characters, wanted at most 200,000"):
            self.counts("x" * 1_000_001)
        with self.assertRaisesRegex(ValueError, "answer: got half a surrogate pair"):
            self.counts("A PAR \ud800")
        with self.assertRaisesRegex(TypeError, "answer: got NoneType, wanted text"):
            self.counts(None)

    def test_finds_each_order_of_a_table_of_answers(self) -> None:
        # For each answer: orders that count, number of illegal orders, units without an order, and orders that are only
        # mentioned.
        games = {"moves": Game(), **{name: winter(*one) for name, one in WINTERS.items()}}
        usual = {
            "moves": ["A PAR - BUR", "F BRE - MAO", "A MAR S A PAR - BUR"],
            "builds": ["A PAR B", "F BRE B"],
            "removals": ["A SPA D", "F MAO D"],
        }
        for row in json.loads((Path(__file__).parent / "answers.json").read_text("utf-8")):
            with self.subTest(row["about"]):
                phase = row.get("phase", "moves")
                answer = llm.parse(row["answer"], games[phase], "FRANCE")
                self.assertEqual(sorted(answer.orders), sorted(row.get("orders", usual[phase])))
                self.assertEqual(answer.counts["illegal"], row.get("illegal", 0))
                self.assertEqual(sorted(answer.missing), sorted(row.get("missing", [])))
                self.assertEqual({one.text for one in answer.mentioned}, set(row.get("mentioned", [])))
                self.assertTrue(all(one.reason and one.order is None for one in answer.mentioned))

    def test_answers_that_are_cut_joined_and_garbled_never_raise(self) -> None:
        rows = json.loads((Path(__file__).parent / "answers.json").read_text("utf-8"))
        draw, game = random.Random(4), Game()
        signs = "AFSHC -\n\"'{}[](),:;.#|*_<>/~`?!\\=\0\x7fé→\u200b"
        for _ in range(600):
            text = draw.choice(rows)["answer"]
            for _ in range(draw.randrange(1, 9)):
                at, other = draw.randrange(len(text) + 1), draw.choice(rows)["answer"]
                behind = text[at + draw.randrange(20) :]
                text = (
                    text[:at]
                    + draw.choice(["", draw.choice(signs) * 3, other[:40], chr(draw.randrange(32, 0x3000))])
                    + behind
                )
            answer = llm.parse(text, game, "FRANCE")
            self.assertEqual(len({order[2:5] for order in answer.orders}), len(answer.orders), text)
            self.assertEqual(len(answer.orders) + len(answer.missing), 3, text)

    def test_long_answers_take_no_longer_than_their_length(self) -> None:
        for words in ("A PAR ", "A PAR S ", "a ", "[", "=", "<think>", "orders:\n", "A PAR (", "Paris "):
            begun = time.perf_counter()
            self.assertLessEqual(sum(self.counts((words * 20_000)[:20_000])), 203)
            self.assertLess(time.perf_counter() - begun, 5, words)

    def test_builds_and_removals_are_found_in_lists_of_them(self) -> None:
        game = until("A")
        for power, state in game.get_state()["builds"].items():
            if not state["count"]:
                continue
            legal = game.get_all_possible_orders()
            places = game.get_orderable_locations(power)[: abs(state["count"])]
            units = [legal[place][0][:5] for place in places]
            verb = "Build" if state["count"] > 0 else "Remove"
            wanted = [f"{unit} {'B' if verb == 'Build' else 'D'}" for unit in units]
            for text in (
                f"{verb}: {', '.join(units)}",
                "\n".join(f"{verb} {unit}" for unit in units),
                json.dumps({f"{verb.lower()}s": units}),
                f"{verb} {' and '.join(units)}.",
                json.dumps([{"action": verb.lower(), "unit": unit} for unit in units]),
            ):
                self.assertEqual(llm.parse(text, game, power).orders, wanted, text)

    def test_winters_count_what_is_due(self) -> None:
        game = until("A")
        for power, state in game.get_state()["builds"].items():
            answer = llm.parse("", game, power)
            self.assertEqual(answer.counts["missing"], abs(state["count"]))
            self.assertEqual(
                set(answer.missing), {"build"} if state["count"] > 0 else {"removal"} if state["count"] else set()
            )


class Tries(unittest.TestCase):
    """Tests tries without other packages. test_llm_tokens.py tests them with real tokenizers."""

    def test_random_letters_make_legal_orders(self) -> None:
        draw, seen = random.Random(3), 0
        for game in (played(8), until("R"), until("A")):
            for power in game.powers:
                trie = llm.legal_trie(game, power, Letters())
                for _ in range(7):
                    node: Optional[llm.trie.Node] = trie.root
                    ids: List[Any] = []
                    while node is not None:
                        ids.append(draw.choice(trie.tokens_at(node)))
                        node = trie.step(node, ids[-1])
                    text = Letters().decode(ids)
                    counts = llm.parse(text, game, power).counts
                    self.assertEqual((counts["illegal"], counts["missing"]), (0, 0), text)
                    self.assertRegex(text, f"^(?:{trie.regex()})$")
                    seen += counts["legal"] + counts["unmatched"]
        self.assertGreater(seen, 40)

    def test_all_texts_of_a_small_answer_are_the_legal_ones(self) -> None:
        game = until("A")
        for power, state in game.get_state()["builds"].items():
            trie = llm.legal_trie(game, power, Letters(), separator="; ")
            found, open_ = set(), [("", trie.root)]
            while open_:
                text, node = open_.pop()
                for token in trie.tokens_at(node):
                    behind = trie.step(node, token)
                    if behind is None:
                        found.add(text)
                    else:
                        open_.append((text + Letters.texts[token], behind))
            due = state["count"]
            for text in found:
                orders = [one for one in text.split("; ") if one]
                self.assertEqual(len(orders), abs(due))
                answer = llm.parse(text, game, power)
                self.assertEqual((answer.counts["illegal"], answer.missing), (0, []))
            sets = {frozenset(text.split("; ")) for text in found}
            self.assertEqual(len(sets), len(found), "each set of orders has one text")
            # Counts the sets that the schema allows.
            orders = trie.json_schema()["properties"]["orders"]
            ways = 0
            for one in orders.get("anyOf", [orders]):
                product = 1
                for field in one["properties"].values():
                    product *= len(field["enum"])
                ways += product
            self.assertEqual(len(found), ways)

    def test_a_tokenizer_without_some_words_comes_to_no_dead_end(self) -> None:
        class Words(Letters):
            texts = [
                "",
                "\n",
                "A",
                "F",
                " H",
                " -",
                " ANK",
                " CON",
                " SMY",
                " BLA",
                " AEG",
                " ARM",
                " S",
                " A",
                " F",
                " BUL/E",
                "C",
                "W",
            ]
            vocab_size = len(texts)

        game, draw = Game(), random.Random(2)
        trie = llm.legal_trie(game, "TURKEY", Words())
        found: Set[Any] = set()
        for _ in range(300):
            node: Optional[llm.trie.Node] = trie.root
            ids: List[Any] = []
            while node is not None:
                ids.append(draw.choice(trie.tokens_at(node)))
                node = trie.step(node, ids[-1])
            answer = llm.parse(Words().decode(ids), game, "TURKEY")
            self.assertEqual((answer.counts["illegal"], answer.missing), (0, []))
            found.update(answer.orders)
        self.assertIn("F ANK - BLA", found)
        self.assertNotIn("A CON - BUL", found)

    def test_refuses_what_cannot_write_orders(self) -> None:
        class Small(Letters):
            texts = ["", *"abcdefg"]
            vocab_size = 8

        with self.assertRaisesRegex(ValueError, "tokenizer: got one that cannot write 'F BRE H'"):
            llm.legal_trie(Game(), "FRANCE", Small())
        Small.eos_token_id = None  # type: ignore[assignment]
        with self.assertRaisesRegex(ValueError, "got one without eos_token_id, wanted eos"):
            llm.legal_trie(Game(), "FRANCE", Small())
        with self.assertRaisesRegex(ValueError, "separator: got '', wanted characters"):
            llm.legal_trie(Game(), "FRANCE", Letters(), separator="")
        trie = llm.legal_trie(Game(), "FRANCE", Letters())
        with self.assertRaisesRegex(ValueError, "token: got 8, wanted one of"):
            trie.step(trie.root, 8)


class Training(unittest.TestCase):
    def test_forks_and_resumed_games_have_the_same_bytes(self) -> None:
        game = played(12)
        saved = game.to_json()
        for phase in [one["name"] for one in game.get_phase_history()] + [game.get_current_phase()]:
            first, second = llm.fork(game, 2, phase)
            third = llm.resume(saved, phase)
            self.assertEqual([one.get_current_phase() for one in (first, second, third)], [phase] * 3)
            self.assertEqual(first._bytes, second._bytes)
            self.assertEqual(first._bytes, third._bytes)
            self.assertEqual(llm.context(first, "FRANCE").text, llm.context(third, "FRANCE").text)
            for one in (first, second, third):
                step(one, random.Random(5))
            self.assertEqual(first._bytes, second._bytes)
            self.assertEqual(first._bytes, third._bytes)
        with self.assertRaisesRegex(ValueError, "phase: got 'S1800M', wanted one of S1901M"):
            llm.fork(game, 1, "S1800M")
        with self.assertRaisesRegex(ValueError, "phase: got 'S1800M', wanted one of S1901M"):
            llm.resume(saved, "S1800M")
        with self.assertRaisesRegex(ValueError, "n: got -1, wanted 0 to"):
            llm.fork(game, -1)

    def test_rewards(self) -> None:
        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR", "F BRE - MAO", "A MAR S A PAR - GAS"])
        game.set_orders("GERMANY", ["A MUN - BUR"])
        game.process()
        reward = llm.rewards(game, "FRANCE")
        self.assertEqual(dict(reward.orders), {"A PAR - BUR": 0, "F BRE - MAO": 1, "A MAR S A PAR - GAS": -1})
        self.assertEqual(reward.phase, 0)
        game.set_orders("FRANCE", ["F MAO - POR", "A MAR - SPA"])
        game.process()
        self.assertEqual(llm.rewards(game, "FRANCE").phase, 2)
        self.assertEqual(llm.rewards(game, "FRANCE", "S1901M").phase, 0)
        self.assertEqual(llm.rewards(game, "FRANCE", results={"succeeds": 5.0}).orders[0][1] % 5, 0)
        self.assertEqual(llm.rewards(game, "FRANCE", score="sum_of_centers").game, 5 / 24)
        with self.assertRaisesRegex(ValueError, "phase: got None, wanted one that was played: none was"):
            llm.rewards(Game(), "FRANCE")


class Stub(http.server.ThreadingHTTPServer):
    """Test server of models. The name of a model determines its answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.lock = threading.Lock()
        self.requests: List[Any] = []
        self.keys: Set[Any] = set()
        self.now, self.most = 0, 0
        self.changed = threading.Condition(self.lock)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


#: Invalid responses of a server, keyed by name: the first bytes, and the bytes that follow every 50 ms.
RAW = {
    "error cut in a chunk": (b"HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", b""),
    "error cut by its length": (b"HTTP/1.1 502 X\r\nContent-Length: 1000\r\n\r\nabc", b""),
    "head": (b"HTTP/1.1 200 X\r\nX: ", b"a"),
    "status": (b"HTTP/1.1 ", b"2"),
    "size of a chunk": (b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    "trailers": (b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
    "body": (b"HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n", b" "),
    "body of an error": (b"HTTP/1.1 500 X\r\nContent-Length: 1000\r\n\r\n", b" "),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        server: Any = self.server
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append(request)
            server.keys.add(self.headers.get("Authorization"))
            server.now += 1
            server.most = max(server.most, server.now)
            count = len(server.requests)
        self.answer(request, request["model"], count)

    def answer(self, request: Any, model: Any, count: Any) -> Any:
        if model.startswith("together ") and "(S1901M)" in request["messages"][-1]["content"]:
            # Answers only when this number of requests is waiting.
            server: Any = self.server
            changed = server.changed
            with changed:
                changed.notify_all()
                changed.wait_for(lambda: server.most >= int(model[9:]), 30)
        if model == "busy" and count % 3:
            return self.send(
                429 if count % 3 == 1 else 503, {"error": "later"}, {"Retry-After": "7"} if count % 3 == 1 else {}
            )
        if model == "closed":
            return self.send(401, {"error": f"no such key: {self.headers.get('Authorization')}"})
        if model == "long":
            return self.send(400, "x" * 190 + KEY + "\x1b[2J")
        if model == "moved":
            return self.send(307, {}, {"Location": "http://127.0.0.1:9/v1/chat/completions"})
        if model == "slow":
            time.sleep(0.4)
        if model == "drip":
            self.send_response(200)
            self.end_headers()
            for _ in range(100):
                self.wfile.write(b" ")
                time.sleep(0.05)
            return None
        if model == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices"')
            return None
        if model.startswith("raw ") and count <= int(model.split(" ")[1]):
            # Sends an invalid response, then further bytes slowly.
            begin, again = RAW[model.split(" ", 2)[2]]
            with contextlib.suppress(OSError):
                self.wfile.write(begin)
                for _ in range(100 if again else 0):
                    self.wfile.write(again)
                    time.sleep(0.05)
            self.close_connection = True
            return None
        if model == "html":
            return self.send(200, "<html>" + KEY)
        if model == "null":
            return self.send(200, {"choices": [{"message": {"content": None}}], "usage": {"prompt_tokens": "many"}})
        text = (
            "I would rather not.\nA PAR - MOS"
            if model == "nonsense"
            else first_orders(request["messages"][-1]["content"])
        )
        if model == "echo":
            text += f"\nMy key is {self.headers.get('Authorization')}"
        prompt = sum(len(one["content"]) for one in request["messages"]) // 4
        usage = {"prompt_tokens": prompt, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 100}}
        return self.send(200, {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage})

    def send(self, status: Any, body: Any, headers: Any = ()) -> None:
        server: Any = self.server
        with server.lock:
            # Counts down before the client receives the answer.
            server.now -= 1
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def first_orders(prompt: Any) -> Any:
    """Returns the second order of each unit in a prompt, which is mostly a move."""
    listed = prompt[prompt.index("# Orders") :].split("\n")[1:]
    by_unit: Dict[Any, Any] = {}
    for line in listed:
        order = line.split(":")[0]
        if re.match(r"[AF] \S+ .", order):
            by_unit.setdefault(" ".join(order.split(" ")[:2]), []).append(order)
    return "\n".join((orders + orders)[1] for orders in by_unit.values())


class Servers(unittest.TestCase):
    old: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.old = {name: os.environ.get(name) for name in ("OPENAI_API_KEY", "NO_PROXY")}
        os.environ.update(OPENAI_API_KEY=KEY, NO_PROXY="127.0.0.1")

    @classmethod
    def tearDownClass(cls) -> None:
        for name, value in cls.old.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value

    def setUp(self) -> None:
        self.stub = Stub()
        self.addCleanup(self.stub.server_close)
        self.addCleanup(self.stub.shutdown)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.waits: List[Any] = []

    def model(self, name: Any, retries: int = 4, **options: Any) -> Any:
        own = {key: options.pop(key) for key in ("timeout", "concurrency", "price") if key in options}
        endpoint = llm.Endpoint(name, self.stub.url, retries=retries, **own)
        endpoint._sleep = self.waits.append
        return llm.LanguageModel(endpoint, transcript=self.place / "transcript.jsonl", **options)

    def transcript(self) -> Any:
        return [json.loads(line) for line in (self.place / "transcript.jsonl").read_text("utf-8").splitlines()]

    def test_seven_at_a_table_with_a_record_that_goes_on(self) -> None:
        record = self.place / "game.json"
        model = self.model("together 3", concurrency=3, price=(2.0, 10.0))
        first = llm.play(model, 1901, record=record)
        self.assertEqual(first.game.get_current_phase(), "S1902M")
        self.assertEqual(self.stub.most, 3)
        self.assertEqual(self.stub.keys, {f"Bearer {KEY}"})
        saved = json.loads(record.read_text("utf-8"))
        one = saved["usage"]["S1901M"]["FRANCE"]
        self.assertEqual(
            (one["model"], one["legal"], one["missing"], one["tokens_out"], one["tries"]), ("together 3", 3, 0, 10, 1)
        )
        self.assertEqual(one["cost"], (one["tokens_in"] * 2 + 100) / 1e6)
        self.assertEqual(one["tokens_cached"], 100)
        asked = len(self.stub.requests)
        # What was played is not asked again, and the game goes on from the same bytes.
        second = llm.play(model, 1902, record=record)
        self.assertEqual(second.game.get_current_phase(), "S1903M")
        self.assertEqual(second.game.get_phase_history()[0]["orders"], first.game.get_phase_history()[0]["orders"])
        whole = llm.play(self.model("good"), 1902)
        self.assertEqual(whole.game._bytes, second.game._bytes)
        self.assertEqual(len(self.transcript()), len(self.stub.requests))
        self.assertLess(asked, len(self.stub.requests))
        total = second.total()["together 3"]
        self.assertEqual(total["tokens_out"], 10 * sum(len(powers) for powers in second.usage.values()))
        self.assertIsNotNone(Game.from_json(json.dumps(second.record())))
        # Requests to several models are sent at the same time.
        self.stub.most = 0
        llm.play({power: self.model("together 7") for power in whole.game.powers}, 1901)
        self.assertEqual(self.stub.most, 7)
        record.write_text("[]")
        with self.assertRaisesRegex(ValueError, "which is no record of a table"):
            llm.play(model, 1902, record=record)
        with self.assertRaisesRegex(ValueError, "players: got 'SPAIN', wanted powers of AUSTRIA"):
            llm.play({"SPAIN": model})

    def test_busy_servers_are_asked_again(self) -> None:
        llm.play({"FRANCE": self.model("busy")}, 1901)
        self.assertEqual(set(self.waits), {7.0, 2.0}, "what the server says, else twice as long each time")
        self.assertTrue(all(line["tries"] == 3 and line["answer"] for line in self.transcript()))

    def test_no_answer_is_no_orders(self) -> None:
        for name, words, more in (
            ("slow", "timed out", {"timeout": 0.1}),
            ("drip", "(no whole answer in 0.5 seconds|timed out)", {"timeout": 0.5}),
            ("cut", "choices", {}),
            ("html", "'<html>\\[key\\]'", {}),
        ):
            model = self.model(name, 1, **more)
            (choice,) = model.choose([(Game(), "FRANCE", llm.context(Game(), "FRANCE"))])
            self.assertIsNone(choice.reply)
            self.assertRegex(choice.error, f"chat/completions: got .*{words}.*, wanted an answer \\(2 tries\\)")
            self.assertEqual((choice.answer.orders, choice.usage["missing"]), ([], 3))
            self.assertEqual(model.total["unanswered"], 1)
            self.assertEqual(self.transcript()[-1]["answer"], None)

    def test_an_outage_is_counted_and_said_once(self) -> None:
        with self.assertWarnsRegex(UserWarning, "^cut: no answer to any of its 2 choices, its units hold: ") as seen:
            played = llm.play(dict.fromkeys(("FRANCE", "ITALY"), self.model("cut", 1)), 1901)
        self.assertEqual(len(seen.warnings), 1)
        total = played.total()["cut"]
        self.assertEqual((total["choices"], total["unanswered"], total["tries"], total["cost"]), (4, 4, 8, 0))
        self.assertEqual((total["tokens_in"], total["seconds"] > 0), (0, True))
        self.assertEqual(self.transcript()[-1]["tries"], 2)

    def test_wrong_arguments_are_named_before_anything_is_sent(self) -> None:
        record = self.place / "cut.json"
        record.write_text('{"usage": {')
        model, game = self.model("good"), Game()
        for call, words in (
            (lambda: llm.play(cast(Any, "dumbbot")), "players: got 'dumbbot'.*, wanted a lepanto.llm.LanguageModel"),
            (lambda: llm.play(model, record=record), "record: got .*cut.json, which is no whole JSON"),
            (lambda: llm.resume({}), "saved: got dict without phases, wanted a game"),
            (
                lambda: llm.parse(cast(Any, game), cast(Any, "A PAR H"), "FRANCE"),
                "text: got .*, wanted text; parse\\(text, game, power\\)",
            ),
            (
                lambda: llm.parse("A PAR H", cast(Any, "FRANCE"), cast(Any, game)),
                "game: got 'FRANCE', wanted a lepanto.diplomacy.Game",
            ),
            (lambda: llm.Endpoint("m", self.stub.url, price=cast(Any, 1.0)), "price: got 1.0, wanted two numbers"),
            (lambda: model.endpoint.chat("hi"), "messages: got 'hi', wanted a list such as"),
        ):
            with self.subTest(words), self.assertRaisesRegex((TypeError, ValueError), words):
                call()
        self.assertEqual(self.stub.requests, [])

    def test_an_error_whose_body_is_cut_is_one_try(self) -> None:
        for name in ("error cut in a chunk", "error cut by its length"):
            self.stub.requests.clear()
            (choice,) = self.model(f"raw 2 {name}").choose([(Game(), "FRANCE", llm.context(Game(), "FRANCE"))])
            self.assertIsNone(choice.error)
            self.assertEqual((choice.reply.tries, choice.usage["legal"]), (3, 3))

    def test_no_try_takes_longer_than_its_timeout(self) -> None:
        names = [name for name, (_, again) in RAW.items() if again]
        models = [self.model(f"raw 99 {name}", 0, timeout=0.4) for name in names]
        for model in models:
            model.transcript = None
        begun = time.perf_counter()
        asked = [(Game(), "FRANCE", llm.context(Game(), "FRANCE"))]
        requests = [model.begin(asked)[0] for model in models]
        for name, request in zip(names, requests):
            reply, error = request.reply.result()
            self.assertIsNone(reply, name)
            self.assertRegex(str(error), "timed out|got status 500", name)
        self.assertLess(time.perf_counter() - begun, 3)

    def test_replies_of_an_interrupted_phase_are_kept(self) -> None:
        class Interrupted(llm.LanguageModel):
            def _note(self, choice: Any, game: Any) -> None:
                super()._note(choice, game)
                if self.total["choices"] == 2:
                    raise KeyboardInterrupt

        record = self.place / "game.json"
        model = self.model("slow", concurrency=1)
        model.__class__ = Interrupted
        with self.assertRaises(KeyboardInterrupt):
            llm.play(model, 1901, record=record)
        paid = len(self.stub.requests)
        self.assertLess(paid, 7, "requests that were not sent are cancelled")
        saved = json.loads(record.read_text("utf-8"))
        self.assertEqual((saved["replies"]["phase"], len(saved["replies"]["powers"])), ("S1901M", paid))
        self.assertEqual(len(self.transcript()), paid)
        played = llm.play(self.model("slow"), 1901, record=record)
        asked = [(line["phase"], line["power"]) for line in self.transcript()]
        self.assertEqual(len(asked), len(set(asked)), "nobody is asked twice")
        self.assertEqual(len(asked), len(self.stub.requests))
        for name in ("tokens_in", "tokens_out", "cost"):
            self.assertEqual(sum(line[name] for line in self.transcript()), played.total()["slow"][name])
        self.assertNotIn("replies", json.loads(record.read_text("utf-8")))
        # The same if the server refuses a later request of the phase.
        record.unlink()
        refused = self.model("good", concurrency=1)
        chat = refused.endpoint.chat
        calls = []

        def chat_or_refuse(*given: Any, **more: Any) -> Any:
            calls.append(1)
            if len(calls) > 3:
                raise llm.Refused("got a key that is no longer taken")
            return chat(*given, **more)

        refused.endpoint.chat = chat_or_refuse
        with self.assertRaises(llm.Refused):
            llm.play(refused, 1901, record=record)
        self.assertEqual(len(json.loads(record.read_text("utf-8"))["replies"]["powers"]), 3)

    def test_nonsense_is_judged(self) -> None:
        for name, counts in (("nonsense", [0, 0, 1, 3]), ("null", [0, 0, 0, 3])):
            model = self.model(name)
            (choice,) = model.choose([(Game(), "FRANCE", llm.context(Game(), "FRANCE"))])
            self.assertEqual([choice.usage[key] for key in ("legal", "unmatched", "illegal", "missing")], counts)
        self.assertEqual(self.transcript()[0]["verdicts"][0]["reason"], "A PAR does not border MOS")

    def test_wrong_keys_end_at_once_and_no_text_has_a_key(self) -> None:
        for name in ("closed", "moved"):
            with self.assertRaises(llm.Refused) as caught:
                llm.play(self.model(name), 1901)
            self.assertRegex(str(caught.exception), r"got status (401: .*\[key\].*|307.*), wanted 200")
            self.assertNotIn(KEY, str(caught.exception))
        self.assertEqual(self.waits, [])
        record = self.place / "game.json"
        llm.play({"FRANCE": self.model("echo")}, 1901, record=record)
        texts = record.read_text("utf-8") + (self.place / "transcript.jsonl").read_text("utf-8")
        self.assertIn("[key]", texts)
        self.assertNotIn(KEY, texts)
        self.assertNotIn(KEY, repr(self.model("echo").endpoint))
        # A truncated error message contains no part of a key.
        with self.assertRaises(llm.Refused) as caught:
            llm.play(self.model("long"), 1901)
        self.assertNotIn(KEY[:6], str(caught.exception))
        with unittest.mock.patch.dict(os.environ, {"OPENAI_API_KEY": f"{KEY}\nX: y"}):
            with self.assertRaisesRegex(
                llm.Refused, "OPENAI_API_KEY: got a key with spaces or letters beyond ASCII"
            ) as caught:
                llm.play(self.model("good"), 1901)
            self.assertNotIn(KEY, str(caught.exception))
        for url in ("ftp://x/v1", "http://me:pass@x/v1", "http://x/v1?key=pass", "x"):
            with self.assertRaisesRegex(ValueError, "base_url: got") as wrong:
                llm.Endpoint("m", url)
            self.assertNotIn("pass", str(wrong.exception))

    def test_legal_answers_go_along_for_servers_that_know_them(self) -> None:
        game = Game()
        for constrain, field in (
            ("json", "response_format"),
            ("regex", "structured_outputs"),
            ("gbnf", "grammar"),
            ("none", "seed"),
        ):
            model = self.model("good", constrain=constrain, options={"temperature": 0.5})
            model.choose([(game, "FRANCE", llm.context(game, "FRANCE", answer=model.answer))], seed=-1)
            request = self.stub.requests[-1]
            self.assertIn(field, request)
            self.assertEqual((request["temperature"], request["seed"]), (0.5, 0x7FFFFFFF))
        with self.assertRaisesRegex(ValueError, "constrain: got 'x', wanted one of none, json, regex, gbnf"):
            self.model("good", constrain="x")

    def test_talks_where_there_is_press(self) -> None:
        from lepanto.bot import Position

        said = '[{"recipients": ["GERMANY"], "text": "Peace?"}, {"recipients": ["GLOBAL"], "text": "Hello"}]'
        example = '[{"recipients": ["ITALY"], "text": "as an example"}]'
        for answer, wanted in (
            (f"Well: {said}", 2),
            ("[]", 0),
            ("no", 0),
            ('[{"recipients": ["SPAIN"], "text": "x"}]', 0),
            (f"<think>like {example} [or so]</think>{said}", 2),
            (f"I [ENGLAND] thought of {example}, but no: {said} [the end]", 2),
            (f'```json\n{{"messages": {said}}}\n```', 2),
            ('{"recipients": ["GERMANY"], "text": "Peace?"}', 1),
            ("[" * 3000, 0),
        ):
            model = self.model("good", talk=True)
            model.endpoint.chat = lambda chat, text=answer, **_: llm.Reply(text, 5, 5, 0, 0.1, 0.0, 1)
            game = Game()
            position = Position(
                "1", game.get_current_phase(), ["FRANCE"], game.get_units(), game.get_centers(), {}, {}, {}, 1
            )
            with redirect_stderr(StringIO()) as told:
                (messages,) = model.talk([position])
            self.assertEqual(len(messages), wanted, answer)
            self.assertEqual("messages are not sent" in told.getvalue(), "SPAIN" in answer)
            self.assertEqual(model.cost, 10)
        self.assertEqual(model.wants, ("history", "messages"))

    def arena(self, *arguments: Any) -> Any:
        command = [sys.executable, "-m", "lepanto", *arguments, "--quiet"]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.place)

    def test_plays_in_the_arena_with_what_it_took_in_the_table(self) -> None:
        bot = f"exec:{sys.executable} -m lepanto llm-bot --model good --base-url {self.stub.url} --transcript t.jsonl"
        options = ["--preset", "language-model", "--games", "2", "--until", "1901", "--json"]
        done = self.arena("arena", *options, "--agents", f"{bot},dumbbot")
        self.assertEqual(done.returncode, 0, done.stderr)
        (use,) = [one for one in json.loads(done.stdout)["bots"] if one["agent"].startswith("exec:")]
        lines = [json.loads(line) for line in (self.place / "t.jsonl").read_text("utf-8").splitlines()]
        self.assertEqual((use["name"], use["unit"], use["requests"], use["refused"]), ("good", "tokens", len(lines), 0))
        self.assertEqual(use["cost"], sum(line["tokens_in"] + line["tokens_out"] for line in lines))
        self.assertEqual(use["tokens"], use["cost"])
        # One bot in all seats sends its requests at the same time.
        bot = f"exec:{sys.executable} -m lepanto llm-bot --model 'together 7' --base-url {self.stub.url}"
        done = self.arena(
            "selfplay", "--agents", bot, "--games", "1", "--until", "1901", "--out", "run", "--workers", "1"
        )
        self.assertEqual((done.returncode, self.stub.most), (0, 7), done.stderr)

    def test_the_guide(self) -> None:
        text = GUIDE.read_text("utf-8").replace("http://127.0.0.1:8000/v1", self.stub.url)
        names: Dict[Any, Any] = {}
        here = os.getcwd()
        os.chdir(self.place)
        self.addCleanup(os.chdir, here)
        for code in re.findall(r"```python\n((?!import ).*?)```", text, re.S):
            exec(compile(code, GUIDE.name, "exec"), names)
        self.assertIn('"Leave BUR?"', names["prompt"])
        answer = names["answer"]
        self.assertEqual((answer.orders, answer.missing), (["A PAR - BUR"], ["F MAO", "A MAR"]))
        self.assertEqual(answer.counts, {"legal": 1, "unmatched": 0, "illegal": 1, "missing": 2})
        self.assertEqual(answer.verdicts[1].reason, "a fleet cannot enter MOS")
        self.assertEqual((names["reward"].orders[0], names["reward"].phase), (("A PAR - BUR", 1.0), 0))
        self.assertEqual(
            (names["again"].get_current_phase(), names["played"].game.get_current_phase()), ("S1901M", "S1902M")
        )
        self.assertGreater(names["played"].total()["NAME"]["cost"], 0)
        (command,) = re.findall(r"```sh\n(lepanto arena.*)\n```", text)
        script = self.place / "lepanto"
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m lepanto "$@"\n')
        script.chmod(0o755)
        done = subprocess.run(
            ["sh", "-c", f"{command} --games 2 --until 1901 --quiet"],
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": f"{self.place}{os.pathsep}{os.environ['PATH']}"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout, r"(?m)^bot +choices +no answer +orders +legal +cost +tokens +mean time +slowest\nNAME "
        )

    def test_the_command_says_what_is_wrong(self) -> None:
        from lepanto.llm.__main__ import main

        for arguments, words in (
            (["--model", "x", "--base-url", "y"], "base_url: got 'y', wanted http://HOST/v1"),
            (["--model", "x", "--base-url", self.stub.url, "--retries", "-1"], "retries: got -1, wanted 0 to 100"),
            (
                ["--model", "x", "--base-url", self.stub.url, "--transcript", str(self.place / "no" / "t")],
                "No such file",
            ),
        ):
            said = StringIO()
            with redirect_stderr(said):
                self.assertEqual(main(arguments), 1)
            self.assertIn(words, said.getvalue())


if __name__ == "__main__":
    unittest.main()
