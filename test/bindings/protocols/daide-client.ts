// A client of DAIDE, written from the published documents: the Client-Server Protocol and the Message Syntax. It shares
// nothing with the server, so that a mistake there is not made here, too: the table below is in the order of the
// alphabet, as the appendix of the syntax has it, and messages are text.
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Tokens by name, in hexadecimal. */
const table = `
  ADM=481D ADR=520E AEG=520F ALB=5421 ALY=4A00 AMY=4200 AND=4A01 ANK=5530 AOA=4900 APU=5422 ARM=5423 AUS=4100 AUT=4703
  BAL=5210 BAR=5211 BCC=4A23 BEL=5531 BER=5532 BLA=5212 BLD=4380 BNC=4501 BOH=5000 BRA=4000 BRE=5533 BTL=4901 BUD=5107
  BUL=5748 BUR=5001 BWX=4A02 CCD=4800 CHO=4A22 CLY=5424 CON=5534 CST=4402 CTO=4320 CUT=4502 CVY=4321 DEN=5535 DMZ=4A03
  DRW=4801 DSB=4340 DSD=490D DSR=4503 EAS=5213 ECH=5214 ECS=4604 EDI=5536 ELS=4A04 ENG=4101 ERR=4902 ESC=4403 EXP=4A05
  FAL=4702 FAR=4404 FCT=4A07 FIN=5425 FLD=4504 FLT=4201 FOR=4A08 FRA=4102 FRM=4802 FWD=4A06 GAL=5002 GAS=5426 GER=4103
  GOB=5215 GOF=4803 GOL=5216 GRE=5537 HEL=5217 HLD=4322 HLO=4804 HOL=5538 HOW=4A09 HSC=4405 HST=4805 HUH=4806 IAM=4807
  IDK=4A0A IFF=4A0B INS=4A0C ION=5218 IRI=5219 ITA=4104 KET=4001 KIE=5539 LOD=4808 LON=553A LVL=4903 LVN=5427 LVP=553B
  MAO=521A MAP=4809 MAR=553C MBV=4400 MDF=480A MIS=480B MOS=5108 MRT=4904 MTL=4905 MTO=4323 MUN=5109 NAF=5428 NAO=521B
  NAP=553D NAS=4406 NCS=4600 NEC=4602 NMB=4407 NME=480C NMR=4408 NOT=480D NOW=480E NPB=4906 NPR=4907 NRN=4409 NRS=440A
  NSA=440B NSC=440C NSF=440D NSO=4505 NSP=440E NSU=4410 NTH=521C NVR=4411 NWC=460E NWG=521D NWY=553E NYU=4412 OBS=480F
  OCC=4A0E OFF=4810 ORD=4811 ORR=4A0F OUT=4812 PAR=510A PCE=4A10 PDA=4908 PIC=5429 PIE=542A POB=4A11 POR=553F PRN=4813
  PRP=4A13 PRU=542B PTL=4909 QRY=4A14 REJ=4814 REM=4381 RET=4506 ROM=5540 RTL=490A RTO=4341 RUH=5003 RUM=5541 RUS=4105
  SCD=4A15 SCO=4815 SCS=4608 SEC=4606 SER=510B SEV=5542 SIL=5004 SKA=521E SLO=4816 SMR=481E SMY=5543 SND=4817 SPA=5749
  SPR=4700 SRY=4A16 STP=574A SUB=4818 SUC=4500 SUG=4A17 SUM=4701 SUP=4324 SVE=4819 SWC=460A SWE=5544 SYR=542C THK=4A18
  THN=4A19 THX=481A TME=481B TRI=5545 TRY=4A1A TUN=5546 TUR=4106 TUS=542D TYR=5005 TYS=521F UKR=5006 UNO=490B UNT=4A24
  VEN=5547 VIA=4325 VIE=510C VSS=4A1C WAL=542E WAR=510D WCS=460C WES=5220 WHT=4A1D WHY=4A1E WIN=4704 WVE=4382 XDO=4A1F
  XOY=4A20 YDO=4A21 YES=481C YOR=542F YSC=4413`;

const numbers = new Map(
  Array.from(table.matchAll(/(\w+)=(\w+)/g), ([, name, token]) => [name, Number.parseInt(token, 16)] as const),
);
numbers.set('(', 0x4000);
numbers.set(')', 0x4001);

/** A text as tokens: `NME ('me') ('1.0')`, `SUB (SPR 1901) ((FRA AMY PAR) HLD)`. */
export const encode = (text: string, names: ReadonlyMap<string, number> = numbers): number[] => {
  const found: number[] = [];
  for (const [part] of text.matchAll(/'[^']*'|[()]|[^\s()]+/g)) {
    if (part.startsWith("'")) for (const letter of part.slice(1, -1)) found.push(0x4b00 + letter.charCodeAt(0));
    else if (/^-?\d+$/.test(part)) found.push(Number(part) & 0x3fff);
    else if (/^#[0-9a-f]{4}$/i.test(part)) found.push(Number.parseInt(part.slice(1), 16));
    else {
      const token = names.get(part) ?? numbers.get(part);
      if (token === undefined) throw new Error(`no token ${part}`);
      found.push(token);
    }
  }
  return found;
};

const byToken = (names: ReadonlyMap<string, number>): Map<number, string> =>
  new Map([...names].map(([name, token]) => [token, name]));
const standardNames = byToken(numbers);

/** Tokens as text. */
export const decode = (tokens: readonly number[], known: ReadonlyMap<number, string> = standardNames): string => {
  let text = '';
  let letters = '';
  for (const token of [...tokens, -1]) {
    if (token >> 8 === 0x4b) {
      letters += String.fromCharCode(token & 255);
      continue;
    }
    if (letters !== '') text += ` '${letters}'`;
    letters = '';
    if (token < 0) break;
    if (token < 0x4000) text += ` ${token >= 0x2000 ? token - 0x4000 : token}`;
    else text += ` ${known.get(token) ?? `#${token.toString(16)}`}`;
  }
  return text.replace(/\( /g, '(').replace(/ \)/g, ')').trim();
};

export const header = (type: number, length: number): Buffer => Buffer.from([type, 0, length >> 8, length & 255]);

/** A diplomacy message. */
export const diplomacy = (tokens: readonly number[]): Buffer => {
  const body = Buffer.from(Uint16Array.from(tokens).buffer).swap16();
  return Buffer.concat([header(2, body.length), body]);
};

export const INITIAL = Buffer.from([0, 0, 0, 4, 0, 1, 0xda, 0x10]);

/** A message from the server: its type, and for a diplomacy message its text, for an error its code. */
export interface Incoming {
  readonly type: number;
  readonly text: string;
  readonly code: number;
}

/** A connection to a server. */
export class DaideClient {
  /** Everything that has come, as text: 'RM', 'NOW (SPR 1901) ...', 'FM', 'EM 2', and 'CLOSED' at the end. */
  readonly heard: string[] = [];
  /** Names of the map, once a representation message has told them. */
  names: Map<string, number> = numbers;
  private known = standardNames;
  /** Called with each diplomacy message. */
  onMessage: (text: string) => void = () => {};
  private rest: Buffer = Buffer.alloc(0);
  private read = 0;
  private readonly notes = new EventEmitter();

  constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.on('error', () => {});
    socket.on('close', () => this.note('CLOSED'));
  }

  /** Connects, and sends nothing. */
  static async open(port: number): Promise<DaideClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new DaideClient(socket);
  }
  /** Connects, sends the initial message and waits for the representation message. */
  static async join(port: number): Promise<DaideClient> {
    const client = await DaideClient.open(port);
    client.socket.write(INITIAL);
    await client.hear('RM');
    return client;
  }

  private note(text: string): void {
    this.heard.push(text);
    this.notes.emit('note');
  }
  private take(bytes: Buffer): void {
    this.rest = Buffer.concat([this.rest, bytes]);
    while (this.rest.length >= 4 && this.rest.length >= 4 + this.rest.readUInt16BE(2)) {
      const length = this.rest.readUInt16BE(2);
      const body = this.rest.subarray(4, 4 + length);
      const type = this.rest[0];
      this.rest = this.rest.subarray(4 + length);
      if (type === 1) this.learn(body);
      if (type === 3) this.note('FM');
      if (type === 4) this.note(`EM ${body.readUInt16BE(0)}`);
      if (type !== 2) continue;
      const tokens = Array.from({ length: length / 2 }, (_, i) => body.readUInt16BE(2 * i));
      const text = decode(tokens, this.known);
      this.note(text);
      this.onMessage(text);
    }
  }
  private learn(body: Buffer): void {
    if (body.length > 0) {
      const isOfMap = (token: number): boolean => token >> 8 === 0x41 || (token >> 8 >= 0x50 && token >> 8 <= 0x57);
      this.names = new Map([...numbers].filter(([, token]) => !isOfMap(token)));
      for (let at = 0; at < body.length; at += 6)
        this.names.set(body.toString('latin1', at + 2, at + 5), body.readUInt16BE(at));
      this.known = byToken(this.names);
    }
    this.note('RM');
  }

  send(...texts: readonly string[]): void {
    this.socket.write(Buffer.concat(texts.map((text) => diplomacy(encode(text, this.names)))));
  }

  /** The next thing heard that begins so; what came before it is passed over. @throws Error if it does not come */
  async hear(begin: string, limitMs = 20_000): Promise<string> {
    const signal = AbortSignal.timeout(limitMs);
    const fail = (why: string): never => {
      throw new Error(`${why} ${begin}; heard ${this.heard.slice(-8).join(' | ').slice(0, 2000)}`);
    };
    for (;;) {
      while (this.read < this.heard.length) {
        const text = this.heard[this.read++];
        if (text.startsWith(begin)) return text;
        if (text === 'CLOSED') fail('closed before');
      }
      await once(this.notes, 'note', { signal }).catch(() => fail('no'));
    }
  }
  /** Sends a message, and waits for an answer that begins so. */
  ask(text: string, begin: string): Promise<string> {
    this.send(text);
    return this.hear(begin);
  }

  /** Sits down: name, map, YES. */
  async sit(name: string): Promise<void> {
    await this.ask(`NME ('${name}') ('1')`, 'YES (NME');
    const map = await this.hear('MAP');
    this.send(`YES (${map})`);
  }

  /** Leaves as the protocol wants it. */
  leave(): void {
    this.socket.end(header(3, 0));
  }
  /** Leaves without a word. */
  kill(): void {
    this.socket.destroy();
  }
}

/** The parts of a text in brackets: '(a (b)) (c)' is ['a (b)', 'c']. */
export const parts = (text: string): string[] => {
  const found: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(' && depth++ === 0) begin = i + 1;
    if (text[i] === ')' && --depth === 0) found.push(text.slice(begin, i));
  }
  return found;
};
