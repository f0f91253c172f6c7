// A store that speaks as much of S3 as the client of AWS needs for runs over a queue: objects in memory, path-style.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

export class FakeS3 {
  /** By 'BUCKET/KEY'. */
  readonly objects = new Map<string, Buffer>();
  /** How often each method was called. */
  readonly calls = new Map<string, number>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<FakeS3> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeS3(server);
  }

  /** What a process needs to use it. */
  get environment(): NodeJS.ProcessEnv {
    return {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'us-east-1',
    };
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const key = decodeURIComponent(pathname.slice(1)).replace(/\/$/, '');
    this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
    const body = await bodyOf(request);
    const found = this.objects.get(key);
    if (searchParams.has('list-type')) {
      response.setHeader('content-type', 'application/xml');
      response.end(this.list(key, searchParams.get('prefix') ?? ''));
    } else if (method === 'PUT') {
      this.objects.set(key, body);
      response.end();
    } else if (method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (found !== undefined) response.end(found);
    else response.writeHead(404).end('<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>');
  }

  private list(bucket: string, prefix: string): string {
    const keys = [...this.objects.keys()]
      .map((key) => key.slice(bucket.length + 1))
      .filter((key) => key.startsWith(prefix));
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');
    return `<ListBucketResult><Name>${bucket}</Name><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`;
  }
}
