// Keeps the state of a page in its address, as JSON after the #.
import { asObject } from '../../../engine/rules/shape.js';
import { byId, showText, trying } from './page.js';

/** Delay of a change of the address, in milliseconds. Browsers reject many changes in a short time. */
const MOMENT_MS = 200;

/** Callbacks of a page with its state in the address. */
export interface Addressed {
  /** Returns the state to write. */
  readonly said: () => object;
  /** Applies the state in an address. @throws Error if it is invalid */
  readonly read: (said: Record<string, unknown>) => void;
  /** Starts the page if the address has no readable state. */
  readonly start: () => void;
  /** Called with each written address: the part from the # on. */
  readonly onWritten: (address: string) => void;
}

export interface Address {
  /** Reads the address, or starts without one. */
  readonly open: () => void;
  /** Writes the address after a short delay. */
  readonly keep: () => void;
}

/** Returns the hash of a state: '#{"phase":"S1901M"}', encoded. */
export const hashOf = (said: object): string => `#${encodeURIComponent(JSON.stringify(said))}`;

/** Connects a page to its address. The state is read again when the user changes the address. */
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
