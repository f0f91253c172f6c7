// Documents that `lepanto help TOPIC` prints. They are in the package, because help texts refer to them.

/** Documents, keyed by topic. about: short description; path: file, relative to the package. */
export const topics: Readonly<Record<string, { readonly about: string; readonly path: string }>> = {
  protocol: { about: 'bots in any language: requests and answers', path: 'bindings/protocols/BOT-PROTOCOL.md' },
  press: { about: 'messages between bots', path: 'bindings/protocols/PRESS.md' },
  machines: { about: 'one run on many machines, over a queue', path: 'bindings/cluster/queue/README.md' },
  'daide-bots': { about: 'answers of lepanto daide', path: 'bindings/protocols/daide/README.md' },
};
