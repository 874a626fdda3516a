import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { LoginStory } from '../login/login-story.js';
import { MULTIPART } from './multipart.js';
import { waitUntil } from '../runner/wait-until.js';

/** A request of an administrator that the test sends, or whose response it reads, piece by piece. */
export class SlowRequest {
  private received = '';

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => (this.received += bytes.toString('latin1'))).on('error', () => undefined);
  }

  /** Sends the head of an import. */
  static upload(story: LoginStory, bearer: string, length: number, query = ''): Promise<SlowRequest> {
    const headers = [`content-type: ${MULTIPART}`, `content-length: ${length}`];
    return SlowRequest.begin(story, bearer, `POST /admin/users/import${query}`, headers);
  }

  static get(story: LoginStory, bearer: string, path: string): Promise<SlowRequest> {
    return SlowRequest.begin(story, bearer, `GET ${path}`, []);
  }

  private static async begin(
    { service }: LoginStory,
    bearer: string,
    line: string,
    headers: readonly string[],
  ): Promise<SlowRequest> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const request = new SlowRequest(socket);
    const head = [`${line} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${bearer}`, ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    return request;
  }

  get status(): number | undefined {
    const [, status] = /^HTTP\/1\.1 (\d+) /.exec(this.received) ?? [];
    return status === undefined ? undefined : Number(status);
  }

  get code(): string | undefined {
    return /"code":"(\w+)"/.exec(this.received)?.[1];
  }

  /** The status of the response, once its head has arrived. */
  answered(): Promise<number> {
    return waitUntil('the response arrives', () => this.status);
  }

  /** Everything that was received before the end of the connection. */
  async ended(): Promise<string> {
    await waitUntil('the connection ends', () => this.socket.closed);
    return this.received;
  }
}
