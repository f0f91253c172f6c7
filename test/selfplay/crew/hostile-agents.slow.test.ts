// Tests agents of users that fail: what they do wrong is named, and a thread that hangs or ends is replaced.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Game } from '../../../engine/internal.js';
import { hasCode } from '../../../engine/rules/error.js';
import { expandAgents } from '../../../selfplay/agents/expand-agents.js';
import { loadAgents, parseAgents } from '../../../selfplay/agents/registry.js';
import { runArena } from '../../../selfplay/arena/arena.js';
import type { ArenaGame } from '../../../selfplay/arena/arena-game.js';
import type { ArenaSpec } from '../../../selfplay/arena/protocol.js';
import { makePool } from '../../../selfplay/crew/pool.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Agent, Question } from '../../../selfplay/question/agent.js';
import { makeFolder } from '../../tools/command.js';
import { type HostileAgent, hostileAgents, hostileClasses } from '../../tools/fuzz/hostile-agents.js';
import { runWatched } from '../../tools/peak-memory.js';
import { playRun, runOf } from '../../tools/runs.js';
import { agentBy, writeAgent } from '../../tools/simple-agents.js';

const directory = makeFolder('hostile');
/** Strikes in the first phase of the second year, and in all later phases in which units move. */
const WHEN = 'game.year > 1901 && game.phase === 0';
/** Long enough to load a module on such a machine. */
const HANG_MS = 1000;
const CHOICE_MS = 2000;
/** Hangs, and takes no time of a processor. */
const SLEEP = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const MOST_HANGS = 2;
/** A choice that is to come has as much time as it takes on a machine that has much else to do. */
const PATIENT_MS = 120_000;

const write = ({ class: kind, name, source }: HostileAgent): string => {
  const path = join(directory, `${kind}-${name.replace(/\W+/g, '-')}.mjs`);
  writeFileSync(path, source(WHEN));
  return path;
};

/** An agent that calls a function of the game, the power and the past, and holds. */
const writeAnswer = (name: string, answer: string): string => {
  const methods = `answer: async ([{ game, power, past }]) => [{ orders: (await (${answer})(game, power, past), []) }]`;
  return writeAgent(join(directory, `thread-${name}.mjs`), methods);
};

const pool = makePool({ workers: 1 });

/** A game of an arena of an agent in six seats against `random`, or the error that has ended it. */
const playAgainst = async (path: string, choiceMs: number): Promise<{ games: readonly ArenaGame[]; error: string }> => {
  const spec: ArenaSpec = {
    ...{ map: 'standard', rules: 'datc-3.2', agents: [path, 'random'], protocol: '6v1', scoring: 'sum_of_squares' },
    ...{ games: 1, until: 1902, seed: 3 },
  };
  try {
    const { games } = await runArena(spec, { workers: 1, pool, choiceMs });
    return { games, error: '' };
  } catch (error) {
    return { games: [], error: (error as Error).message };
  }
};

const hostile = suite('hostile agents');
hostile.after(() => pool.close());

let plain: readonly ArenaGame[] = [];
hostile.before(async () => {
  plain = (await playAgainst(writeAnswer('plain', '() => 0'), PATIENT_MS)).games;
  assert.is(plain.length, 1);
});

/** What goes wrong in answer() alone, and leaves the thread as it was, can be tried in this one. */
const here: readonly HostileAgent['class'][] = ['changes', 'answers', 'throws'];

const tryHere = async (agent: HostileAgent): Promise<void> => {
  const path = write(agent);
  const { name, outcome, says } = agent;
  const agents = await loadAgents(`${path},hold,${path},random,dumbbot,random,random`, 7);
  const holds = parseAgents('hold,hold,hold,random,dumbbot,random,random', 7);
  const played = await playGame({ seed: 1, index: 4, agents, until: 1902 }).catch(String);
  if (outcome === 'plays') {
    assert.equal(played, await playGame({ seed: 1, index: 4, agents: holds, until: 1902 }), name);
    return;
  }
  const error = String(played).replace(/\s+/g, ' ');
  assert.match(error, says, name);
  assert.match(error, `Error: agent ${path} for AUSTRIA in S1902M of game 4: `);
};

const tryInThread = async (agent: HostileAgent): Promise<void> => {
  const path = write(agent);
  const { limit, name, outcome, says, where } = agent;
  const { error, games } = await playAgainst(path, limit === 'time' ? HANG_MS : PATIENT_MS);
  if (outcome === 'plays') {
    assert.equal([error, games], ['', plain], name);
    return;
  }
  assert.equal(games, [], name);
  assert.match(error.replace(/\s+/g, ' '), says, name);
  assert.ok(error.includes(`agent ${path}`), error);
  if (where === 'answer') assert.match(error, / for [A-Z]+ in [SF]190[12]M of game 0: /, name);
};

for (const kind of hostileClasses) {
  // Where a whole process can be seen the fuzzer tries the rest: what loads badly and what prints, and what fills memory.
  if (kind === 'loading' || kind === 'prints') continue;
  const all = hostileAgents.filter(({ class: own, limit }) => own === kind && limit !== 'memory');
  const agents = kind === 'hangs' ? all.slice(0, MOST_HANGS) : all;
  hostile(`${kind}: ${agents.length} agents`, async () => {
    assert.ok(agents.length >= MOST_HANGS);
    for (const agent of agents) await (here.includes(kind) ? tryHere(agent) : tryInThread(agent));
  });
}

hostile('what loads badly is refused by name, and runs in no thread that matters', async () => {
  const agents = hostileAgents.filter(({ class: kind, limit }) => kind === 'loading' && limit !== 'memory');
  for (const agent of agents) {
    const { limit, name, says } = agent;
    const path = write(agent);
    const error = await expandAgents([path, 'random'], limit === 'time' ? HANG_MS : PATIENT_MS).then(String, String);
    assert.match(error, says, name);
    assert.ok(error.includes(`agent ${path}`), error);
  }
  assert.ok(agents.length > 20);
});

hostile('a thread that an agent has ended is replaced, and the arena ends with the name of the agent', async () => {
  const path = writeAnswer('ends', '(game) => { if (game.year > 1901) process.exit(4); return 0; }');
  const before = pool.crashed;
  const { error } = await playAgainst(path, PATIENT_MS);
  assert.is(error, `agent ${path} for ENGLAND in S1902M of game 0: ended its thread, with exit code 4`);
  assert.is(pool.crashed - before, 1);
});

hostile('an agent that hangs ends one thread and the run; the finished shards stay', async () => {
  const path = writeAnswer('slow', `(game, power, past) => { if (past.game === '2') ${SLEEP} return 0; }`);
  const agents = [path, ...new Array<string>(6).fill('hold')];
  const spec = runOf('hold', 3, { agents, shardGames: 1, until: 1901 });
  const place = join(directory, 'hangs');
  const before = pool.crashed;
  const error = await playRun(spec, place, { pool, choiceMs: CHOICE_MS }).then(String, String);
  assert.is(error, `LepantoError: agent ${path} for AUSTRIA in S1901M of game 2: got no answer in 2 s`);
  assert.is(pool.crashed - before, 1);
  assert.equal(
    readdirSync(place).filter((name) => name.endsWith('.lep')),
    ['games-00000.lep', 'games-00001.lep'],
  );
  assert.is((await playAgainst(writeAnswer('plain', '() => 0'), PATIENT_MS)).error, '');
});

hostile(
  'an agent that throws ends a run too; the error keeps its class and its code on its way to the main thread',
  async () => {
    const path = writeAnswer('run', '(game) => { if (game.year > 1901) throw null; return 0; }');
    const warnings: string[] = [];
    const spec = runOf('hold', 1, { agents: [path, ...new Array<string>(6).fill('hold')] });
    const options = { pool, onWarning: (sentence: string) => warnings.push(sentence) };
    const error = await playRun(spec, join(directory, 'run'), options).then(String, (thrown) => thrown);
    assert.is(String(error), `LepantoError: agent ${path} for AUSTRIA in S1902M of game 0: threw null`);
    assert.ok(hasCode(error, 'agent'));
    assert.equal(warnings, []);
  },
);

const custom = (name: string, shown: Game[]): Agent => ({
  ...agentBy((game) => {
    shown.push(game);
    game.bytes.fill(0);
    return [];
  }),
  name,
});

hostile('in one process too, an agent changes no game; one that ships is shown the game itself', async () => {
  const play = (agents: readonly Agent[]) => playGame({ seed: 1, index: 0, agents, until: 1902 });
  const held = await play(parseAgents('hold', 7));
  const shown: Game[] = [];
  // The name of an agent that ships makes none of it.
  for (const name of ['custom', 'random']) assert.equal(await play(new Array(7).fill(custom(name, shown))), held);
  assert.is(new Set(shown).size, shown.length);
  // One that does ship is shown the game itself.
  const [hold] = parseAgents('hold', 1);
  const games = new Set<Game>();
  const answer = hold.answer.bind(hold);
  Object.assign(hold, {
    answer: (questions: readonly Question[]) => {
      for (const { game } of questions) games.add(game);
      return answer(questions);
    },
  });
  await play(new Array(7).fill(hold));
  assert.is(games.size, 1);
});

hostile('the command: one object on stdout, the rest on stderr; a limit of its own; exit code 1 or 2', async () => {
  const loud = writeAnswer('loud', '() => { console.log("hello"); return 0; }');
  const common = ['--games', '1', '--until', '1901', '--workers', '1', '--json', '--quiet'];
  const heard = await runWatched(['arena', '--agents', `${loud},hold`, ...common]);
  assert.equal([heard.code, JSON.parse(heard.out).games], [0, 1]);
  assert.match(heard.err, /^hello$/m);
  const loop = writeAnswer('loop', `() => { ${SLEEP} }`);
  const seats = `${loop},hold,hold,hold,hold,hold,hold`;
  const out = join(directory, 'command');
  const ended = await runWatched(['selfplay', '--agents', seats, '--out', out, '--choice-ms', '1000', ...common]);
  assert.equal([ended.code, ended.out], [1, '']);
  assert.match(ended.err, /^lepanto: agent .*loop\.mjs for AUSTRIA in S1901M of game 0: got no answer in 1 s$/m);
  const refused = await runWatched(['arena', '--agents', `${loop},hold`, '--choice-ms=-1', ...common]);
  assert.is(refused.code, 2);
  assert.match(refused.err, '--choice-ms: got "-1", wanted a whole number from 0 to 86400000');
});

hostile('modules under the names that loadAgents() gives them', async () => {
  const path = writeAnswer('named', '() => { throw new Error("no idea"); }');
  const agents = await loadAgents(path, 7);
  const error = await playGame({ seed: 1, index: 5, agents, until: 1901 }).then(String, String);
  assert.match(
    error,
    /^LepantoError: agent .*named\.mjs for AUSTRIA in S1901M of game 5: threw Error: no idea \(.*named\.mjs:2:\d+\)$/,
  );
});
hostile.run();
