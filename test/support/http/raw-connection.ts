import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '../runner/wait-until.js';

/** One connection on which a test writes and reads raw bytes. */
export class RawConnection {
  private received = '';
  private closed = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.received += text));
    // A reset appears as a missing response.
    socket.on('error', () => undefined);
    socket.once('close', () => (this.closed = true));
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  /** Wraps an open connection, such as one with TLS. */
  static on(socket: Socket): RawConnection {
    return new RawConnection(socket);
  }

  get text(): string {
    return this.received;
  }

  /** Every status line so far. */
  get statuses(): readonly number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  get isClosed(): boolean {
    return this.closed;
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** A request without a body. */
  get(path: string, headers = ''): void {
    this.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  }

  async untilAnswered(times = 1): Promise<void> {
    await waitUntil(`${times} responses have arrived`, () => this.statuses.length >= times, { everyMillis: 5 });
  }

  async untilClosed(limitMillis = 10_000): Promise<void> {
    await waitUntil('the service closed the connection', () => this.closed, { limitMillis, everyMillis: 5 });
  }

  /** Stops reading until `read`. */
  stopReading(): void {
    this.socket.pause();
  }

  read(): void {
    this.socket.resume();
  }

  /** Closes the connection without a message. */
  leave(): void {
    this.socket.destroy();
  }
}
