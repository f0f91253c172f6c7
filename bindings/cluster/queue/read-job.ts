// Parses and checks jobs from Redis, which is untrusted input. Users with write access to Redis choose the games that
// workers play. These checks ensure that workers run only Lepanto's code and user code that the owner of the worker
// allows, and read only files of records.

import { basename, isAbsolute } from 'node:path';
import { mapRows } from '../../../engine/map/map-rows.js';
import {
  anything,
  fieldOf,
  fields,
  listOf,
  numberIn,
  oneOf,
  optional,
  refuse,
  refuseValue,
  type Shape,
  text,
  textLike,
  trueOrFalse,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { type ArenaSpec, arenaOptions } from '../../../selfplay/arena/protocol.js';
import { choiceMsOption } from '../../../selfplay/crew/watchdog.js';
import { type ChanceStep, endingOptions } from '../../../selfplay/games/ending.js';
import { formatAgentName } from '../../../selfplay/question/agent-name.js';
import { contentHash } from '../../../selfplay/question/file-hash.js';
import { roundsOption } from '../../../selfplay/question/message.js';
import { optionShape, seedOption } from '../../../selfplay/question/option.js';
import { shardNumber } from '../../../selfplay/records/manifest.js';
import { MOST_GAMES, type SizedSpec } from '../../../selfplay/records/run-spec.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { codeHash } from './code-hash.js';
import { type Job, type JobWork, queueFor, type TaskRef } from './job.js';
import { type Names, nameAgents, type TravellingCode, type TravellingFile } from './travelling.js';

const MOST_TASKS = 1 << 24;
const MOST_AGENTS = 256;
const MOST_STEPS = 1000;

const hash = textLike(/^[0-9a-f]{16}$/, '16 hexadecimal digits');
const seed = optionShape(seedOption.seed);
const agents = listOf(text, 1, MOST_AGENTS);
const rounds = optional(optionShape(roundsOption.rounds));
/** Parser of the name and id of a map or of rules in a job. The engine never uses the name as a path. */
const named = fields<{ name: string; id: number }>({ name: text, id: wholeNumber() });

const runSpec = fields<SizedSpec>({
  map: text,
  rules: text,
  agents,
  games: wholeNumber(1, MOST_GAMES),
  seed,
  until: optionShape(endingOptions.until),
  stalemate: optional(optionShape(endingOptions.stalemate)),
  chance: optional(optionShape(endingOptions.chance)),
  shardGames: wholeNumber(1, MOST_GAMES),
  targets: optional(trueOrFalse),
  rounds,
  botVersion: optional(text),
});

const chanceSteps = listOf(fields<ChanceStep>({ from: wholeNumber(0), chance: numberIn(0, 1) }), 0, MOST_STEPS);

const arenaSpec = fields<ArenaSpec>({
  map: text,
  rules: text,
  agents,
  protocol: optionShape(arenaOptions.protocol),
  scoring: optionShape(arenaOptions.scoring),
  games: optionShape(arenaOptions.games),
  until: optionShape(endingOptions.until),
  chance: optional(chanceSteps),
  seed,
  rounds,
});

/**
 * Parser of the path of a shard, absolute and named games-*.lep. Rejects other files, so that a job cannot read them.
 */
const recordPath: Shape<string> = (value, where) =>
  typeof value === 'string' && isAbsolute(value) && shardNumber(value) !== null
    ? value
    : refuseValue(where, value, 'the path of a games-*.lep');

const works: Readonly<Record<JobWork['kind'], Shape<JobWork>>> = {
  selfplay: fields<JobWork & { kind: 'selfplay' }>({ kind: anything, spec: runSpec }),
  arena: fields<JobWork & { kind: 'arena' }>({
    kind: anything,
    spec: arenaSpec,
    block: wholeNumber(1),
    whole: optional(trueOrFalse),
  }),
  stats: fields<JobWork & { kind: 'stats' }>({
    kind: anything,
    files: listOf(recordPath, 0, MOST_TASKS),
    map: text,
    rules: text,
  }),
};
const work: Shape<JobWork> = (value, where) =>
  works[oneOf(['selfplay', 'arena', 'stats'] as const)(fieldOf(Object(value), 'kind'), `${where}, kind`)](value, where);

const source: Shape<string | null> = (value, where) => (value === null ? null : text(value, where));
const travelling = fields<TravellingCode>({ name: text, hash, source });
const travellingFile = fields<TravellingFile>({ name: text, hash });

/** Fields of a job that `lepanto queue` lists, also for jobs of other versions of Lepanto. */
export type ListedJob = Pick<Job, 'id' | 'about' | 'tasks' | 'queue' | 'version' | 'code' | 'store'>;

const listedShapes = {
  id: hash,
  about: text,
  tasks: wholeNumber(0, MOST_TASKS),
  queue: textLike(/^games-[\w.-]+$/, 'the name of a queue'),
  version: text,
  code: text,
  store: textLike(/^(redis$|s3:\/\/|(auto|folder):)/, 'a store'),
};

const shape = fields<Job>({
  ...listedShapes,
  work,
  map: fields<Job['map']>({ name: text, id: wholeNumber(), rows: optional(mapRows) }),
  rules: named,
  modules: listOf(travelling, 0, MOST_AGENTS),
  files: listOf(travellingFile, 0, MOST_AGENTS),
  choiceMs: optionShape(choiceMsOption),
});

/** Checks the modules of a job. @throws LepantoError if a hash does not match, or a name is not that of a module */
const checkModules = ({ modules }: Job): void => {
  for (const { name, hash: stated, source } of modules) {
    if (stated !== contentHash(source ?? name)) refuse(`modules, ${name}: got the hash ${stated} of other content`);
    if (source !== null && !/^\w[\w.-]*\.[cm]?[jt]s$/.test(basename(name)))
      refuseValue('modules', name, 'the name of a module');
  }
};

/** Functions that return the local paths of the code and of the files that travelled with a job. */
export interface Places {
  readonly module: (code: TravellingCode, source: string) => string;
  readonly file: (file: TravellingFile) => string;
}

/** Returns a job whose agents name local paths. @throws LepantoError for an agent that names anything not in the job */
export const withPlaces = (job: Job, { module, file }: Places): Job => {
  const { work, modules, files } = job;
  if (work.kind === 'stats') return job;
  const names: Names = {
    code: (named) => {
      const isCommand = named.kind === 'command';
      const wanted = isCommand ? formatAgentName(named) : named.name;
      const code = modules.find(({ name, source }) => name === wanted && (source === null) === isCommand);
      if (code === undefined) return refuse(`agent ${wanted}: got none such in the modules of the job`);
      return code.source === null ? named.name : module(code, code.source);
    },
    file: (path) => {
      const found = files.find(({ name }) => name === path);
      return found === undefined ? refuse(`file ${path}: got none such in the files of the job`) : file(found);
    },
  };
  return { ...job, work: { ...work, spec: { ...work.spec, agents: nameAgents(work.spec.agents, names) } } as JobWork };
};

const readJson = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return refuseValue('job', content, 'JSON');
  }
};

/**
 * Parses the listed fields of a job.
 * @param run id of the run that has the job
 * @throws LepantoError if it is invalid
 */
export const readListedJob = (content: string, run: string): ListedJob => {
  const job = fields<ListedJob>(listedShapes)(readJson(content), 'job');
  return job.id === run ? job : refuseValue('job, id', job.id, run);
};

/** Parses a job. @param run id of the run that has the job @throws LepantoError if it is invalid or for other code */
export const readJob = (content: string, run: string): Job => {
  const { version, code } = readListedJob(content, run);
  if (code !== codeHash())
    refuse(`it is of version ${version} with the code ${code}, this worker is ${lepantoVersion} with ${codeHash()}`);
  const job = shape(readJson(content), 'job');
  if (job.queue !== queueFor(job)) refuseValue('job, queue', job.queue, queueFor(job));
  if (job.work.kind === 'stats' && job.tasks !== job.work.files.length)
    refuseValue('job, tasks', job.tasks, `${job.work.files.length}, one for each file`);
  checkModules(job);
  return withPlaces(job, { module: ({ name }) => name, file: ({ name }) => name });
};

/** Parses the data of an entry in a queue. @throws LepantoError if it is invalid */
export const readTask = (value: unknown): TaskRef =>
  fields<TaskRef>({ run: hash, task: wholeNumber(0, MOST_TASKS) })(value, 'task');
