// Compiles assembly.ts and writes the result as code.ts, a module that loads in Node, in workers and in browsers.
import { readFileSync, writeFileSync } from 'node:fs';
import { compileString } from 'assemblyscript/asc';

const source = readFileSync(new URL('assembly.ts', import.meta.url), 'utf8');
const { binary, error, stderr } = await compileString(source, {
  enable: 'simd',
  runtime: 'stub',
  importMemory: true,
  noExportMemory: true,
  noAssert: true,
  optimizeLevel: 3,
});
if (error !== null) throw new Error(`assembly.ts: ${error.message}\n${stderr}`);
writeFileSync(
  new URL('code.ts', import.meta.url),
  `// Written by build.mjs from assembly.ts: WebAssembly in base64.\nexport const code = '${Buffer.from(binary).toString('base64')}';\n`,
);
