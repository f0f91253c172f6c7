// Writes a zip archive of stored, not compressed members, as numpy's .npz is one. Every member has the fields of 64 bits,
// so that it may be larger than 4 GB.
import { crc32 } from 'node:zlib';
import type { WholeFile } from '../../../selfplay/records/whole-file.js';

const LOCAL = 0x0403_4b50;
const CENTRAL = 0x0201_4b50;
const END_64 = 0x0606_4b50;
const LOCATOR_64 = 0x0706_4b50;
const END = 0x0605_4b50;
const VERSION_64 = 45;
const EXTRA_64 = 1;
/** 1 January 1980: the bytes do not depend on the day. */
const DATE = 0x21;
const MANY = 0xffff_ffff;

/** Reads the content of a member from its beginning, as often as it is asked to. */
export type Content = () => Iterable<Uint8Array>;

interface Member {
  readonly name: Buffer;
  readonly crc: number;
  readonly size: number;
  readonly offset: number;
}

/** Numbers one behind the other: 2, 4 or 8 bytes each, little-endian. */
const pack = (...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer => {
  const out = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) out.writeBigUInt64LE(BigInt(value), at);
    else out.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return out;
};

export class ZipFile {
  declare private readonly file: WholeFile;
  declare private readonly members: Member[];
  declare private at: number;

  constructor(file: WholeFile) {
    this.file = file;
    this.members = [];
    this.at = 0;
  }

  private write(bytes: Uint8Array): void {
    this.file.write(bytes);
    this.at += bytes.length;
  }

  /** Adds a member; its content is read twice. */
  add(path: string, content: Content): void {
    let crc = 0;
    let size = 0;
    for (const bytes of content()) {
      crc = crc32(bytes, crc);
      size += bytes.length;
    }
    const name = Buffer.from(path);
    const member = { name, crc, size, offset: this.at };
    const extra = pack([2, EXTRA_64], [2, 16], [8, size], [8, size]);
    this.write(pack([4, LOCAL], ...ZipFile.head(member, extra.length)));
    this.write(name);
    this.write(extra);
    for (const bytes of content()) this.write(bytes);
    this.members.push(member);
  }

  /** What the heads of a member in both places have in common. */
  private static head({ name, crc }: Member, extra: number): [2 | 4 | 8, number][] {
    return [
      [2, VERSION_64],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, DATE],
      [4, crc],
      [4, MANY],
      [4, MANY],
      [2, name.length],
      [2, extra],
    ];
  }

  /** Writes the directory of the members. The file is still to be finished. */
  finish(): void {
    const begin = this.at;
    for (const member of this.members) {
      const { name, size, offset } = member;
      const extra = pack([2, EXTRA_64], [2, 24], [8, size], [8, size], [8, offset]);
      this.write(pack([4, CENTRAL], [2, VERSION_64], ...ZipFile.head(member, extra.length)));
      this.write(pack([2, 0], [2, 0], [2, 0], [4, 0], [4, MANY]));
      this.write(name);
      this.write(extra);
    }
    const [end, count] = [this.at, this.members.length];
    const counts: [8, number][] = [
      [8, count],
      [8, count],
      [8, end - begin],
      [8, begin],
    ];
    this.write(pack([4, END_64], [8, 44], [2, VERSION_64], [2, VERSION_64], [4, 0], [4, 0], ...counts));
    this.write(pack([4, LOCATOR_64], [4, 0], [8, end], [4, 1]));
    this.write(pack([4, END], [2, 0], [2, 0], [2, 0xffff], [2, 0xffff], [4, MANY], [4, MANY], [2, 0]));
  }
}
