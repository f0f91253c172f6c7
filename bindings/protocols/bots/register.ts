// Makes agents of the scheme `exec:COMMAND` known to this thread, by being imported.
import { addScheme } from '../../../selfplay/workers/schemes.js';

addScheme('exec', new URL('./exec-agent.js', import.meta.url).href);
