// The state of a page in its address, as JSON behind the #.
import { asObject } from '../../../engine/rules/shape.js';
import { byId, showText, trying } from './page.js';

/** Browsers refuse many changes of an address at once. */
const MOMENT_MS = 200;

/** What a page says in its address. */
export interface Addressed {
  readonly said: () => object;
  /** Takes up what an address says. @throws for what it cannot take up */
  readonly read: (said: Record<string, unknown>) => void;
  /** Begins where the address says nothing that can be read. */
  readonly start: () => void;
  /** Hears each address that was written. */
  readonly onWritten: (address: string) => void;
}

export interface Address {
  /** Reads the address, or starts without one. */
  readonly open: () => void;
  /** Writes the address after a moment. */
  readonly keep: () => void;
}

/** '#{"phase":"S1901M"}', encoded. */
export const hashOf = (said: object): string => `#${encodeURIComponent(JSON.stringify(said))}`;

/** The address of the page. It is read again whenever somebody else changes it. */
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
