/* global AbortSignal */
import { Complaint } from './complaint.mjs';

const LIMIT_MILLIS = 15_000;

/** Sends requests and stores cookies as a browser does (by name and path); the narrator prints both. */
export class Browser {
  #cookies = new Map();
  #base;
  #narrator;

  constructor(url, narrator) {
    this.#base = url.replace(/\/$/, '');
    this.#narrator = narrator;
  }

  /** Fails with one sentence if the service does not respond at all. */
  async reach() {
    await this.#fetch(new URL(`${this.#base}/`), 'GET', { cookies: {} });
  }

  /** Returns the body of the response; `expect` is the status that it must have, and the code of an error. */
  async send(method, path, { expect, body, bearer }) {
    const url = new URL(this.#base + path);
    const cookies = this.#cookiesFor(url.pathname);
    this.#narrator.request(method, path, { body, bearer, cookies });
    const answer = await this.#fetch(url, method, { body, bearer, cookies });
    this.#narrator.answer(answer);
    this.#keep(answer.headers.getSetCookie());
    const told = answer.status < 400 ? `${answer.status}` : `${answer.status} ${answer.body?.code}`;
    if (told !== `${expect}`) throw new Complaint(`Expected ${expect}, but the service responded ${told}.`);
    return answer.body;
  }

  async #fetch(url, method, { body, bearer, cookies }) {
    const headers = {};
    if (body) headers['content-type'] = 'application/json';
    if (bearer) headers.authorization = `Bearer ${bearer}`;
    const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
    if (pairs.length > 0) headers.cookie = pairs.join('; ');
    try {
      const signal = AbortSignal.timeout(LIMIT_MILLIS);
      const response = await fetch(url, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) });
      const text = await response.text();
      const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined };
    } catch (error) {
      throw new Complaint(
        `No response from ${url.origin}: ${error.cause?.code || error.cause?.message || error.message}.`,
      );
    }
  }

  #cookiesFor(path) {
    const due = Array.from(this.#cookies).filter(([, cookie]) =>
      `${path}/`.startsWith(cookie.path.replace(/\/?$/, '/')),
    );
    return Object.fromEntries(due.map(([name, { value }]) => [name, value]));
  }

  #keep(lines) {
    for (const line of lines) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      const path = /; *path=([^;]*)/i.exec(line)?.[1] ?? '/';
      const isOver = /; *max-age=0\b/i.test(line) || /; *expires=thu, 01 jan 1970/i.test(line);
      if (isOver || value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path });
    }
  }
}
