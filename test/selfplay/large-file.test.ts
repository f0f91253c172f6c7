// Large files are written past the page cache, or through it, whichever a thread finds faster: what they hold is the same.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeLarge } from '../../selfplay/records/large-file.js';

const temporary = mkdtempSync(join(tmpdir(), 'lepanto-large-'));
const files = suite('large files');
files.after(() => rmSync(temporary, { recursive: true, force: true }));

const contentOf = (size: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => Math.imul(i + seed, 0x9e37_79b1) >>> 24);

// More than the tries that both ways have, each file of another size than the one before it.
const SIZES = [3, 4096, 1 << 18, (1 << 18) + 1, (1 << 20) - 1, 700_001, 700_000, 1 << 20, 300_000, 2_500_000, 262_145];

files('have exactly the bytes that were given, of any size and at any address', () => {
  SIZES.forEach((size, i) => {
    const path = join(temporary, `whole-${i}`);
    const content = contentOf(size + i, i).subarray(i);
    writeLarge(path, content);
    assert.ok(readFileSync(path).equals(content), `${size} bytes`);
  });
  assert.is(readdirSync(temporary).length, SIZES.length);
});

files('that cannot be written are named', () => {
  const path = join(temporary, 'nowhere', 'games-00000.lep');
  for (let i = 0; i < 10; i++)
    assert.throws(
      () => writeLarge(path, contentOf(300_000, i)),
      /^cannot write .*games-00000\.lep: its directory does not/,
    );
});
files.run();
