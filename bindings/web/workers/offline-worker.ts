// Service worker that caches the files of the playground, so that it opens offline. Online, files are fetched and
// cached again.
const FILES = ['./', 'board-page.js', 'play-worker.js', 'default.safetensors'];
const KEPT = 'lepanto-playground';

/** Events of service workers. TypeScript's declarations for pages lack them. */
interface Waiting extends Event {
  readonly waitUntil: (work: Promise<unknown>) => void;
}
interface Fetching extends Event {
  readonly request: Request;
  readonly respondWith: (response: Promise<Response>) => void;
}

/** Returns the key of a file in the cache: its address without the query. */
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
  // Caching fails if the browser's storage is full. The page is then shown all the same.
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
