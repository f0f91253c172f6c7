"""Games, maps, powers, messages and pictures."""
