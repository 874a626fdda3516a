/* global AbortSignal */
import { Complaint } from './complaint.mjs';

const LIMIT_MILLIS = 15_000;

/** Sends requests, keeps cookies as a browser does (by name and path), and tells the narrator about both. */
export class Browser {
  #cookies = new Map();
  #base;
  #narrator;

  constructor(url, narrator) {
    this.#base = url.replace(/\/$/, '');
    this.#narrator = narrator;
  }

  /** A sentence instead of a story that breaks off, where nobody answers at all. */
  async reach() {
    await this.#fetch(new URL(`${this.#base}/`), 'GET', { cookies: {} });
  }

  /** The answer's body; it must be the one that the story tells of: `expect` is its status, and the code of a refusal. */
  async send(method, path, { expect, body, bearer }) {
    const url = new URL(this.#base + path);
    const cookies = this.#cookiesFor(url.pathname);
    this.#narrator.request(method, path, { body, bearer, cookies });
    const answer = await this.#fetch(url, method, { body, bearer, cookies });
    this.#narrator.answer(answer);
    this.#keep(answer.headers.getSetCookie());
    const told = answer.status < 400 ? `${answer.status}` : `${answer.status} ${answer.body?.code}`;
    if (told !== `${expect}`) throw new Complaint(`Expected ${expect}, but the service answered ${told}.`);
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
        `No answer from ${url.origin}: ${error.cause?.code || error.cause?.message || error.message}.`,
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
