// The order of locations in boards for nets. DipNet and dipcc share one order of the 81 locations of the standard map.
import { type CompiledMap, type Location, standard } from '../../engine/internal.js';

const TOPOLOGICAL =
  'YOR EDI LON LVP NTH WAL CLY NWG ENG IRI NAO BEL DEN HEL HOL NWY SKA BAR BRE MAO PIC BUR RUH BAL KIE ' +
  'SWE FIN STP STP/NC GAS PAR NAF POR SPA SPA/NC SPA/SC WES MAR MUN BER BOT LVN PRU STP/SC MOS TUN LYO ' +
  'TYS PIE BOH SIL TYR WAR SEV UKR ION TUS NAP ROM VEN GAL VIE TRI ARM BLA RUM ADR AEG ALB APU EAS GRE ' +
  'BUD SER ANK SMY SYR BUL BUL/EC CON BUL/SC';

/**
 * Returns the locations of a map in the order of the rows of DipNet's and dipcc's boards. On maps other than the
 * standard map: in ascending order.
 */
export const dipnetLocations = (map: CompiledMap): Location[] =>
  map.locationCount === standard.locationCount && map.provinceTags.every((tag, p) => tag === standard.provinceTags[p])
    ? TOPOLOGICAL.split(' ').map((tag) => map.locationTags.indexOf(tag))
    : Array.from({ length: map.locationCount }, (_, l) => l);
