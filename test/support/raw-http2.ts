import { handshake } from './secure-client.js';

/** What a server sent on one connection of HTTP/2. */
export interface RawHttp2Answer {
  /** Streams whose answer began. */
  readonly answered: readonly number[];
  /** Streams that were reset, with the code (RFC 9113 section 7). */
  readonly reset: ReadonlyMap<number, number>;
  /** The code of a GOAWAY. */
  readonly goaway: number | undefined;
  /** It was the server that closed. */
  readonly isClosed: boolean;
}

const TYPE = { headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 };
const END_STREAM = 1;
const END_HEADERS = 4;
const LARGEST_FRAME = 16_000;
const FRAME_HEAD_BYTES = 9;

/** What a client sends first (RFC 9113 section 3.4). */
export const HELLO = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(TYPE.settings, 0, 0)]);

/**
 * Sends frames that no client library would, and reads until that many streams are answered or reset, or the server
 * closes. It never confirms a setting, as nobody can be made to.
 */
export async function sendRawHttp2(
  url: string,
  ca: string,
  frames: readonly Buffer[],
  streams: number,
): Promise<RawHttp2Answer> {
  const socket = await handshake(url, { ca, ALPNProtocols: ['h2'] });
  const answered: number[] = [];
  const reset = new Map<number, number>();
  let goaway: number | undefined;
  let isClosed = true;
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= FRAME_HEAD_BYTES && rest.length >= FRAME_HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const [type, stream] = [rest[3], rest.readUInt32BE(5)];
      const end = FRAME_HEAD_BYTES + rest.readUIntBE(0, 3);
      if (type === TYPE.headers) answered.push(stream);
      if (type === TYPE.reset) reset.set(stream, rest.readUInt32BE(FRAME_HEAD_BYTES));
      if (type === TYPE.goaway) goaway = rest.readUInt32BE(FRAME_HEAD_BYTES + 4);
      rest = rest.subarray(end);
    }
    if (answered.length + reset.size < streams) return;
    isClosed = false;
    socket.destroy();
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // In one piece, so that the server has all of it before it answers any.
  socket.write(Buffer.concat([HELLO, ...frames]));
  await closed;
  return { answered, reset, goaway, isClosed };
}

/** A `GET /` without a body; `large` bytes of one more header are put into as many frames as they need. */
export function requestFrames(stream: number, large = 0): readonly Buffer[] {
  const block = Buffer.concat([
    // Of the static table: GET, https, /; then :authority as a text (RFC 7541 appendix A).
    Buffer.from([0x82, 0x87, 0x84, 0x41, 9]),
    Buffer.from('localhost'),
    ...(large === 0 ? [] : [Buffer.from([0, 1]), Buffer.from('x'), integer(large), Buffer.alloc(large, 'x')]),
  ]);
  const parts = Array.from({ length: Math.ceil(block.length / LARGEST_FRAME) }, (_, index) =>
    block.subarray(index * LARGEST_FRAME, (index + 1) * LARGEST_FRAME),
  );
  return parts.map((part, index) => {
    const flags = (index === 0 ? END_STREAM : 0) | (index === parts.length - 1 ? END_HEADERS : 0);
    return frame(index === 0 ? TYPE.headers : TYPE.continuation, flags, stream, part);
  });
}

export function resetFrame(stream: number): Buffer {
  return frame(TYPE.reset, 0, stream, Buffer.from([0, 0, 0, 8]));
}

export function pingFrame(): Buffer {
  return frame(TYPE.ping, 0, 0, Buffer.alloc(8));
}

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A length with a prefix of seven bits (RFC 7541 section 5.1). */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
