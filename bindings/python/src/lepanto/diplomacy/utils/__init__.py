"""Phases, results and saved games."""

from .priority_dict import PriorityDict
from .sorted_dict import SortedDict

__all__ = ["PriorityDict", "SortedDict"]
