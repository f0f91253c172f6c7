// Plays recorded sessions of bots of others anew: the server answers as it did, word for word.
//
// test/data/daide-session.txt holds what seven clients of others sent in a game to 1904. daide-bots.slow.test.ts runs the
// bots themselves.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rulesByName } from '../../../engine/internal.js';
import { readSession, withoutPasscode } from '../../tools/daide-session.js';
import { serve } from '../../tools/daide-table.js';
import { dataPath } from '../../tools/data.js';
import { DaideClient } from './daide-client.js';

const recorded = readSession(readFileSync(dataPath('daide-session.txt'), 'utf8'));
const SEATS = 7;
const sessions = suite('daide sessions');

sessions('seven recorded clients are told what they were told', async () => {
  const rules = rulesByName(
    'datc-3.2,convoyRoutes=all,paradox=dptg,adjacentConvoy=written,cutFromOrigin=yes,superfluousConvoy=legal',
  );
  const { server, port } = await serve({ until: 1904, limits: [600, 600, 600], rules });
  try {
    const clients: DaideClient[] = [];
    for (let seat = 0; seat < SEATS; seat++) {
      const client = await DaideClient.join(port);
      const sent = recorded.filter((line) => line.isSent && line.client === seat);
      const sendTurn = (turn: number): void =>
        client.send(...sent.filter((line) => line.turn === turn).map(({ text }) => text));
      let turn = 0;
      client.onMessage = (text) => {
        if (text.startsWith('NOW')) sendTurn(++turn);
      };
      const [name = { text: '' }, ...rest] = sent.filter((line) => line.turn === 0);
      client.send(name.text);
      await client.hear('MAP');
      clients.push(client);
      client.send(...rest.map(({ text }) => text));
    }
    await clients[0].hear('OFF', 600_000);
    const told = recorded.filter(({ isSent }) => !isSent).map(({ text }) => text);
    assert.ok(told.length > 250);
    assert.equal(clients[0].heard.filter((text) => text !== 'RM').map(withoutPasscode), told);
    for (const client of clients) client.leave();
  } finally {
    await server.close();
  }
});

sessions.run();
