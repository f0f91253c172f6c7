"""Games, maps, powers, messages and drawings of the package `diplomacy`."""
