// Keeps the files of the playground, so that it opens without a network. With one, files are fetched anew and kept.
const FILES = ['./', 'compare.html', 'play-worker.js', 'default.safetensors'];
const KEPT = 'lepanto-playground';

/** What the declarations of a page lack. */
interface Waiting extends Event {
  readonly waitUntil: (work: Promise<unknown>) => void;
}
interface Fetching extends Event {
  readonly request: Request;
  readonly respondWith: (response: Promise<Response>) => void;
}

const keep = async (request: Request, response: Response): Promise<void> => {
  await (await caches.open(KEPT)).put(request, response);
};

const answer = async (request: Request): Promise<Response> => {
  try {
    const response = await fetch(request);
    if (response.ok) await keep(request, response.clone());
    return response;
  } catch (error) {
    const kept = await caches.match(request, { ignoreSearch: true });
    if (kept === undefined) throw error;
    return kept;
  }
};

addEventListener('install', (event) =>
  (event as Waiting).waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES))),
);
addEventListener('fetch', (event) => {
  const { request, respondWith } = event as Fetching;
  const isOwn = new URL(request.url).origin === location.origin;
  if (isOwn && request.method === 'GET') respondWith.call(event, answer(request));
});
