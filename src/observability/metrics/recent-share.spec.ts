import { expect, it } from 'vitest';
import { RecentShare } from './recent-share.js';

/** A core whose times a test sets. */
function core(): { readonly share: RecentShare; readonly work: (busy: number, all: number) => void } {
  const now = { busySeconds: 100, allSeconds: 1000 };
  const share = new RecentShare(() => ({ ...now }));
  return {
    share,
    work: (busy, all) => {
      now.busySeconds += busy;
      now.allSeconds += all;
    },
  };
}

it('RecentShare is the share since the start, then since the last read', () => {
  const { share, work } = core();
  work(1, 4);
  expect(share.value).toBe(0.25);
  work(9, 10);
  expect(share.value).toBe(0.9);
});

it('RecentShare repeats its value within a second and includes that time later', () => {
  const { share, work } = core();
  work(1, 4);
  expect(share.value).toBe(0.25);
  work(0.5, 0.5);
  expect(share.value).toBe(0.25);
  work(0.5, 1.5);
  expect(share.value).toBe(0.5);
});

it('RecentShare is 0 if no time has passed', () => {
  expect(core().share.value).toBe(0);
});

it.each([
  { busy: 5, all: 4, share: 1 },
  { busy: -1, all: 4, share: 0 },
])('RecentShare stays between 0 and 1 for $busy of $all', ({ busy, all, share: expected }) => {
  const { share, work } = core();
  work(busy, all);
  expect(share.value).toBe(expected);
});
