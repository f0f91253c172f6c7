// Runs `lepanto map`: lists maps, checks map files, and converts map files of other programs.
import { type CompiledMap, loadMap, mapNames, SEA, shortNames } from '../../../engine/internal.js';
import type { ValuesOf } from '../../../selfplay/question/option.js';
import { writeWhole } from '../../../selfplay/records/whole-file.js';
import { formatMapFile } from '../../formats/maps/map-file.js';
import { checkRows, compileFile, openMap, readMapFile } from '../../formats/maps/open-map.js';
import { makeTable, numbers, renderText, words } from '../../reports/table.js';
import { optionText, readArguments } from '../../terminal/options.js';
import { printable } from '../../terminal/output.js';
import { checkFile, orUsage, UsageError } from '../../terminal/usage.js';

export const options = {
  out: { takes: 'FILE', help: 'output (default: standard output)' },
  name: { takes: 'NAME', help: 'name of the map (default: the name of the file)' },
  variant: { takes: 'NAME', help: 'variant, in a file of jDip with several' },
  json: { help: 'one JSON object a map' },
} as const;

export const help = `
usage: lepanto map list [--json]
       lepanto map show MAP
       lepanto map check FILE ...
       lepanto map import FILE [--out FILE.json] [--name NAME] [--variant NAME]

list      lists the maps that ship with Lepanto, with their sizes
show      prints such a map, or a file, as a map file of Lepanto
check     lists errors in map files (exit code 1 if there are any)
import    converts a map file of another program:
          .map   of the DPjudge and of the Python package diplomacy, with the
                 files in its directory that it names
          .xml   of jDip: its file of variants, with the file of adjacencies
                 in its directory
          Ignored directives are listed on standard error. Unsupported rules
          for borders, units or phases are errors.

${optionText(options)}

--map of other commands also takes the path of such a file: --map ./my-map.json.
france-austria and germany-italy are short for the maps for two players,
standard_france_austria and standard_germany_italy.

Special rules of a map are options after its name: --map colonial,tsr,suez is
--map colonial --map-options tsr,suez. Options:
  tsr            colonial: the Trans-Siberian railroad
  suez           colonial: the Suez canal
  hongKong       colonial: Hong Kong is not a centre for China
  ice, difficult loeb9: ice in fall, difficult borders (default: on; ice=no,
                 difficult=no)
  buildAnywhere  any map: builds in every owned centre (default: on for chaos)
and edits, with + between several:
  convoyable=DEN+SWE, fleetBorders=BER-DEN, armyBorders=SIC-TUN,
  difficult=SIC-TUN
ancmed has convoyable=BAL, as in diplomacy; ancmed,convoyable=no is the map of
webDiplomacy.
`;

const sizeNames = ['powers', 'provinces', 'locations', 'seas', 'centers', 'victory'] as const;

const sizes = (map: CompiledMap): Record<(typeof sizeNames)[number], number> => ({
  powers: map.powerCount,
  provinces: map.provinceCount,
  locations: map.locationCount,
  seas: map.kind.filter((kind) => kind === SEA).length,
  centers: map.centerCount,
  victory: map.victoryCenters,
});

const list = (json: boolean): number => {
  const short = new Map([...shortNames].map(([name, map]) => [map, name]));
  const rows = mapNames
    .map(loadMap)
    .map((map) => ({ name: map.name, short: short.get(map.name), id: map.id, ...sizes(map) }));
  const columns = [
    words<(typeof rows)[number]>('map', ({ name, short }) => (short === undefined ? name : `${name} (${short})`)),
    ...sizeNames.map((size) => numbers<(typeof rows)[number]>(size, (row) => row[size])),
  ];
  if (json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else process.stdout.write(renderText([makeTable(rows, columns)]));
  return 0;
};

const check = (paths: readonly string[], json: boolean): number => {
  if (paths.length === 0) throw new UsageError('map check: got no file, wanted one or more');
  let bad = 0;
  for (const path of paths) {
    try {
      const { rows, notes } = readMapFile(path);
      const map = checkRows(rows);
      const line = json
        ? JSON.stringify({ path, name: map.name, id: map.id, ...sizes(map), notes })
        : `${path}: ${map.name}, ${map.powerCount} powers, ${map.provinceCount} provinces, ${map.centerCount} centres`;
      process.stdout.write(`${line}\n`);
    } catch (error) {
      bad++;
      const { message } = error as Error;
      process.stdout.write(json ? `${JSON.stringify({ path, error: message })}\n` : printable(`${path}: ${message}\n`));
    }
  }
  return bad > 0 ? 1 : 0;
};

const importFile = (paths: readonly string[], { out, name, variant }: ValuesOf<typeof options>): number => {
  if (paths.length !== 1) throw new UsageError(`map import: got ${paths.length} files, wanted one`);
  if (out !== undefined) checkFile('--out', out, ['.json']);
  const [path] = paths;
  const { rows, notes } = readMapFile(path, { name, variant });
  // The map is compiled, because this rejects inconsistent rows.
  const map = compileFile(rows);
  const text = formatMapFile(rows);
  if (out === undefined) process.stdout.write(text);
  else writeWhole(out, text);
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  if (out !== undefined)
    process.stderr.write(`${out}: ${map.name}, ${map.powerCount} powers, ${map.provinceCount} provinces\n`);
  return 0;
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const [action = 'list', ...rest] = positionals;
  const stray = (['out', 'name', 'variant'] as const).find((name) => values[name] !== undefined);
  if (stray !== undefined && action !== 'import')
    throw new UsageError(`--${stray}: got it with map ${action}, wanted it only with map import`);
  switch (action) {
    case 'list':
      return list(values.json);
    case 'show':
      if (rest.length !== 1) throw new UsageError(`map show: got ${rest.length} maps, wanted one`);
      process.stdout.write(formatMapFile(orUsage('map show', () => openMap(rest[0])).rows));
      return 0;
    case 'check':
      return check(rest, values.json);
    case 'import':
      return importFile(rest, values);
    default:
      throw new UsageError(`map: got "${action}", wanted one of list, show, check, import`);
  }
};
