import { expect, it } from 'vitest';
import { thrownParts, thrownText } from './thrown.js';

it('an aggregate error lists its errors', () => {
  const error = new AggregateError([new Error('one address'), new Error('another')], 'all failed');

  expect(thrownParts(error).map(({ link, message }) => link + message)).toEqual([
    'all failed',
    'With: one address',
    'With: another',
  ]);
});

it('a circular cause ends the chain', () => {
  const error = new Error('one');
  error.cause = new Error('other', { cause: error });

  expect(thrownParts(error)).toHaveLength(2);
});

it('a chain of causes has at most six parts', () => {
  const error = Array.from({ length: 50 }).reduce<Error>((cause, _, at) => new Error(`e${at}`, { cause }), new Error());

  expect(thrownParts(error)).toHaveLength(6);
});

it('L1: a thrown value that is not an error is not written', () => {
  expect(thrownText({ password: 'hunter2' })).toBe('object: not an error\n');
  expect(thrownText('hunter2')).toBe('string: not an error\n');
});

it('L1: messages of errors and causes are masked, and members of errors are omitted', () => {
  const inner = Object.assign(new Error('connect to mysql://root:hunter2@db/x'), { parameters: ['hunter3'] });
  const error = new Error('query failed: password=hunter4', { cause: inner });

  const text = thrownText(error);

  expect(text).toContain('mysql://******@db/x');
  expect(text).not.toMatch(/hunter/);
});

it('an error whose stack cannot be read gets a fixed text', () => {
  const error = Object.defineProperty(new Error('x'), 'stack', {
    get: () => {
      throw new Error('no');
    },
  });

  expect(thrownText(error)).toBe('Error: an error that cannot be read\n');
});
