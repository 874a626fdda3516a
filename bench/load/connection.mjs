// A cheap load generator: one keep-alive socket per client, requests as prepared text, responses read only as far as
// necessary.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import { answerIn } from './answer.mjs';

/** One client of `http://host:port` with a keep-alive socket; it sends one request at a time. */
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

  /** Sends a text of `requestText`; the response has `status`, and `head` and `body` as text. */
  send(text) {
    return new Promise((resolve, reject) => {
      // A closed socket would accept the request and never respond.
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
    if (!this.#pending) return this.#fail(new Error('a response without a request'));
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

/** Text of a request with a JSON body, with the encoded fields of a form, or without a body. */
export function requestText(method, path, { body, form, headers = {} } = {}) {
  const content = form ?? (body === undefined ? '' : JSON.stringify(body));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const media = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const type = content === '' ? '' : `Content-Type: ${media}\r\n`;
  return (
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\n${lines.join('')}${type}` +
    `Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`
  );
}
