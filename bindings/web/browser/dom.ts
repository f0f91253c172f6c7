// What the pages use of a browser, and no more. TypeScript's own declarations of it would make names like `status` and
// `event` known in every file of the project.

/** An element of a page: HTML or SVG. */
export interface PageElement {
  textContent: string | null;
  innerHTML: string;
  /** Of inputs, selects and text areas. */
  value: string;
  disabled: boolean;
  hidden: boolean;
  max: string;
  readonly style: { transform: string; opacity: string; width: string };
  readonly classList: { add(name: string): void; toggle(name: string, on: boolean): void };
  append(...nodes: (PageElement | string)[]): void;
  replaceChildren(...nodes: (PageElement | string)[]): void;
  remove(): void;
  select(): void;
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
  removeAttribute(name: string): void;
  closest(selector: string): PageElement | null;
  matches(selector: string): boolean;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getBoundingClientRect(): { readonly width: number; readonly height: number; readonly left: number };
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}

/** A click, a key or a change. */
export interface PageEvent {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly clientX: number;
  readonly target: PageElement;
  preventDefault(): void;
}

/** A stream of server-sent events. */
export interface PageEvents {
  onmessage: ((event: { readonly data: string }) => void) | null;
  onerror: (() => void) | null;
  close(): void;
}

interface Browser {
  readonly CSSStyleSheet: new () => { replaceSync(css: string): void };
  readonly document: {
    /** Style sheets that a page makes itself: its policy allows no other that it was not made with. */
    adoptedStyleSheets: { replaceSync(css: string): void }[];
    readonly visibilityState: 'visible' | 'hidden';
    createElement(name: string): PageElement;
    createElementNS(space: string, name: string): PageElement;
    getElementById(id: string): PageElement | null;
    addEventListener(type: string, listener: (event: PageEvent) => void): void;
  };
  readonly location: { readonly hash: string };
  readonly history: { replaceState(state: null, title: string, address: string): void };
  readonly navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
  readonly EventSource: new (address: string) => PageEvents;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}

/** The browser that the script runs in. */
export const browser = globalThis as unknown as Browser;
export const document = browser.document;
export const location = browser.location;

/** The element of an id, which the page must have. */
export const byId = (id: string): PageElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`got a page without #${id}`);
  return found;
};

type Attributes = Readonly<Record<string, string | number | boolean>>;

const fill = (made: PageElement, attributes: Attributes, children: readonly (PageElement | string)[]): PageElement => {
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  made.append(...children);
  return made;
};

/** A new HTML element. Text among its children is shown as text, whatever it holds. */
export const element = (
  name: string,
  attributes: Attributes = {},
  ...children: (PageElement | string)[]
): PageElement => fill(document.createElement(name), attributes, children);

const SVG = 'http://www.w3.org/2000/svg';

/** The same for SVG. */
export const drawing = (
  name: string,
  attributes: Attributes = {},
  ...children: (PageElement | string)[]
): PageElement => fill(document.createElementNS(SVG, name), attributes, children);

/** The data that the page was made with. */
export const pageData = <T>(): T => JSON.parse(byId('data').textContent ?? '') as T;

/**
 * Hears what the server says at an address, as JSON, while the page is seen: a browser keeps few streams open at a time.
 * @param onLost told whether the server is out of reach
 */
export const listenTo = (address: string, onNews: (news: unknown) => void, onLost: (lost: boolean) => void): void => {
  let events: PageEvents | null = null;
  const settle = (): void => {
    events?.close();
    events = null;
    if (document.visibilityState === 'hidden') return;
    events = new browser.EventSource(address);
    events.onmessage = ({ data }) => {
      onLost(false);
      onNews(JSON.parse(data));
    };
    events.onerror = () => onLost(true);
  };
  document.addEventListener('visibilitychange', settle);
  settle();
};

/** The data of a page that was made with it deflated. */
export const inflated = async <T>(): Promise<T> => {
  const { deflated } = pageData<{ readonly deflated: string }>();
  const bytes = Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return (await new Response(stream as unknown as ReadableStream).json()) as T;
};
