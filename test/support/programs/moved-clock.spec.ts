import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MovedClock } from './moved-clock.js';

/** Output of a process with this clock for an expression. */
async function seenBy(clock: MovedClock, expression: string): Promise<string> {
  const args = [...clock.nodeArguments, '--print', expression];
  return (await promisify(execFile)(process.execPath, args)).stdout.trim();
}

describe('moved clock', () => {
  it('a moved clock stands still in the middle of a step until a test moves it', async () => {
    const clock = new MovedClock();
    const before = clock.millis;
    clock.advance(3600);

    expect(Number(await seenBy(clock, 'Date.now()'))).toBe(before + 3_600_000);
    expect(clock.seconds % 30).toBe(15);
    clock.back(7200);
    expect(Number(await seenBy(clock, 'Date.now()'))).toBe(before - 3_600_000);
  });

  it('a moved clock changes every way to read the date', async () => {
    const clock = new MovedClock();
    clock.advance(1_000_000);

    const seen = await seenBy(
      clock,
      '[new Date().getTime(), Date.parse(Date()), +new Date(5), new Date() instanceof Date].join()',
    );

    expect(seen).toBe([clock.millis, clock.millis, 5, true].join());
  });

  it('a moved clock advances with the machine after run()', async () => {
    const clock = new MovedClock();
    clock.advance(86_400);
    const stood = clock.millis;
    clock.run();

    const seen = Number(await seenBy(clock, 'Date.now()'));

    expect(seen).toBeGreaterThan(stood);
    expect(seen).toBeLessThanOrEqual(clock.millis);
  });

  it('a moved clock changes the time of a running process', async () => {
    const clock = new MovedClock();
    const before = clock.millis;
    const program = 'console.log(Date.now()); process.stdin.once("data", () => console.log(Date.now()))';
    const child = spawn(process.execPath, [...clock.nodeArguments, '--eval', program]);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();

    const first = await lines.next();
    clock.advance(60);
    child.stdin.end('now');
    const second = await lines.next();

    expect([first.value, second.value]).toEqual([String(before), String(before + 60_000)]);
  });
});
