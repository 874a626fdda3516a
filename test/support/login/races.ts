import { expect } from 'vitest';
import type { Answer } from '../http/http-client.js';

/** Numbers from 0, for callers that start at the same moment. */
export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Sends all requests at once; no race may cause a server error. */
export async function atOnce(count: number, send: (index: number) => Promise<Answer>): Promise<readonly Answer[]> {
  const answers = await Promise.all(upTo(count).map((index) => send(index)));
  for (const answer of answers) expect(answer.status, `${answer.request} → ${answer.text}`).toBeLessThan(500);
  return answers;
}

export function successes(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter(({ status }) => status >= 200 && status < 300);
}

/** Number of responses by outcome: the error code, or the status. */
export function outcomes(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = typeof body['code'] === 'string' ? body['code'] : String(status);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
