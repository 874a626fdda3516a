import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { answerIn } from '../load/answer.mjs';

/** All sockets read into the same memory: what arrives is looked at before the next one reads. */
const arrived = Buffer.allocUnsafeSlow(64 * 1024);

/** A client that may be sent away: one socket, as cheap to open and lose as the language allows; one request at a time. */
export class Visitor {
  #received = '';
  #pending;
  #socket;

  constructor(address) {
    this.#socket = connect({ ...address, onread: { buffer: arrived, callback: (size) => this.#take(size) } });
    // An error is followed by the close.
    this.#socket.on('error', () => undefined).on('close', () => this.#answered(undefined));
  }

  /** Calls back with the answer, or with nothing where the connection ended without one. */
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
