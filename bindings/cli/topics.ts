// Documents that `lepanto help TOPIC` prints. They are in the package, so that what help texts name is there.

/** A document by the topic under which it is printed. */
export const topics: Readonly<Record<string, { readonly about: string; readonly path: string }>> = {
  protocol: { about: 'bots in any language: requests and answers', path: 'bindings/protocols/BOT-PROTOCOL.md' },
  press: { about: 'messages between bots', path: 'bindings/protocols/PRESS.md' },
  machines: { about: 'one run on many machines, over a queue', path: 'bindings/cluster/queue/README.md' },
  'daide-bots': { about: 'answers of lepanto daide', path: 'bindings/protocols/daide/README.md' },
};
