import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import type { LogLine } from '../log-line.js';
import { ConversionProblem } from '../../../config/problem.js';
import { compilePattern, logPattern } from './pattern.js';

const LINE: LogLine = {
  at: Date.UTC(2031, 4, 4, 10, 15, 30, 123),
  level: 'INFO',
  logger: 'auth.mfa.lock',
  message: 'the door is open',
  thread: 'main',
  context: { requestId: 'req-12345', user: 'anna-1' },
};

function written(pattern: string, line: Partial<LogLine> = {}, hasColor = false): string {
  return compilePattern(pattern, { hasColor })({ ...LINE, ...line });
}

describe('a log pattern', () => {
  it.each([
    ['writes the level', '%level %le %p', 'INFO INFO INFO'],
    ['writes the logger', '%logger %lo %c', 'auth.mfa.lock auth.mfa.lock auth.mfa.lock'],
    ['shortens the logger to its last part', '%logger{0}', 'lock'],
    [
      'shortens the logger to a number of characters',
      '%logger{9} %logger{5} %logger{40}',
      'a.m.lock a.m.lock auth.mfa.lock',
    ],
    ['abbreviates no more parts of the logger than necessary', '%logger{10}', 'a.mfa.lock'],
    ['writes the thread', '%thread %t', 'main main'],
    ['writes the process id', '%pid', String(process.pid)],
    ['writes the message', '%msg|%m|%message', 'the door is open|the door is open|the door is open'],
    ['writes a line break', 'a%n-b', 'a\n-b'],
    ['writes a member of the context', '%X{requestId} %mdc{user}', 'req-12345 anna-1'],
    ['writes no correlation id without a trace', '%correlationId|', '|'],
    ['writes the default of a missing context member', '%X{ip:-none} [%X{ip}] %X{traceId:-}', 'none [] '],
    ['writes the whole context', '%X', 'requestId=req-12345, user=anna-1'],
    ['writes the date', '%d{yyyy-MM-dd HH:mm:ss.SSS,UTC}', '2031-05-04 10:15:30.123'],
    ['writes the date in a time zone', "%d{yyyy-MM-dd'T'HH:mm:ssXXX, Asia/Seoul}", '2031-05-04T19:15:30+09:00'],
    ['writes a date whose quoted pattern contains a comma', '%date{"HH:mm:ss,SSS",UTC}', '10:15:30,123'],
    ['writes the date as ISO8601', '%d{ISO8601,UTC}', '2031-05-04 10:15:30,123'],
    ['writes escaped characters', '100%% \\% \\(', '100% % ('],
    ['writes other text unchanged', 'a (b) [c] {d}', 'a (b) [c] {d}'],
    ['writes a group', '%(%level: %msg)%n', 'INFO: the door is open\n'],
    ['writes parentheses inside a group', '%-12([%p] (x))|', '[INFO] (x)  |'],
    ['writes no colors without a terminal', '%clr(%p){red}', 'INFO'],
  ])('%s: %s', (_name, pattern, expected) => {
    expect(written(pattern)).toBe(expected);
  });

  it.each([
    ['%-6level|', 'INFO  |'],
    ['%6level|', '  INFO|'],
    ['%.2level|', 'FO|'],
    ['%.-2level|', 'IN|'],
    ['%-6.3level|', 'NFO   |'],
    ['%20.20logger|', '       auth.mfa.lock|'],
    ['%-20.-4logger|', 'auth                |'],
    ['%-8(%p)|', 'INFO    |'],
  ])('pads and truncates by %s', (pattern, expected) => {
    expect(written(pattern)).toBe(expected);
  });

  it.each([
    ['%clr(x)', 'ERROR', '\u001b[31mx\u001b[0;39m'],
    ['%clr(x)', 'WARN', '\u001b[33mx\u001b[0;39m'],
    ['%clr(x)', 'DEBUG', '\u001b[32mx\u001b[0;39m'],
    ['%clr(%5p){faint}', 'INFO', '\u001b[2m INFO\u001b[0;39m'],
  ] as const)('colors %s at %s on a terminal', (pattern, level, expected) => {
    expect(written(pattern, { level }, true)).toBe(expected);
  });

  it('writes fields after the message, with secrets masked', () => {
    const fields = { by: 'ops', text: 'two words', password: 'hunter2', list: [1, 'a'] };

    expect(written('%msg', { message: 'm', fields })).toBe('m by=ops text="two words" password=****** list=[1,"a"]');
  });
});

describe('the error of a log line', () => {
  const error = new TypeError('outer', { cause: new Error('inner') });

  it.each(['%msg%n%ex', '%msg%n%throwable', '%msg%n%xEx', '%msg%n'])('is written with its causes by %s', (pattern) => {
    const lines = written(pattern, { error }).split('\n');

    expect(lines.slice(0, 2)).toEqual(['the door is open', 'TypeError: outer']);
    expect(lines).toContain('Caused by: Error: inner');
    expect(lines.filter((line) => line.startsWith('    at ')).length).toBeGreaterThan(1);
    expect(lines.at(-1)).toBe('');
  });

  it('is limited to the configured number of frames', () => {
    expect(written('%ex{1}', { error }).match(/^ {4}at /gm)).toHaveLength(2);
    expect(written('%ex{short}', { error }).match(/^ {4}at /gm)).toHaveLength(2);
  });

  it('is surrounded by empty lines with %wEx', () => {
    expect(written('%wEx', { error })).toMatch(/^\nTypeError: outer\n[^]*\n\n$/);
  });

  it('is omitted with %nopex', () => {
    expect(written('%msg%nopex', { error })).toBe('the door is open');
  });

  it('adds nothing to a line without an error', () => {
    expect(written('%msg%n%ex%wEx')).toBe('the door is open\n');
  });
});

describe('L2: a log pattern for texts that would forge a log line', () => {
  it.each([
    ['escapes CR and LF', 'a\r\nb', 'a\\u000d\\u000ab'],
    ['escapes line separators', 'a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\u0085d'],
    ['escapes ESC', 'a\u001b[31mb', 'a\\u001b[31mb'],
    ['escapes VT and FF', 'a\vb\fc', 'a\\u000bb\\u000cc'],
    ['escapes NUL, BEL and DEL', 'a\0b\u0007c\u007f', 'a\\u0000b\\u0007c\\u007f'],
    ['escapes changes of the text direction', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['escapes a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ])('%s', (_name, text, expected) => {
    const line = { message: text, logger: text, thread: text, context: { user: text }, fields: { [text]: text } };

    expect(written('%msg|%logger|%t|%X{user}', line)).toBe(
      `${expected} ${expected}=${expected}|${expected}|${expected}|${expected}`,
    );
  });

  it('escapes line breaks in the message of an error', () => {
    const error = new Error('a\n2031-05-04 ERROR forged\n    at forged (x:1:1)');
    error.stack = `Error: ${error.message}\n    at real (y:1:1)\nforged`;

    expect(written('%ex', { error })).toBe(
      'Error: a\\u000a2031-05-04 ERROR forged\\u000a    at forged (x:1:1)\n    at real (y:1:1)\n',
    );
  });

  it('escapes control characters of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = written('%msg %X{user}%n', { message: text, context: { user: text }, fields: { f: text } });

        expect(shown.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it('truncates a very long message', () => {
    const shown = written('%msg', { message: 'word '.repeat(100_000) });

    expect(shown.length).toBeLessThan(8100);
    expect(shown).toMatch(/\.\.\. \(cut\)$/);
  });

  it('does not reveal part of a secret where it truncates a message', () => {
    const secret = 'q8Zt1vY0sJm2bN4cX6dF8gH0kL2pO4iU6yT8rE0wQ1A';
    const long = `password=${'x'.repeat(9000)} ${'- '.repeat(3680)}${secret}`;

    expect(written('%msg', { message: long })).not.toContain(secret.slice(0, 8));
  });
});

describe('an invalid log pattern', () => {
  it.each([
    ['%foo', 'unknown word %foo; the known words are %d %level'],
    ['%msgs', 'unknown word %msgs'],
    ['%level %', '% without a word'],
    ['%-5', '% without a word'],
    ['%d{yyyy', 'the { has no closing }'],
    ['%d{qq}', 'the pattern letter q'],
    ['%d{HH:mm,Nowhere/Land}', 'not a time zone'],
    ['%d{HH:mm:ss,SSS}', '"quotes"'],
    ['%d{HH,UTC,x}', 'a pattern and a time zone'],
    ['%clr(%p', 'the group has no closing )'],
    ['%clr(%p){mauve}', 'unknown color {mauve}; the known colors are faint'],
    ['%highlight(%p)', '%highlight cannot be followed by parentheses'],
    ['%logger{x}', 'a number of characters'],
    ['%ex{many}', 'a number of lines'],
    ['%99999p', 'the width exceeds 1000'],
    [`${'%('.repeat(20)}x${')'.repeat(20)}`, 'nested more than 8 deep'],
    ['%clr', 'unknown word %clr'],
    ['%constructor', 'unknown word %constructor'],
  ])('%s is rejected', (pattern, reason) => {
    expect(logPattern.parse(pattern)).toEqual(new ConversionProblem(expect.stringContaining(reason) as string));
  });

  it('any text is either rejected with a reason or compiled', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = logPattern.parse(text);

        expect(parsed instanceof ConversionProblem ? parsed.reason : written(text)).toBeTypeOf('string');
      }),
    );
  });
});
