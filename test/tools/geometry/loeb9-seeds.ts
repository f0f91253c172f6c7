// The seed table of loeb9, a map of nine powers: that of the standard map, wider to the north and east, with Spain in four
// parts and five islands that are provinces.
import type { SeedTable } from './seed-table.js';
import { standardSeeds } from './standard-seeds.js';

const { SPA: _, ...seeds } = standardSeeds.seeds;

// biome-ignore format: one line a province
export const loeb9Seeds: SeedTable = {
  ...standardSeeds,
  name: 'loeb9',
  width: 1060,
  height: 905,
  origin: [442, 561],
  pools: {
    ...standardSeeds.pools,
    'Spain, Andorra': 'CAT COR MAD NAV',
    'France, Monaco': 'BRE PIC PAR BUR GAS MAR BEL CRS',
    'Italy, San Marino, Vatican, Liechtenstein': 'PIE VEN TUS ROM APU NAP TYR SIC SAR',
    'Russia, Kazakhstan': 'STP MOS SEV LVN PRU NWY UKR SIB KAZ',
    'Ireland': 'IRE',
    'Iceland': 'ICE',
  },
  neutral: 'Switzerland, Cyprus, N. Cyprus, Malta, Libya, Egypt, Iran, Turkmenistan, Uzbekistan, Faeroe Is.',
  neutralIslands: '24.9 35.25, 33.2 35',
  seeds: {
    ...seeds,
    NAP: '14.6 40.9, 15.7 40.2, 16.3 39.2',
    SEV: '33.5 47.2, 37.5 48.2, 41 46.5, 44 44, 34.2 45.2, 31 47.3, 42 43, 45 47, 44.5 49',
    MOS: '37.5 55.7, 33 54.5, 41 53.5, 46 54.5, 37 52, 43 51.6, 30.5 54, 50 54, 42 57.5, 49 57',
    STP: '31 59.5, 34 62, 34 67, 42 64, 40 60, 46 61.5, 47 66, 49 64',
    NAO: '-16 57, -12 60, -20 54, -9 56.5, -6.5 57, -5.4 55, -7.5 58.5, -25 63.5, -13 52.6',
    NWG: '0 66, 4 70, -4 62, 8 67, -8 66, 12 71, -4.5 59.5, -2.8 58.3, -14 68.2, -20 67.6, -27 66.8',
    BAR: '35 72.5, 40 70, 26 72, 45 70.5, 38 66',
    IRI: '-4.8 53.6, -6.5 51.5, -8 51, -10.2 51',
    MAO: '-12 45, -15 40, -10 36, -16 47, -5 45.5, -12 32, -7.5 36, -12.3 49.2',
    WES: '1 38, 4 38.5, -3 36, 6.5 38.9, 8.6 38',
    LYO: '5 42.3, 7 42.2, 4 41, 8.5 43.5, 7.4 40.9',
    CAT: '0.6 41.6, -0.6 40.6, -0.4 39.4, -0.8 42.4',
    NAV: '-3 42.8, -6 43, -8 42.8, -1.9 42.7',
    MAD: '-3.7 40.6, -5.6 41.3, -2.3 41.2',
    COR: '-4.8 37.7, -2.2 37.9, -5.9 38.7, -3.2 38.7',
    IRE: '-8 53.2, -6.5 54.5',
    ICE: '-18.5 65',
    CRS: '9.1 42.1',
    SAR: '9 40',
    SIC: '14.2 37.5',
    KAZ: '52 48.5, 49.5 50.5, 58 50, 49 48.3',
    SIB: '62 65, 56 62.5, 60 58, 64 70, 54 66.5, 56 58.5',
    ARC: '20 77, 0 76, 40 76, 55 75, -15 72.5, -30 70.5, 60 72, -36 69',
  },
  paint: [
    ...standardSeeds.paint,
    { as: 'NAP', line: '15.5 38.1, 15.9 38.3', width: 12, only: 'sea', why: 'NAP touches SIC' },
    { as: 'sea', area: '8 76, 30 76, 30 82, 8 82', why: 'Svalbard left out' },
  ],
  links: { 'COR NAF': 'link over the strait where MAO and WES meet; difficult passage' },
  exceptions: { 'NAP SIC': 'armies only: the common border ends at seas, where fleets may not pass' },
  hints: {
    ...standardSeeds.hints,
    MOS: '40 55.5',
    SIB: '58 61',
    ARC: '10 76',
    KAZ: '52 49.5',
  },
};
