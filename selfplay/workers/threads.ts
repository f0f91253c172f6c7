// How every piscina pool of ours starts its threads.

/**
 * Options of Node for a thread. piscina loads a worker's module with require() first; a thread that is ended while
 * require() is loading modules of ECMAScript takes the whole process down with it (Node 20.20, "IsGraphAsync must be
 * used on an instantiated module"). Without that kind of require() it turns to import() at once.
 */
export const threadArguments: string[] = [
  ...process.execArgv,
  ...(process.allowedNodeEnvironmentFlags.has('--no-experimental-require-module')
    ? ['--no-experimental-require-module']
    : []),
];
