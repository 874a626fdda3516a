import { expect, it } from 'vitest';
import { continueOrigin, rememberOrigin } from './origin-span.js';
import { currentSpan, type Span, withSpan } from './span.js';

const span = { traceId: 'a', spanId: 'b' } as Span;

it('background work for a stored id continues the trace of the operation that stored it', () => {
  withSpan(span, () => {
    rememberOrigin('stored');
  });

  expect(continueOrigin('stored', currentSpan)).toBe(span);
  expect(continueOrigin('other', currentSpan)).toBeUndefined();
});

it('only the newest thousand origins are kept', () => {
  withSpan(span, () => {
    rememberOrigin('oldest');
    for (let number = 0; number < 1000; number += 1) rememberOrigin(`newer-${number}`);
  });

  expect(continueOrigin('oldest', currentSpan)).toBeUndefined();
});
