// Keeps the state of a page in its address, as JSON after the #.
import { asObject } from '../../../engine/rules/shape.js';
import { byId, showText, trying } from './page.js';

/** Delay before a change of the address is written, in milliseconds. Browsers reject many changes in a short time. */
const MOMENT_MS = 200;

/** Callbacks of a page that keeps its state in the address. */
export interface Addressed {
  /** Returns the state of the page, to write it into the address. */
  readonly said: () => object;
  /** Applies a state that was read from the address. @throws Error if it is invalid */
  readonly read: (said: Record<string, unknown>) => void;
  /** Starts the page if the address has no readable state. */
  readonly start: () => void;
  /** Called with each address that was written: the part from the # on. */
  readonly onWritten: (address: string) => void;
}

export interface Address {
  /** Applies the state in the address, or calls start() without a readable one. */
  readonly open: () => void;
  /** Writes the page's state into the address after a short delay. */
  readonly keep: () => void;
}

/** Returns the part of an address from the # on for a state, such as '#{"phase":"S1901M"}' but encoded. */
export const hashOf = (said: object): string => `#${encodeURIComponent(JSON.stringify(said))}`;

/**
 * Connects a page to its address, and returns functions that read and write it. Reads the address again when the user
 * changes it.
 */
export const pageAddress = ({ said, read, start, onWritten }: Addressed): Address => {
  let known = '';
  let writing: ReturnType<typeof setTimeout> | undefined;
  const readNow = (): boolean => {
    if (location.hash.length < 2 || location.hash === known) return false;
    read(asObject(JSON.parse(decodeURIComponent(location.hash.slice(1))), 'address'));
    return true;
  };
  addEventListener('hashchange', () => trying(readNow));
  const write = (): void => {
    known = hashOf(said());
    history.replaceState(null, '', known);
    onWritten(known);
  };
  return {
    open: () => {
      let isRead = false;
      trying(() => {
        isRead = readNow();
      });
      if (isRead) return;
      const told = byId('trouble').textContent ?? '';
      start();
      if (told !== '') showText('trouble', told);
    },
    keep: () => {
      clearTimeout(writing);
      writing = setTimeout(write, MOMENT_MS);
    },
  };
};
