"""Results of orders, with the words and codes of the package `diplomacy`."""

from __future__ import annotations

from typing import Any, Dict


class OrderResult(str):
    """Result of an order: a text, such as "bounce", with its code in the package `diplomacy`."""

    code: int

    def __new__(cls, code: int, message: str) -> "OrderResult":
        made = super().__new__(cls, message)
        made.code = code
        return made

    @property
    def message(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"{self.code}:{self}"

    def __reduce__(self) -> Any:
        return OrderResult, (self.code, str(self))


OK = OrderResult(0, "")
NO_CONVOY = OrderResult(10001, "no convoy")
BOUNCE = OrderResult(10002, "bounce")
VOID = OrderResult(10003, "void")
CUT = OrderResult(10004, "cut")
DISLODGED = OrderResult(10005, "dislodged")
DISRUPTED = OrderResult(10006, "disrupted")
DISBAND = OrderResult(10007, "disband")
MAYBE = OrderResult(10008, "maybe")

#: Known results of orders, keyed by text. The empty text is success.
RESULTS: Dict[str, OrderResult] = {
    result: result for result in (OK, NO_CONVOY, BOUNCE, VOID, CUT, DISLODGED, DISRUPTED, DISBAND, MAYBE)
}


def result_of(word: str) -> OrderResult:
    """Returns the result for a text. Results that the package `diplomacy` does not have get the code -1."""
    return RESULTS.get(word) or OrderResult(-1 if word else 0, word)
