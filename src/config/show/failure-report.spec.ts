import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { failureReport, printable } from './failure-report.js';
import { problem } from '../problem.js';

const port = problem('The value of server.port cannot be used', 'Set server.port to a whole number.', {
  Property: 'server.port',
  Reason: 'not a whole number',
});

describe('a failure report', () => {
  it('lists every problem with its facts and its action', () => {
    const report = failureReport([port, problem('No name', 'Give a name.')]);

    expect(report.split('\n')).toEqual([
      '',
      '***************************',
      'APPLICATION FAILED TO START',
      '***************************',
      '',
      'Description:',
      '',
      '2 problems:',
      '',
      '1. The value of server.port cannot be used',
      '     Property: server.port',
      '     Reason:   not a whole number',
      '',
      '2. No name',
      '',
      'Action:',
      '',
      '1. Set server.port to a whole number.',
      '2. Give a name.',
      '',
    ]);
  });

  it('omits undefined facts', () => {
    expect(failureReport([problem('a', 'b', { Property: 'c', Origin: undefined })])).not.toContain('Origin');
  });

  it('escapes line breaks and control characters in names and values', () => {
    const wild = fc.string({ unit: fc.oneof(fc.constantFrom('\n', '\r', '\u2028', '\u0085', '\u001b'), fc.string()) });
    fc.assert(
      fc.property(wild, wild, wild, wild, (what, action, value, origin) => {
        const report = failureReport([problem(what, action, { Value: value, Origin: origin })]);

        const lines = report.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
        expect(lines).toHaveLength(17);
        expect(lines.join('')).not.toMatch(/\p{Cc}|\p{Cf}/u);
      }),
    );
  });
});

describe('a printable text', () => {
  it.each([
    ['a\nb', 'a\\u000ab'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['\u202egpj.exe', '\\u202egpj.exe'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\ud800'],
    ['tab\there', 'tab\\u0009here'],
    ['Grüße 😀 "x" \\n', 'Grüße 😀 "x" \\n'],
  ])('the printable form of %j is %s', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
