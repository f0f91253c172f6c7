// Maps and rules by name: workers and files name them, and the tables are found here.
export { loadMap, mapNames } from '../engine/map/index.js';
export { presetNames as rulesNames, rulesByName as findRules } from '../engine/rules.js';
