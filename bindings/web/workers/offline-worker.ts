// Keeps the files of the playground, so that it opens without a network. With one, files are fetched again and kept.
const FILES = ['./', 'board-page.js', 'compare.html', 'play-worker.js', 'default.safetensors'];
const KEPT = 'lepanto-playground';

/** What the declarations of a page lack. */
interface Waiting extends Event {
  readonly waitUntil: (work: Promise<unknown>) => void;
}
interface Fetching extends Event {
  readonly request: Request;
  readonly respondWith: (response: Promise<Response>) => void;
}

/** A file is kept once, whatever the query of its address. */
const keyOf = ({ url }: Request): string => url.replace(/[?#].*$/s, '');

const keep = async (request: Request, response: Response): Promise<void> => {
  await (await caches.open(KEPT)).put(keyOf(request), response);
};

const answer = async (request: Request): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    const kept = await caches.match(keyOf(request), { ignoreSearch: true });
    if (kept === undefined) throw error;
    return kept;
  }
  // The storage of the browser may be full: then the page is shown and not kept.
  if (response.ok) await keep(request, response.clone()).catch(() => {});
  return response;
};

addEventListener('install', (event) =>
  (event as Waiting).waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES))),
);
addEventListener('fetch', (event) => {
  const { request, respondWith } = event as Fetching;
  const isOwn = new URL(request.url).origin === location.origin;
  if (isOwn && request.method === 'GET') respondWith.call(event, answer(request));
});
