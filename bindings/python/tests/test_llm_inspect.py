"""Tests the task of inspect_ai with whole evaluations of a mock model."""

import re
import tempfile
import unittest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, List

import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from lepanto import llm
from lepanto.diplomacy import Game
from lepanto.llm.inspect_task import diplomacy

BY_HEART = {
    "S1901M": "F BRE - MAO\nA MAR - SPA\nA PAR - BUR",
    "F1901M": "F MAO - POR\nA SPA H\nA BUR - BEL",
    "W1901A": "build F BRE\nbuild A PAR\nbuild A MAR",
}


def mock(answer: Any, prompts: Any) -> Any:
    """Returns a model that answers prompts by a function, and appends them to `prompts`."""

    def answered(messages: Any, *_: Any) -> Any:
        prompts.append([message.text for message in messages])
        output = ModelOutput.from_content("mockllm/model", answer(prompts[-1][-1]))
        # Without usage, inspect_ai downloads a tokenizer to count tokens.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answered)


class InspectAI(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name

    def evaluated(self, task: Any, answer: Any, **options: Any) -> Any:
        """Runs an evaluation. Returns its log and its prompts."""
        prompts: List[Any] = []
        (log,) = inspect_ai.eval(task, model=mock(answer, prompts), log_dir=self.place, display="none", **options)
        self.assertEqual(log.status, "success", log.error and log.error.message)
        return log, prompts

    def test_a_whole_game(self) -> None:
        task = diplomacy(powers=["france"], until=1901)
        log, prompts = self.evaluated(task, lambda prompt: BY_HEART[re.findall(r"\((\w\d+\w)\)\n", prompt)[0]])
        self.assertEqual(prompts[0], [one["content"] for one in llm.context(Game(), "FRANCE").chat])
        self.assertEqual([len(prompts), {len(prompt) for prompt in prompts}], [3, {2}])
        (sample,) = log.samples
        (score,) = sample.scores.values()
        self.assertEqual((sample.id, score.metadata), ("0 FRANCE", {"power": "FRANCE"}))
        self.assertEqual(score.value, {"legal": 1.0, "orders": 8 / 9, "centres": 3.0, "game": 36 / (36 + 5 * 9 + 16)})
        self.assertEqual([one.metrics["mean"].value for one in log.results.scores], list(score.value.values()))

    def test_positions_and_answers_of_no_use(self) -> None:
        game = Game()
        game.set_orders("FRANCE", BY_HEART["S1901M"].split("\n"))
        game.process()
        asked = []

        def others(at: Any, power: Any) -> Any:
            asked.append((at.get_current_phase(), power))
            return ["A MUN - BUR"] if power == "GERMANY" else []

        task = diplomacy([game.to_saved_game_format()], turns=1, others=others)
        answers = {"FRANCE": "A\ud800\nF MAO - MOS", "ITALY": "A" * 300_000}
        log, prompts = self.evaluated(
            task, lambda prompt: answers.get(re.findall(r"You are (\w+)", prompt)[0], "A MUN - BUR")
        )
        scores = {sample.metadata["power"]: next(iter(sample.scores.values())).value for sample in log.samples}
        self.assertEqual((list(scores), len(prompts)), (list(game.powers), 7))
        self.assertEqual([scores[power]["legal"] for power in ("FRANCE", "GERMANY", "ITALY")], [0, 1 / 3, 0])
        self.assertIn(("F1901M", "TURKEY"), asked)
        with self.assertRaisesRegex(ValueError, "power: got 'SPAIN', wanted one of AUSTRIA"):
            diplomacy(powers=["SPAIN"])

    def test_a_limit_ends_a_sample(self) -> None:
        log, prompts = self.evaluated(diplomacy(powers=["FRANCE"]), lambda prompt: BY_HEART["S1901M"], token_limit=5)
        (sample,) = log.samples
        self.assertEqual((sample.limit.type, len(prompts)), ("token", 3))
        scores = next(iter(sample.scores.values())).value
        # Later the three orders name provinces without units: three are illegal, three are missing.
        self.assertEqual((scores["legal"], scores["centres"]), (3 / 9, 1))

    def test_the_example(self) -> None:
        text = (Path(__file__).parent.parent / "LANGUAGE-MODELS.md").read_text("utf-8")
        (code,) = re.findall(r"```python\n(import inspect_ai.*?)```", text, re.S)
        names = {"mock": mock(lambda prompt: "", [])}
        code = code.replace('"openai/NAME"', f'mock, log_dir={self.place!r}, display="none"')
        with redirect_stdout(StringIO()) as printed:
            exec(compile(code, "LANGUAGE-MODELS.md", "exec"), names)
        self.assertEqual(names["log"].status, "success")
        self.assertIn("{'legal': 0.0, 'orders': 0.0, 'centres': 0.0, 'game': ", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
