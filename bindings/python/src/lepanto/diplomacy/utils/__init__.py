"""Phase data, order results, saved games and collections of the package `diplomacy`."""

from .priority_dict import PriorityDict
from .sorted_dict import SortedDict

__all__ = ["PriorityDict", "SortedDict"]
