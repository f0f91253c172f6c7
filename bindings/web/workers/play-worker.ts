// Answers a page's questions to agents in a browser worker, so that the page stays responsive. Each question and each
// answer is one message.
import { LepantoError } from '../../../engine/rules/error.js';
import { kindsWith } from '../../../selfplay/agents/kinds.js';
import { netKind } from '../../../selfplay/agents/net-player.js';
import { searchKind } from '../../../selfplay/agents/search.js';
import { DEFAULT_WEIGHTS, GraphNet } from '../../../selfplay/nets/graph-net.js';
import { readTensors, type TensorFile } from '../../../selfplay/nets/safetensors.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { parseKind } from '../../../selfplay/question/parse-kind.js';
import { savedGame } from '../../formats/games/write-saved.js';
import { askOrders, openGame, openOwn, recordOf } from '../orders/asked-game.js';
import { valueOrders } from '../orders/value-orders.js';
import type { GivenOrders, PlayAnswer, PlayQuestion, SearchAnswer } from '../page-data.js';
import { planPositionSearch } from '../position-search.js';

let weights: Promise<TensorFile> | null = null;
let tensors: TensorFile | null = null;

const loadWeights = async (): Promise<void> => {
  weights ??= fetch('default.safetensors').then(async (response) => {
    if (!response.ok) throw new LepantoError('agent', `agent net: got status ${response.status} for its weights`);
    return readTensors(new Uint8Array(await response.arrayBuffer()));
  });
  tensors = await weights.finally(() => {
    // Lets the next question fetch the weights again after a failure.
    if (tensors === null) weights = null;
  });
};

const net = netKind((file) => {
  if (file !== DEFAULT_WEIGHTS || tensors === null)
    throw new LepantoError('agent', `got "${file}", wanted default: a page has only the weights that ship`);
  const read = tensors;
  return { hash: '', readsPast: false, make: (map) => new GraphNet(map, read) };
});

const search = searchKind((file) => {
  throw new LepantoError('agent', `got "${file}", wanted none: a page reads no files`);
});

const kinds = kindsWith(net, search);
const agents = new Map<string, Agent>();

const agentNamed = async (name: string): Promise<Agent> => {
  const { kind, options } = parseKind(name, kinds, 'or a module or bot that lepanto play --agents lists');
  if (kind === net) await loadWeights();
  const agent = agents.get(name) ?? kind.make(options);
  agents.set(name, agent);
  return agent;
};

const answer = async ({ id, check, asked, save, worth, explore }: PlayQuestion): Promise<unknown> => {
  if (check !== undefined) return (await agentNamed(check)).name;
  if (save !== undefined) {
    const open = openGame(save);
    return savedGame(open.game.map, open.rules.adjudication, recordOf(open), { id: 'lepanto', dialect: 'diplomacy' });
  }
  if (worth !== undefined) return valueOrders(worth);
  if (explore !== undefined) {
    const onAnswer = (found: SearchAnswer): void =>
      postMessage({ id, found, error: null, isPart: true } satisfies PlayAnswer);
    const own = explore.own === null ? undefined : openOwn(explore.own);
    return planPositionSearch(explore, onAnswer, own).run(1, {});
  }
  if (asked === undefined) throw new LepantoError('record', 'got no question');
  const names = Object.entries(asked.seats);
  const seated = await Promise.all(names.map(async ([power, name]) => [power, await agentNamed(name)] as const));
  return {
    orders: await askOrders(openGame(asked.game), Object.fromEntries(seated)),
    faults: [],
  } satisfies GivenOrders;
};

addEventListener('message', async ({ data }: MessageEvent<PlayQuestion>) => {
  const { id } = data;
  const told: PlayAnswer = await answer(data).then(
    (found) => ({ id, found, error: null }),
    (error: unknown) => ({ id, found: null, error: error instanceof Error ? error.message : String(error) }),
  );
  postMessage(told);
});
