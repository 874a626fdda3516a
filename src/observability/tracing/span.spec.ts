import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../kernel/errors/service-error.js';
import {
  continueOrigin,
  currentSpan,
  errorType,
  inSpan,
  rememberOrigin,
  type Span,
  withoutSpan,
  withSpan,
} from './span.js';

/** Records the calls of a span and of its children. */
class FakeSpan implements Span {
  readonly traceId = '0af7651916cd43dd8448eb211c80319c';
  readonly spanId = 'b7ad6b7169203331';
  readonly isRecording = true;
  readonly children: FakeSpan[] = [];
  readonly calls: unknown[] = [];

  child(name: string): FakeSpan {
    const span = new FakeSpan();
    span.calls.push(name);
    this.children.push(span);
    return span;
  }

  set(attributes: object): void {
    this.calls.push(attributes);
  }

  fail(type: string): void {
    this.calls.push(`failed: ${type}`);
  }

  end(): void {
    this.calls.push('end');
  }

  headers(): Record<string, string> {
    return {};
  }
}

describe('inSpan', () => {
  it('runs the work in a child of the operation in progress and ends it', async () => {
    const request = new FakeSpan();

    const seen = await withSpan(request, () => inSpan('work', () => Promise.resolve(currentSpan())));

    expect(seen).toBe(request.children[0]);
    expect(request.children[0]?.calls).toEqual(['work', 'end']);
  });

  it('runs the work without a span outside of a trace', async () => {
    expect(await inSpan('work', (span) => Promise.resolve([span, currentSpan()]))).toEqual([undefined, undefined]);
  });

  it.each([
    ['a defect', new TypeError('secret'), 'failed: TypeError'],
    ['an outage', new ServiceError('UNAVAILABLE'), 'failed: UNAVAILABLE'],
    ['a rejection', new ServiceError('MFA_CODE_INVALID'), { 'login.rejection': 'MFA_CODE_INVALID' }],
  ])('tells of %s without its message and throws it', async (_, error, expected) => {
    const request = new FakeSpan();

    const work = withSpan(request, () => inSpan('work', () => Promise.reject(error)));

    await expect(work).rejects.toBe(error);
    expect(request.children[0]?.calls).toEqual(['work', expected, 'end']);
  });
});

it('background work that an operation starts is outside of its trace', () => {
  expect(withSpan(new FakeSpan(), () => withoutSpan(currentSpan))).toBeUndefined();
});

it.each([
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  [new RangeError('x'), 'RangeError'],
  ['text', 'string'],
])('the type of an error is its code or its class', (error, expected) => {
  expect(errorType(error)).toBe(expected);
});

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
