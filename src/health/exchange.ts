import { connect } from 'node:net';

/** Far more than an answer of any server that is asked here. */
const MOST_CHARACTERS = 64 * 1024;

export interface Exchange {
  readonly host: string;
  readonly port: number;
  /** Sent as soon as the connection is there; nothing to a server that speaks first. */
  readonly question: string;
  /** Whether what has come so far is all of the answer. */
  readonly isWhole: (answer: string) => boolean;
  /** Sent at the end. */
  readonly farewell: string;
}

/** Asks a server of a text protocol one thing over a connection of its own. */
export function exchange({ host, port, question, isWhole, farewell }: Exchange, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host, port, signal });
    socket.setEncoding('latin1');
    socket.once('connect', () => socket.write(question));
    socket.on('data', (text: string) => {
      answer += text;
      if (isWhole(answer)) {
        resolve(answer);
        socket.removeAllListeners('data');
        // Whatever the other side does with its end.
        socket.end(farewell, () => socket.destroy());
      } else if (answer.length > MOST_CHARACTERS) {
        socket.destroy(new Error('the answer has no end'));
      }
    });
    // What comes after the answer does not matter any more.
    socket.on('error', reject);
    socket.once('close', () => {
      reject(new Error('the connection was closed before the answer'));
    });
  });
}
