import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An authenticator app, which knows only the content of the QR code and the time. */
export class Phone {
  #key;
  #digits;
  #period;

  /** @param otpauthUri content of the QR code */
  constructor(otpauthUri) {
    const parameters = new URL(otpauthUri).searchParams;
    const bits = Array.from(parameters.get('secret'), (symbol) =>
      ALPHABET.indexOf(symbol).toString(2).padStart(5, '0'),
    );
    const bytes = bits.join('').match(/.{8}/g);
    this.#key = Buffer.from(bytes.map((byte) => parseInt(byte, 2)));
    this.#digits = Number(parameters.get('digits') ?? 6);
    this.#period = Number(parameters.get('period') ?? 30);
  }

  get step() {
    return Math.floor(Date.now() / 1000 / this.#period);
  }

  /** Milliseconds until the app shows the code of this step. */
  millisUntil(step) {
    return Math.max(0, step * this.#period * 1000 - Date.now());
  }

  /** Code of one time step (RFC 6238 over RFC 4226). */
  code(step = this.step) {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const hmac = createHmac('sha1', this.#key).update(counter).digest();
    const number = hmac.readUInt32BE(hmac[19] & 15) & 0x7f_ff_ff_ff;
    return String(number % 10 ** this.#digits).padStart(this.#digits, '0');
  }

  /** Codes that no step near the current one has. */
  wrongCodes(count) {
    const right = new Set([-2, -1, 0, 1, 2, 3].map((offset) => this.code(this.step + offset)));
    const candidates = Array.from({ length: count + right.size }, (_, index) => String(index).repeat(6).slice(0, 6));
    return candidates.filter((code) => !right.has(code)).slice(0, count);
  }
}
