// Makes the contents of the page of arenas: the tables of `lepanto arena` with links to games, the tests of gates as
// curves, and lists of games. Pauses between the tables, which take a tenth of a second for 100,000 games, so that the
// server answers other requests.
import { setTimeout } from 'node:timers/promises';
import { loadMap } from '../../engine/internal.js';
import type { ArenaGame } from '../../selfplay/arena/arena-game.js';
import { type KeptGate, readGate } from '../../selfplay/arena/gate.js';
import { gauntletArenas, parityOf, summarizeGauntlet } from '../../selfplay/arena/gauntlet.js';
import { type FoundArena, readKeptArenas } from '../../selfplay/arena/kept-games.js';
import { summarizePopulation } from '../../selfplay/arena/population.js';
import type { ArenaSpec, GateSpec } from '../../selfplay/arena/protocol.js';
import { isMeeting, meetingsOf, type Standing, scoresOf, summarizeArena } from '../../selfplay/arena/standings.js';
import { powerTitle } from '../draw/titles.js';
import {
  BotUses,
  gateTable,
  gauntletTable,
  powersTable,
  scoreText,
  shortAgent,
  shortNames,
  standingsTable,
} from '../reports/arena-report.js';
import { byElo, NOTE, populationTables, titleOf } from '../reports/population-report.js';
import { type Cell, makeTable, numbers, type Table, words } from '../reports/table.js';
import type { ArenaGameRow, ArenaGames, ArenaTables, GameSort, Scores, ShownGate } from './page-data.js';

/**
 * Number of games of a population from which its page omits confidence intervals of skills, which take long to compute.
 */
const MANY = 5000;
/** Length of each pause for other requests, in milliseconds. */
const PAUSE_MS = 5;
const NO_BOTS = new BotUses();

/** The arenas of a directory, with the tables and the gates that its page shows. */
export interface OpenArenas {
  readonly arenas: readonly FoundArena[];
  readonly tables: readonly ArenaTables[];
  readonly gates: readonly ShownGate[];
}

/** Selects games of a directory of arenas. A game must match all fields that are given. */
export interface ArenaFilter {
  /** Number of the arena in the directory, from 1. */
  readonly arena?: number | undefined;
  /**
   * Full name of an agent that plays in the game. `other`: name of an agent that it meets; `power`: power that it
   * plays.
   */
  readonly agent?: string | undefined;
  readonly other?: string | undefined;
  readonly power?: string | undefined;
}

const queryOf = (filter: ArenaFilter): string => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
};

/**
 * Returns a table whose cells link to their games, except in the first column.
 * @param filterOf returns the games of a cell; column 0 is the second one of the table; null for no link
 */
const linked = ({ rows, ...table }: Table, filterOf: (row: number, column: number) => ArenaFilter | null): Table => ({
  ...table,
  rows: rows.map((cells, row) =>
    cells.map((cell, column): Cell => {
      const filter = column === 0 || cell === '-' ? null : filterOf(row, column - 1);
      return filter === null ? cell : [String(cell), queryOf(filter)];
    }),
  ),
});

const meetingTable = (spec: ArenaSpec, meetings: readonly (readonly Standing[])[]): Table => {
  const names = shortNames(spec.agents, NO_BOTS);
  const table = makeTable(meetings, [
    words('mean score of the row against', (_, i) => names[i]),
    ...names.map((name, other) => numbers<readonly Standing[]>(name, (row) => scoreText(row[other]))),
  ]);
  return { ...table, shades: 'plain' };
};

/** Returns a key that is equal for arenas with the same settings, whatever their number of games. */
const keyOf = ({ map, rules, agents, protocol, scoring, until, seed }: ArenaSpec): string =>
  JSON.stringify([map, rules, agents, protocol, scoring, until, seed]);

/** Returns the heading of an arena's tables, which says which agents play. */
const headingOf = ({ protocol, agents, map }: ArenaSpec): string => {
  const [first, ...others] = shortNames(agents, NO_BOTS);
  const many = loadMap(map).powerCount - 1;
  if (protocol === 'population') return 'Population';
  if (protocol === 'mixed') return `${first} at a mixed table`;
  if (protocol === '1v6') return `${first} against ${many} ${others.join(', ')}`;
  if (protocol === '6v1') return `${many} ${first} against ${others.join(', ')}`;
  return `${protocol === 'round-robin' ? 'Round robin' : 'Random seats'}: ${[first, ...others].join(', ')}`;
};

/**
 * Returns the tables of gauntlets among some arenas. A gauntlet is a group of arenas of one agent against several
 * others, with the same seed and other settings.
 */
const gauntletsIn = (arenas: readonly FoundArena[]): ArenaTables[] => {
  const groups = new Map<string, number[]>();
  for (const [i, { spec, games }] of arenas.entries()) {
    const isPart = spec.protocol === 'mixed' || (spec.protocol === '1v6' && spec.agents.length === 2);
    const key = keyOf({ ...spec, agents: spec.agents.slice(0, 1), protocol: '1v6' });
    if (isPart && games.length > 0) groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  return [...groups.values()].flatMap((places) => {
    const tables = places.filter((i) => arenas[i].spec.protocol === '1v6');
    if (tables.length < 2) return [];
    const { agents, protocol: _, ...rest } = arenas[tables[0]].spec;
    const families = tables.map((i) => arenas[i].spec.agents[1]);
    const spec = { ...rest, agent: agents[0], families };
    const ofArena = gauntletArenas(spec).map((one) => places.find((i) => keyOf(arenas[i].spec) === keyOf(one)));
    const result = summarizeGauntlet(
      spec,
      ofArena.map((i) => (i === undefined ? [] : arenas[i].games)),
    );
    const rowsOf = result.rows.map(
      ({ family }) => ofArena[family === null ? families.length : families.indexOf(family)],
    );
    const ofRow = (row: number): ArenaFilter => ({ arena: (rowsOf[row] ?? 0) + 1, agent: spec.agent });
    return [
      {
        heading: `Gauntlet of ${shortAgent(spec.agent)}`,
        title: `${result.games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}; the worst first`,
        note: `With equal agents a seat scores ${parityOf(spec).toFixed(3)} on average, by scores that sum to 1.`,
        tables: [linked(gauntletTable(spec, result, NO_BOTS, []), ofRow)],
      },
    ];
  });
};

const tablesOf = async ({ spec, games }: FoundArena, arena: number): Promise<ArenaTables> => {
  const { agents } = spec;
  const ofAgent = (order: readonly string[]) => (row: number) => ({ arena, agent: order[row] });
  const ofPower = (order: readonly string[], powers: readonly string[]) => (row: number, column: number) =>
    column < order.length ? { arena, agent: order[column], power: powers[row] } : null;
  const ofTwo = (order: readonly string[]) => (row: number, column: number) => ({
    ...{ arena, agent: order[row], other: order[column] },
  });
  if (spec.protocol === 'population') {
    const result = summarizePopulation(spec, games, games.length < MANY ? undefined : 0);
    const order = byElo(result).map(({ agent }) => agent);
    const [members, powers, gains] = populationTables(result);
    return {
      heading: headingOf(spec),
      title: titleOf(spec, result),
      note: NOTE.replaceAll('+-', '±'),
      tables: [
        linked(members, ofAgent(order)),
        linked(powers, ofPower(order, Object.keys(result.powers))),
        linked(gains, ofTwo(order)),
      ],
    };
  }
  const standings = summarizeArena(spec, games);
  await setTimeout(PAUSE_MS);
  const powers = powersTable(standings, NO_BOTS);
  const meetings = agents.length > 2 ? [linked(meetingTable(spec, meetingsOf(spec, games)), ofTwo(agents))] : [];
  return {
    heading: headingOf(spec),
    title: `${spec.games} games, ${spec.protocol}, to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}`,
    note: '± is one standard error; 95 % is the interval of the mean score; the number of games is in brackets.',
    tables: [
      linked(standingsTable(standings, NO_BOTS, []), ofAgent(agents)),
      linked(
        powers,
        ofPower(
          agents,
          powers.rows.map(([power]) => String(power)),
        ),
      ),
      ...meetings,
    ],
  };
};

const shownGate = (spec: GateSpec, { result, course }: KeptGate): ShownGate => {
  const { agent, against, games, looks, p } = spec;
  return {
    ...{ agent: shortAgent(agent), against: shortAgent(against), passed: result.passed, reason: result.reason },
    table: gateTable(result, shortAgent),
    course: course.map(({ games: count, gain, error, chance }) => [
      ...([count, gain, Number.isNaN(error) ? null : error, chance] as const),
    ]),
    ...{ pairs: games, limit: p / looks, lost: `${queryOf({ agent })}&sort=score` },
  };
};

/**
 * Reads the arenas and gates of a file written by KeptGames, and makes their tables.
 * @throws LepantoError naming the file if it is damaged
 */
export const openArenas = async (file: string): Promise<OpenArenas> => {
  const { arenas, gates: specs } = readKeptArenas(file);
  const byKey = new Map(arenas.map(({ spec, games }) => [keyOf(spec), games]));
  const ofGates = new Set<string>();
  const gates: ShownGate[] = [];
  for (const spec of specs)
    gates.push(
      shownGate(
        spec,
        readGate(spec, (arena) => {
          ofGates.add(keyOf(arena));
          return byKey.get(keyOf(arena)) ?? [];
        }),
      ),
    );
  const tables: ArenaTables[] = [];
  for (const [i, arena] of arenas.entries()) {
    await setTimeout(PAUSE_MS);
    if (arena.games.length > 0) tables.push(await tablesOf(arena, i + 1));
  }
  await setTimeout(PAUSE_MS);
  const gauntlets = gauntletsIn(arenas.filter(({ spec }) => !ofGates.has(keyOf(spec))));
  return { arenas, gates, tables: [...gauntlets, ...tables] };
};

/**
 * Returns the mean score per seat of each agent over all games of some arenas, by sum of squares, in order of
 * appearance.
 */
export const scoresOfArenas = (arenas: readonly FoundArena[]): Scores => {
  const sums = new Map<string, [sum: number, seats: number]>();
  for (const { spec, games } of arenas) {
    const bySquares = { ...spec, scoring: 'sum_of_squares' } as const;
    for (const game of games)
      scoresOf(bySquares, game).forEach((score, q) => {
        const agent = spec.agents[game.seats[q]];
        const [sum, seats] = sums.get(agent) ?? [0, 0];
        sums.set(agent, [sum + score, seats + 1]);
      });
  }
  return Array.from(sums, ([agent, [sum, seats]]) => [shortAgent(agent), sum / seats]);
};

/** Returns a function that tests whether a game of an arena passes a filter; null if no game of the arena can. */
const testOf = (spec: ArenaSpec, { agent, other, power }: ArenaFilter): ((game: ArenaGame) => boolean) | null => {
  const [own, theirs] = [agent, other].map((name) => (name === undefined ? -1 : spec.agents.indexOf(name)));
  const place = power === undefined ? -1 : loadMap(spec.map).powerNames.indexOf(power);
  if ((agent !== undefined && own < 0) || (other !== undefined && theirs < 0)) return null;
  if (power !== undefined && place < 0) return null;
  return (game) =>
    (own < 0 || game.seats.includes(own)) &&
    (own < 0 || theirs < 0 || isMeeting(spec, game, own, theirs)) &&
    (place < 0 || own < 0 || game.seats[place] === own);
};

const seatsText = ({ agents }: ArenaSpec, { seats }: ArenaGame, powerNames: readonly string[]): string => {
  const places = [...new Set(seats)].map((agent) => ({
    name: shortAgent(agents[agent]),
    powers: powerNames.filter((_, q) => seats[q] === agent),
  }));
  places.sort((a, b) => a.powers.length - b.powers.length);
  const last = places.length - 1;
  return places
    .map(
      ({ name, powers }, i) =>
        `${name}: ${i === last && powers.length > 1 ? 'the others' : powers.map(powerTitle).join(' ')}`,
    )
    .join('; ');
};

const aboutText = ({ arena, agent, other, power }: ArenaFilter): string =>
  [
    agent === undefined ? 'all games' : `games of ${shortAgent(agent)}`,
    ...(power === undefined ? [] : [`as ${powerTitle(power)}`]),
    ...(other === undefined ? [] : [`with ${shortAgent(other)}`]),
    ...(arena === undefined ? [] : [`in arena ${arena}`]),
  ].join(' ');

/**
 * Returns one page of the games that pass a filter, with their number.
 * @param sort order of the games; null: by arena and number
 * @param isKept returns true if the games of an arena (number from 1) can be replayed
 */
export const findArenaGames = (
  { arenas }: OpenArenas,
  filter: ArenaFilter,
  sort: GameSort | null,
  [from, most]: readonly [number, number],
  isKept: (arena: number) => boolean,
): ArenaGames => {
  const agent = filter.agent ?? arenas[(filter.arena ?? 1) - 1]?.spec.agents[0] ?? '';
  const found: { arena: number; game: number; score: number | null }[] = [];
  for (const [i, { spec, games }] of arenas.entries()) {
    const passes = filter.arena === undefined || filter.arena === i + 1 ? testOf(spec, filter) : null;
    if (passes === null) continue;
    const own = spec.agents.indexOf(agent);
    const place = filter.power === undefined ? -1 : loadMap(spec.map).powerNames.indexOf(filter.power);
    for (const [game, one] of games.entries()) {
      if (!passes(one)) continue;
      const scores = scoresOf(spec, one).filter((_, q) => one.seats[q] === own && (place < 0 || place === q));
      const score = scores.length === 0 ? null : scores.reduce((sum, part) => sum + part, 0) / scores.length;
      found.push({ arena: i + 1, game, score });
    }
  }
  if (sort !== null) {
    const sign = sort.isDown ? -1 : 1;
    const placeOf = ({ arena, game, score }: (typeof found)[number]): number => {
      const { spec, games } = arenas[arena - 1];
      const { winner, years, centers } = games[game];
      if (sort.by === 'score') return score ?? 2 * sign;
      return { winner, years }[sort.by] ?? centers[loadMap(spec.map).powerNames.indexOf(sort.by)] ?? 0;
    };
    found.sort((a, b) => sign * (placeOf(a) - placeOf(b)));
  }
  const [first] = arenas;
  const rows = found.slice(from, from + most).map(({ arena, game, score }): ArenaGameRow => {
    const { spec, games } = arenas[arena - 1];
    const { powerNames } = loadMap(spec.map);
    const { winner, years, centers } = games[game];
    return {
      ...{ arena, game, score, years, centers, winner: powerNames[winner] ?? null },
      seats: seatsText(spec, games[game], powerNames),
      isKept: isKept(arena),
    };
  });
  return {
    ...{ about: aboutText(filter), agent: shortAgent(agent), scoring: first?.spec.scoring ?? '', sort },
    ...{ query: queryOf(filter), games: found.length, from, rows },
    powers: first === undefined ? [] : loadMap(first.spec.map).powerNames,
  };
};
