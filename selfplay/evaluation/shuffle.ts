import type { Random } from '../../engine/internal.js';

/** Shuffles a list in place and returns it. */
export const shuffle = <List extends { readonly length: number; [index: number]: unknown }>(
  list: List,
  random: Random,
): List => {
  for (let i = list.length - 1; i > 0; i--) {
    const k = random.below(i + 1);
    [list[i], list[k]] = [list[k], list[i]];
  }
  return list;
};
