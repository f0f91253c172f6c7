// Tests the exports of each entry of the package: adding, removing or changing a name is a change for users.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readText, root } from '../tools/data.js';

/** Names of an entry: those that exist at run time, some of which are types as well; and those that are types alone. */
interface Names {
  readonly source: string;
  readonly values: string;
  readonly types: string;
}

/** By the path that users import. */
const pinned: Readonly<Record<string, Names>> = {
  lepanto: {
    source: 'engine/index.ts',
    values: `
      Batch Fate Game LepantoError NO_UNIT OrderType Phase ProvinceKind Random ReasonCode Result Sampler Score Season Status
      UnitType adjudicate adjustmentDue checkGame compileMap declareDraw explain isLegal legalByPower loadMap makeOrder
      mapNames newGame orderHelped orderLocation orderTarget orderType orderVia phaseName presetNames rulesByName
      scoreNames standard unitPower unitType`,
    types: `
      BatchOptions Center CompiledMap Dislodged ErrorCode Location MapOption MapRows Order Power PowerRow PresetName Province
      ProvinceRow Reason Results Rules ScoreName Unit`,
  },
  'lepanto/raw': {
    source: 'engine/raw.ts',
    values: `
      MAX_ORDERS_PER_PROVINCE allLegalOrders countLegalOrders hashGame legalMask legalOrders makeResults readGame
      vocabulary writeGame`,
    types: 'SpecialTables StateLayout Vocabulary',
  },
  'lepanto/selfplay': {
    source: 'selfplay/index.ts',
    values: `
      EndingWatch GameRecorder UNBOUNDED agentKinds answerEach defaultWorkers endPhase fitElo formatAgent gameScores gameSeed
      lepantoVersion loadAgent loadAgents makePool
      parseAgent parseAgents playGame playPhase readManifest readOpponent readWeights rollout runArena runGate runSelfplay searchDefaults
      searchMoves summarizePopulation verifyGame`,
    types: `
      Agent Answer Question Soon TalkQuestion WriteOrders
      AgentKind AgentOption AgentStanding AgentWarning AnchorRow ArenaGame ArenaOptions ArenaResult ArenaSpec BotUse Budget Call
      PolicyTargets
      CallOptions ChanceStep ChunkJob ClusteredMean EloFit EloRange EndingByYear Member PopulationResult SharedGame
      CodeWatch Candidate Difference Ending Evaluate GameRecord GateResult GateSpec
      HabitParameters HorizonOptions JobOptions Manifest Message MethodName NamedOpponent OpponentFile OpponentName
      OpponentParameters OptionValue PairedScores Past PhaseRecord
      PlayedPhase PlayGameOptions
      PlayoutName PlayoutOptions PlayoutSummary Pool PoolOptions PowerResult ProtocolName RankedOrders
      RolloutOptions RolloutResult RolloutTask Round RunOptions RunResult RunSpec Said Scores SearchOptions
      SearchJob SearchRequest SearchResult SeatedSpec SeenPhase SeriesOptions Share SharedRolloutOptions Standing StoredGame StoredPhase Summary Tensor
      TensorFile ValueName Weights`,
  },
  'lepanto/notation': {
    source: 'engine/notation/index.ts',
    values: `
      adjudicateRecord formatPosition legalRecord orderFields orderText orders outcomes parsePlace
      parsePosition parseUnit ruleSetByName`,
    types: `
      AdjudicatedRecord ByPower LegalRecord OrderEntry OrderFields OrderKind Place Position PositionRecord Reading RecordId RefusedOrder
      Retreats RetreatsByPower RuleSet`,
  },
  'lepanto/tensors': {
    source: 'bindings/formats/tensors/index.ts',
    values: `
      DipccOrders boardLayout deepmindAction deepmindActions deepmindBoard deepmindBoardInto deepmindKinds
      deepmindLocations deepmindSeason dipccBoard dipccBoardInto dipccVocabulary dipnetBoard dipnetBoardInto
      dipnetLocations dipnetOrders dipnetOrdersInto mapVocabulary readVocabulary`,
    types: 'BoardLayout DeepmindActions DipccVersion MappedVocabulary OrderedPhase PossibleOrders',
  },
  'lepanto/draw': {
    source: 'bindings/draw/index.ts',
    values: `
      boardOf drawBoard drawGrid drawLayers drawTerminal drawUnit patterns phaseTitle scopeOf spotsAt styleOf
      terminalColours themes`,
    types: `
      Arc Board DrawOptions DrawnOrder DrawnPhase GeometryData GridOptions Pattern Point PowerLook Shapes Spots
      TerminalColours TerminalOptions Theme`,
  },
  'lepanto/queue': {
    source: 'bindings/cluster/queue/index.ts',
    values: 'playArenaByQueue playRunByQueue readAddress serveQueues',
    types: `
      Allowed CoordinatorEvent CoordinatorOptions FailedTask MachineReport QueueAddress QueueArenaOptions QueueArenaResult
      QueueProgress QueueRunOptions QueueRunResult QueueWorkerOptions TaskRef
      WorkerEvent`,
  },
  'lepanto/games': {
    source: 'bindings/formats/games/index.ts',
    values: `
      decodeShard dialects encodeShard formatDatcOutcome formatOutcome formatSavedGame parseSavedGame playedGames
      recordedPhases replayGame`,
    types: `
      Dialect Disagreement GameRecord Message PhaseRecord PlayedBy PlayedGame RawGame RawPhase RawResult RecordedOrder RecordedPhase
      Replayed SavedGameOptions Scores StoredGame StoredPhase UncountedOrder Wording`,
  },
};

const sorted = (names: string): string[] => names.trim().split(/\s+/).sort();

/** Names in the export lists of a source, types apart. Entries have nothing but such lists. */
const exportsOf = (source: string): { values: string[]; types: string[] } => {
  const values: string[] = [];
  const types: string[] = [];
  for (const [, all, list] of source.matchAll(/^export (type )?\{([^}]*)\} from '[^']+';$/gm))
    for (const name of list.split(',').map((part) => part.trim()))
      if (name !== '')
        (all !== undefined || name.startsWith('type ') ? types : values).push(name.replace(/^type /, ''));
  return { values: values.sort(), types: types.sort() };
};

const publicApi = suite('public API');

for (const [entry, { source, values, types }] of Object.entries(pinned)) {
  publicApi(`${entry}: the names that it exports`, async () => {
    const text = readText(source);
    assert.not.match(text, /^export (?!(type )?\{)/m);
    assert.equal(exportsOf(text), { values: sorted(values), types: sorted(types) });
    const built: object = await import(new URL(`../../${source.replace(/\.ts$/, '.js')}`, import.meta.url).href);
    assert.equal(Object.keys(built).sort(), sorted(values));
  });
}

publicApi('package.json exports these entries, and no others', () => {
  const { exports } = JSON.parse(readText('package.json'));
  const wanted = Object.entries(pinned).map(([entry, { source }]) => [
    entry.replace(/^lepanto/, '.'),
    `./dist/${source.replace(/\.ts$/, '.js')}`,
  ]);
  assert.equal(exports, { ...Object.fromEntries(wanted), './package.json': './package.json' });
});

publicApi('types of no entry want packages that are not installed with lepanto', () => {
  const { exports, dependencies } = JSON.parse(readText('package.json'));
  const seen = new Set<string>();
  const strange: string[] = [];
  const look = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)) {
      if (name.startsWith('.')) look(join(path, '..', name.replace(/\.js$/, '.d.ts')));
      else if (!name.startsWith('node:') && !Object.hasOwn(dependencies, name)) strange.push(`${path}: ${name}`);
    }
  };
  for (const target of Object.values<string>(exports).filter((one) => one.endsWith('.js')))
    look(join(root, target.replace(/\.js$/, '.d.ts')));
  assert.ok(seen.size > 50);
  assert.equal(strange, []);
});
publicApi.run();
