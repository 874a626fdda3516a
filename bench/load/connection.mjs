// A load generator that costs little: one kept socket for each client, requests written as ready text, answers read only
// as far as they are needed.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import { answerIn } from './answer.mjs';

/** One client of `http://host:port` whose socket stays open; one request at a time. */
export class Connection {
  #socket;
  #received = '';
  #pending;
  #ended;

  static async open({ host, port }) {
    const socket = connect({ host, port, noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the service closed a connection that should stay open')));
  }

  /** Sends what `requestText` made; the answer has `status`, `head` and `body`, both as text. */
  send(text) {
    return new Promise((resolve, reject) => {
      // A socket that is gone would take the request and never answer.
      if (this.#ended) return reject(this.#ended);
      this.#pending = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close() {
    this.#socket.removeAllListeners('close').destroy();
  }

  #take(chunk) {
    this.#received += chunk.latin1Slice();
    const answer = answerIn(this.#received);
    if (answer === undefined) return;
    this.#received = this.#received.slice(answer.length);
    if (/\r\ntransfer-encoding:/i.test(answer.head)) return this.#fail(new Error('an answer of unknown length'));
    if (!this.#pending) return this.#fail(new Error('an answer that nobody asked for'));
    const { resolve } = this.#pending;
    this.#pending = undefined;
    resolve(answer);
  }

  #fail(error) {
    this.#ended ??= error;
    this.#pending?.reject(error);
    this.#pending = undefined;
  }
}

/** Text of a request whose body is JSON, or nothing. */
export function requestText(method, path, { body, headers = {} } = {}) {
  const json = body === undefined ? '' : JSON.stringify(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const type = body === undefined ? '' : 'Content-Type: application/json\r\n';
  return (
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\n${lines.join('')}${type}` +
    `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
  );
}
