import { describe, expect, it } from 'vitest';
import { isLoggerName, parseLevelRequest } from './level-request.js';

describe('a request to set a log level', () => {
  it.each([
    [{ configuredLevel: 'DEBUG' }, { level: 'DEBUG', forMillis: undefined }],
    [{ configuredLevel: 'warn' }, { level: 'WARN', forMillis: undefined }],
    [{ configuredLevel: 'Fatal' }, { level: 'ERROR', forMillis: undefined }],
    [{ configuredLevel: 'OFF' }, { level: 'OFF', forMillis: undefined }],
    [{ configuredLevel: null }, { level: undefined, forMillis: undefined }],
    [{}, { level: undefined, forMillis: undefined }],
    [{ configuredLevel: '' }, { level: undefined, forMillis: undefined }],
    [{ level: 'DEBUG' }, { level: undefined, forMillis: undefined }],
    [
      { configuredLevel: 'WARN', y: 1 },
      { level: 'WARN', forMillis: undefined },
    ],
    [
      { configuredLevel: 'TRACE', duration: '15m' },
      { level: 'TRACE', forMillis: 900_000 },
    ],
    [
      { configuredLevel: 'TRACE', duration: 'PT15M' },
      { level: 'TRACE', forMillis: 900_000 },
    ],
    [{ duration: '24h' }, { level: undefined, forMillis: 86_400_000 }],
  ])('M3 M4: %o is accepted', (body, expected) => {
    expect(parseLevelRequest(body)).toEqual(expected);
  });

  it.each([
    [{ configuredLevel: 'LOUD' }, ['configuredLevel unknown']],
    [{ configuredLevel: ' ' }, ['configuredLevel unknown']],
    [{ configuredLevel: '\u0131nfo' }, ['configuredLevel unknown']],
    [{ configuredLevel: 5 }, ['configuredLevel type']],
    [{ configuredLevel: true }, ['configuredLevel type']],
    [{ configuredLevel: 'DEBUG', duration: 900 }, ['duration type']],
    [{ configuredLevel: 'DEBUG', duration: '900' }, ['duration format']],
    [{ configuredLevel: 'DEBUG', duration: '' }, ['duration format']],
    [{ configuredLevel: 'DEBUG', duration: 'soon' }, ['duration format']],
    [{ configuredLevel: 'DEBUG', duration: '0s' }, ['duration range']],
    [{ configuredLevel: 'DEBUG', duration: '-5m' }, ['duration range']],
    [{ configuredLevel: 'DEBUG', duration: '25h' }, ['duration range']],
    [{ configuredLevel: 'LOUD', duration: 'x', y: 1 }, ['configuredLevel unknown', 'duration format']],
  ])('M4: %o is rejected', (body, expected) => {
    const errors = parseLevelRequest(body);

    expect(Array.isArray(errors) && errors.map(({ field, code }) => `${field} ${code}`)).toEqual(expected);
  });

  it('M4: a member named __proto__ sets no level', () => {
    const body = JSON.parse('{"__proto__":{"configuredLevel":"DEBUG"}}') as Record<string, string>;

    expect(parseLevelRequest(body)).toEqual({ level: undefined, forMillis: undefined });
  });
});

describe('the name of a logger in a request', () => {
  it.each(['auth', 'auth.mfa', 'a/b', 'A-b_c.9', 'x'.repeat(200), 'constructor', '...'])('may be %s', (name) => {
    expect(isLoggerName(name)).toBe(true);
  });

  it.each(['', 'x'.repeat(201), 'a b', 'a\nb', 'a:b', 'é', '../x\\', '__proto__', 'a.__proto__', '__proto__/b'])(
    'M4: cannot be "%s"',
    (name) => {
      expect(isLoggerName(name)).toBe(false);
    },
  );
});
