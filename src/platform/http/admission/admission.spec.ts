import { expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { Admission, type Slot } from './admission.js';

const nothing = (): void => undefined;

it('admission grants slots first, then places in the queue, then nothing', () => {
  const admission = new Admission(2, 1);

  expect(admission.enter(nothing)?.isWaiting).toBe(false);
  expect(admission.enter(nothing)?.isWaiting).toBe(false);
  expect(admission.isFull).toBe(false);
  expect(admission.enter(nothing)?.isWaiting).toBe(true);
  expect(admission.isFull).toBe(true);
  expect(admission.enter(nothing)).toBeUndefined();
});

it('waiting requests start in the order of their arrival as slots become free', () => {
  const admission = new Admission(1, 3);
  const started: string[] = [];
  const first = admission.enter(nothing);
  const others = ['a', 'b', 'c'].map((name) => admission.enter(() => started.push(name)));

  first?.leave();
  expect(started).toEqual(['a']);
  others[0]?.leave();
  expect(started).toEqual(['a', 'b']);
});

it('a request that leaves the queue never starts and frees its place', () => {
  const admission = new Admission(1, 1);
  const started: string[] = [];
  const first = admission.enter(nothing);
  const gone = admission.enter(() => started.push('gone'));
  expect(admission.isFull).toBe(true);

  gone?.leave();
  expect(admission.isFull).toBe(false);
  admission.enter(() => started.push('next'));
  first?.leave();

  expect(started).toEqual(['next']);
});

it('no request waits if the queue has no places', () => {
  const admission = new Admission(1, 0);
  const first = admission.enter(nothing);

  expect(admission.enter(nothing)).toBeUndefined();
  first?.leave();
  expect(admission.enter(nothing)).toBeDefined();
});

it('a request that leaves twice frees one slot', () => {
  const admission = new Admission(2, 0);
  const first = admission.enter(nothing);
  admission.enter(nothing);
  first?.leave();
  first?.leave();

  expect(admission.enter(nothing)).toBeDefined();
  expect(admission.enter(nothing)).toBeUndefined();
});

it('in any order of arrivals and departures, no slot is exceeded or lost', () => {
  const steps = fc.array(fc.oneof(fc.constant('enter' as const), fc.nat({ max: 20 })), { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }), steps, (limit, places, moves) => {
      const admission = new Admission(limit, places);
      const present: Slot[] = [];
      for (const move of moves) {
        const hasRoom = present.length < limit + places;
        const ticket = move === 'enter' ? admission.enter(nothing) : undefined;
        if (move !== 'enter') present.splice(move, 1)[0]?.leave();
        if (ticket) present.push(ticket);
        expect(ticket !== undefined).toBe(move === 'enter' && hasRoom);
        const running = present.filter(({ isWaiting }) => !isWaiting).length;
        expect(running).toBe(Math.min(present.length, limit));
      }
    }),
  );
});
