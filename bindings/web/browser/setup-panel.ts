// Controls the section Setup: units and centres by clicks or by name; map, rules and phase; the position as JSON.
import { type ByPower, parsePosition } from '../../../engine/notation/json/position.js';
import { powerTitle } from '../../draw/titles.js';
import { province } from '../orders/order-clicks.js';
import { positionIn, readWrittenPosition, unitsIn } from '../orders/written-position.js';
import type { BoardState } from './board-state.js';
import { byId, control, onClick, onTry, optionsOf, say, trying } from './page.js';
import { offerNames } from './page-maps.js';

/** Effect of a click on the board: gives an order, places a unit or sets the owner of a centre. */
export type Mode = 'orders' | 'units' | 'centers';

export interface SetupPanel {
  readonly mode: () => Mode;
  readonly useMode: (mode: Mode) => void;
  /**
   * Handles a click on the board in the modes 'units' and 'centers'. @throws Error if the unit or the owner cannot be
   * there
   */
  readonly click: (place: string) => void;
  readonly paint: () => void;
}

const modeWords: Readonly<Record<Mode, string>> = {
  orders: '',
  units: 'Click a province to place a unit there, once more to take it away; fleets change coasts.',
  centers: 'Click a supply centre to give it to the power.',
};
const modes = Object.keys(modeWords) as Mode[];

const without = (byPower: ByPower, isGone: (one: string) => boolean): ByPower =>
  Object.fromEntries(Object.entries(byPower).map(([power, list]) => [power, list.filter((one) => !isGone(one))]));

export const setupPanel = (table: BoardState, unchoose: () => void): SetupPanel => {
  let mode: Mode = 'orders';

  /**
   * Returns the location of a unit that is placed in a province. A fleet that is there already moves to the next coast.
   * @param type 'A' or 'F'
   * @param place clicked province or coast
   * @param before location of the unit that is there; undefined for none
   */
  const placeFor = (type: string, place: string, before: string | undefined): string => {
    if (type === 'A' || place.includes('/')) return place;
    const coasts = table.map.locationTags.filter((one) => one !== place && province(one) === place);
    return coasts.length === 0 ? place : coasts[(coasts.indexOf(before ?? '') + 1) % coasts.length];
  };

  const placeUnit = (place: string): void => {
    const { turn } = table.state;
    const [power, type, tag] = [control('owner').value, control('type').value, province(place)];
    const isThere = (unit: string): boolean => province(unit.slice(2)) === tag;
    const before = unitsIn(turn.units).find(([, unit]) => isThere(unit));
    let units = without(turn.units, isThere);
    if (type !== '' && power !== '') {
      const unit = `${type} ${placeFor(type, type === 'A' ? tag : place, before?.[1].slice(2))}`;
      // A second click on the same place removes the unit, unless there is another coast for it.
      if (before?.[0] !== power || before[1] !== unit) units = { ...units, [power]: [...(units[power] ?? []), unit] };
      parsePosition(positionIn({ ...turn, units, phase: 'S1901M' }), table.map, table.rules.adjudication);
    }
    table.place({ units });
  };

  const ownCenter = (place: string): void => {
    const [power, tag] = [control('owner').value, province(place)];
    if ((table.map.centerIndex[table.map.provinceTags.indexOf(tag)] ?? -1) < 0)
      throw new Error(`${tag} is not a supply centre`);
    const centers = without(table.state.turn.centers, (one) => one === tag);
    table.place({ centers: power === '' ? centers : { ...centers, [power]: [...(centers[power] ?? []), tag] } });
  };

  const useMode = (wanted: Mode): void => {
    mode = wanted;
    unchoose();
    for (const one of modes) byId(`mode-${one}`).setAttribute('aria-pressed', String(one === wanted));
    say(modeWords[wanted] || table.words());
  };

  const click = (place: string): void => (mode === 'centers' ? ownCenter(place) : placeUnit(place));

  /** Returns the position and orders as a record of `lepanto adjudicate`. */
  const record = (): Record<string, unknown> => {
    const { map, turn } = table.state;
    return { ...(map !== 'standard' && { map }), ...positionIn(turn), orders: table.written.orders };
  };

  const readRecord = (): void => {
    const { map, rules, orders, ...placed } = readWrittenPosition(
      JSON.parse(control('json').value),
      table.mapNamed,
      table.state,
    );
    table.place(placed, { map, rules, text: orders });
  };

  let shownMap = '';
  const paint = (): void => {
    const { map, rules, turn } = table.state;
    if (shownMap !== map)
      for (const [id, none] of Object.entries({ owner: 'nobody', seek: 'all' }))
        byId(id).replaceChildren(
          ...optionsOf(
            [...table.map.powerNames, ''],
            (name) => powerTitle(name) || none,
            id === 'seek' ? '' : undefined,
          ),
        );
    shownMap = map;
    for (const [id, value] of Object.entries({ map, rules, at: turn.phase, json: JSON.stringify(record()) }))
      if (control(id).value !== value) control(id).value = value;
  };

  for (const one of modes) onClick(`mode-${one}`, () => trying(() => useMode(one)));
  onTry('put', 'click', () => {
    const place = control('place').value.trim().toUpperCase();
    if (!table.map.locationTags.includes(place))
      throw new Error(`province: got "${place}", wanted one like PAR or STP/SC`);
    if (mode === 'orders') useMode('units');
    click(place);
  });
  const toStart = (map: string): void => {
    const { turn, seats } = table.startOf(map, table.state.rules);
    table.change({ map, turn, seats, text: '', handed: {} });
  };
  onTry('map-start', 'click', () => toStart(table.state.map));
  onTry('clear', 'click', () => {
    table.place({ units: {}, centers: {}, retreats: {} }, { text: '' });
    useMode('units');
  });
  onTry('map', 'change', () => {
    const wanted = control('map').value.trim();
    toStart(wanted);
    say(`The start of ${wanted}. Undo brings back what was there.`);
  });
  onTry('rules', 'change', () => table.change({ rules: control('rules').value.trim() }));
  onTry('at', 'change', () => {
    const phase = control('at').value.trim().toUpperCase();
    const { turn } = table.state;
    const retreats = phase.endsWith('R') ? turn.retreats : {};
    parsePosition(positionIn({ ...turn, phase, retreats }), table.map, table.rules.adjudication);
    table.place({ phase, retreats });
  });
  onTry('read', 'click', readRecord);
  onClick('copy', () => {
    control('json').select();
    void navigator.clipboard?.writeText(control('json').value);
  });
  offerNames();
  return { mode: () => mode, useMode, click, paint };
};
