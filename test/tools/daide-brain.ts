// Plays DAIDE with an agent of Lepanto: reads NOW and SCO into a game, and writes the agent's orders as SUB. Like the
// client that it speaks through it is written from the documents, and shares nothing with the server.
import * as E from '../../engine/internal.js';
import type { Agent } from '../../selfplay/question/agent.js';
import { type DaideClient, parts } from '../bindings/protocols/daide-client.js';
import { ordersBy } from './simple-agents.js';

const { standard } = E;
const powers = standard.powerNames.map((name) => name.slice(0, 3));
const otherTags: Readonly<Record<string, string>> = { ENG: 'ECH', BOT: 'GOB', LYO: 'GOL' };
const provinces = standard.provinceTags.map((tag) => otherTags[tag] ?? tag);

const turns = {
  SPR: [E.SPRING, E.MOVEMENT],
  SUM: [E.SPRING, E.RETREAT],
  FAL: [E.FALL, E.MOVEMENT],
  AUT: [E.FALL, E.RETREAT],
  WIN: [E.WINTER, E.ADJUSTMENT],
} as const;

/** 'STP/SC' as (STP SCS), 'PAR' as PAR. */
const writePlace = (location: number): string => {
  const [, coast] = standard.locationTags[location].split('/');
  const province = provinces[standard.locationProvince[location]];
  return coast === undefined ? province : `(${province} ${coast}S)`;
};

/** The location of 'PAR' or '(STP SCS)'. */
const readPlace = (text: string): number => {
  const [province, coast] = text.replace(/[()]/g, '').split(' ');
  const p = provinces.indexOf(province);
  if (coast === undefined) return p;
  return standard.locationTags.indexOf(`${standard.provinceTags[p]}/${coast.slice(0, 2)}`);
};

interface SeenUnit {
  readonly power: number;
  readonly type: number;
  readonly location: number;
  /** As it is written, with its brackets. */
  readonly text: string;
  /** Where it may retreat to; null for one that was not dislodged. */
  readonly retreats: readonly string[] | null;
}

const readUnit = (text: string): SeenUnit => {
  const [whole, power, type, place] = /^(\w{3}) (\w{3}) (\w{3}|\(\w{3} \w{3}\))/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`no unit: ${text}`);
  const must = / MRT \((.*)\)$/.exec(text);
  return {
    power: powers.indexOf(power),
    type: type === 'FLT' ? E.FLEET : E.ARMY,
    location: readPlace(place),
    text: `(${whole})`,
    retreats: must === null ? null : [...must[1].matchAll(/\(\w{3} \w{3}\)|\w{3}/g)].map(([one]) => one),
  };
};

/** What a client knows of its game. */
export class DaideBrain {
  power = -1;
  passcode = 0;
  private readonly game: E.Game = E.newGame();
  private units: SeenUnit[] = [];
  private last: Promise<void> = Promise.resolve();
  private isOver = false;
  /** Turns that it has seen. */
  turns = 0;

  constructor(
    readonly client: DaideClient,
    readonly agent: Agent,
    private readonly seed: number = 1,
  ) {
    // One after the other: the position must not change while orders for it are chosen.
    client.onMessage = (text) => {
      this.last = this.last.then(() => this.hear(text));
    };
  }

  private async hear(text: string): Promise<void> {
    if (text.startsWith('HLO')) {
      const [power, passcode] = parts(text);
      this.power = powers.indexOf(power);
      this.passcode = Number(passcode);
    }
    if (text.startsWith('SCO')) this.readCenters(text);
    if (text === 'DRW' || text.startsWith('SLO')) this.isOver = true;
    if (text.startsWith('NOW') && !this.isOver) {
      this.readPosition(text);
      this.turns++;
      const orders = await this.choose();
      if (orders.length > 0) this.client.send(`SUB ${orders.map((order) => `(${order})`).join(' ')}`);
    }
    if (text === 'OFF') this.client.leave();
  }

  private readCenters(text: string): void {
    for (const part of parts(text)) {
      const [owner, ...centers] = part.split(' ');
      for (const center of centers)
        this.game.setOwner(standard.centerIndex[provinces.indexOf(center)], powers.indexOf(owner));
    }
  }

  private readPosition(text: string): void {
    const [turn, ...units] = parts(text);
    const [season, year] = turn.split(' ') as [keyof typeof turns, string];
    const { game } = this;
    for (let p = 0; p < standard.provinceCount; p++) game.removeUnit(p);
    game.year = Number(year);
    [game.season, game.phase] = turns[season];
    this.units = units.map(readUnit);
    for (const { power, type, location, retreats } of this.units)
      if (retreats === null) game.placeUnit(power, type, location);
  }

  private textAt(province: number): string {
    return (
      this.units.find(({ location, retreats }) => retreats === null && standard.locationProvince[location] === province)
        ?.text ?? ''
    );
  }

  private async choose(): Promise<string[]> {
    const { game, power } = this;
    if (game.phase === E.RETREAT)
      return this.units
        .filter((unit) => unit.power === power && unit.retreats !== null)
        .map(({ text, retreats }) => (retreats?.[0] === undefined ? `${text} DSB` : `${text} RTO ${retreats[0]}`));
    const orders = Array.from(await ordersBy(this.agent, game, power, new E.Random(this.seed, this.turns, power)));
    return game.phase === E.MOVEMENT ? this.writeMoves(orders) : this.writeAdjustments(orders);
  }

  private writeMoves(orders: readonly number[]): string[] {
    const byProvince = new Map(orders.map((order) => [standard.locationProvince[E.orderLocation(order)], order]));
    return this.units
      .filter(({ power }) => power === this.power)
      .map(({ location, text }) => this.writeMove(byProvince.get(standard.locationProvince[location]), text));
  }
  private writeMove(order: number | undefined, unit: string): string {
    if (order === undefined) return `${unit} HLD`;
    const target = E.orderTarget(order);
    const to = provinces[standard.locationProvince[target]];
    switch (E.orderType(order)) {
      case E.MOVE:
        return E.orderVia(order) === 1 ? `${unit} HLD` : `${unit} MTO ${writePlace(target)}`;
      case E.SUPPORT_HOLD:
        return `${unit} SUP ${this.textAt(target)}`;
      case E.SUPPORT_MOVE:
        return `${unit} SUP ${this.textAt(E.orderHelped(order))} MTO ${to}`;
      case E.CONVOY:
        return `${unit} CVY ${this.textAt(E.orderHelped(order))} CTO ${to}`;
      default:
        return `${unit} HLD`;
    }
  }

  private writeAdjustments(orders: readonly number[]): string[] {
    const { game, power } = this;
    const builds = orders
      .filter((order) => E.orderType(order) !== E.WAIVE)
      .map((order) => {
        if (E.orderType(order) === E.REMOVE)
          return `${this.textAt(standard.locationProvince[E.orderLocation(order)])} REM`;
        const type = E.orderType(order) === E.BUILD_FLEET ? 'FLT' : 'AMY';
        return `(${powers[power]} ${type} ${writePlace(E.orderLocation(order))}) BLD`;
      });
    const units = this.units.filter((unit) => unit.power === power).length;
    const due = standard.centers.filter((_, center) => game.owner(center) === power).length - units;
    const waives = Array.from({ length: Math.max(0, due - builds.length) }, () => `${powers[power]} WVE`);
    return due === 0 ? [] : [...builds, ...waives];
  }
}
