import { expect } from 'vitest';
import type { Answer } from '../http/http-client.js';

/** Members of every problem body. */
const PROBLEM = ['code', 'instance', 'request_id', 'status', 'timestamp', 'title', 'type'];
/** Members of the problem bodies of one code only. */
const OF_CODE: Readonly<Record<string, string>> = { VALIDATION_FAILED: 'errors', STEP_UP_REQUIRED: 'required' };
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

declare module 'vitest' {
  // The declaration must repeat that of Vitest.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The response has this status; a failure shows its body. */
    toBeAnswered(status: number): R;
    /** The response is a complete problem document (RFC 9457) with this status and code, and sets no session. */
    toBeRefused(status: number, code: string): R;
  }
}

expect.extend({
  toBeAnswered(answer: Answer, status: number) {
    return { pass: answer.status === status, message: () => `${shown(answer)}\nexpected status ${status}` };
  },
  toBeRefused(answer: Answer, status: number, code: string) {
    const flaws = flawsOf(answer, status, code);
    return {
      pass: flaws.length === 0,
      message: () => `${shown(answer)}\nexpected refusal ${status} ${code}: ${flaws.join(', ')}`,
    };
  },
});

function flawsOf({ status, headers, body, cookies, request }: Answer, expected: number, code: string): string[] {
  const members = Object.keys(body).toSorted().join(' ');
  const wanted = [...PROBLEM, ...[OF_CODE[code] ?? []].flat()].toSorted().join(' ');
  const path = request.replace(/^\S+ /, '').replace(/\?.*/, '');
  const checks: Readonly<Record<string, boolean>> = {
    status: status === expected && body['status'] === expected,
    code: body['code'] === code,
    [`members ${members}`]: members === wanted,
    'media type': headers.get('content-type')?.startsWith('application/problem+json') === true,
    'cache-control': headers.get('cache-control') === 'no-store',
    instance: String(body['instance']).endsWith(path),
    timestamp: ISO_UTC.test(String(body['timestamp'])),
    request_id: body['request_id'] === headers.get('x-request-id'),
    'a cookie that is not cleared': cookies.every(({ value }) => value === ''),
  };
  return Object.keys(checks).filter((name) => checks[name] !== true);
}

function shown({ request, status, text }: Answer): string {
  return `${request} → ${status} ${text}`;
}
