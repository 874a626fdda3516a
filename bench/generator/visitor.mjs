import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { answerIn } from '../load/answer.mjs';

/** All sockets read into the same buffer: its content is processed before the next socket reads. */
const arrived = Buffer.allocUnsafeSlow(64 * 1024);

/** A client that may be rejected: one socket that is cheap to open and to lose; one request at a time. */
export class Visitor {
  #received = '';
  #pending;
  #socket;

  constructor(address) {
    this.#socket = connect({ ...address, onread: { buffer: arrived, callback: (size) => this.#take(size) } });
    // An error is followed by the close.
    this.#socket.on('error', () => undefined).on('close', () => this.#answered(undefined));
  }

  /** Calls back with the response, or without one if the connection ended before it. */
  ask(bytes, then) {
    this.#pending = then;
    this.#socket.write(bytes);
  }

  get isOpen() {
    return this.#socket.writable;
  }

  leave() {
    this.#socket.destroy();
  }

  #take(size) {
    this.#received += arrived.latin1Slice(0, size);
    const answer = answerIn(this.#received);
    if (answer === undefined) return true;
    this.#received = this.#received.slice(answer.length);
    this.#answered(answer);
    return true;
  }

  #answered(answer) {
    const then = this.#pending;
    this.#pending = undefined;
    then?.(answer);
  }
}
