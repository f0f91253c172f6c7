// The code blocks of documents, and which documents have theirs run.

/** A block: fenced, with its language, or indented. */
export interface Block {
  readonly language: string;
  readonly code: string;
}

export const INDENTED = 'indented';

/** All blocks of a document in Markdown. */
export const blocksOf = (markdown: string): Block[] => {
  const blocks: Block[] = [];
  const rest = markdown.replace(/^```(\w*)\n([\s\S]*?)^```$/gm, (_, language: string, code: string) => {
    blocks.push({ language, code });
    return '';
  });
  for (const [, code] of rest.matchAll(/(?<=\n\n)((?: {4}.*\n)+(?:\n+(?: {4}.*\n)+)*)/g))
    blocks.push({ language: INDENTED, code: code.replace(/^ {4}/gm, '') });
  return blocks;
};

/** Documents whose commands test/project/readme.slow.test.ts runs, in this order and one directory, with their programs. */
export const commandDocuments: readonly string[] = [
  'README.md',
  'selfplay/README.md',
  'bindings/README.md',
  'bindings/protocols/PRESS.md',
  'bindings/draw/README.md',
  'bench/README.md',
  'engine/README.md',
];

/** Documents whose `python` and `sh` blocks test/bindings/python/python.slow.test.ts runs, but for those that install. */
export const packageDocuments: readonly string[] = ['bindings/python/README.md', 'bindings/python/GUIDE.md'];
