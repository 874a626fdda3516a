import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { lineFormat, type Structured, STRUCTURED } from './line-format.js';
import type { LogLine } from '../log-line.js';

const LINE: LogLine = {
  at: Date.UTC(2031, 4, 4, 10, 15, 30, 123),
  level: 'WARN',
  logger: 'auth.mfa',
  message: 'the door is open',
  thread: 'main',
  context: { requestId: 'req-12345', user: 'anna-1', ip: '192.0.2.7', traceId: '4bf92f35', spanId: '00f067aa' },
  fields: { reason: 'wind', count: 2 },
};

function written(structured: Structured, line: Partial<LogLine> = {}, charset = 'UTF-8'): string {
  return lineFormat({ pattern: '%msg', structured, charset }, { hasColor: true })({ ...LINE, ...line });
}

function members(structured: Structured, line: Partial<LogLine> = {}): Record<string, unknown> {
  return JSON.parse(written(structured, line)) as Record<string, unknown>;
}

describe('a JSON log line', () => {
  it('has the members of the schema in ECS', () => {
    expect(members('ecs')).toEqual({
      '@timestamp': '2031-05-04T10:15:30.123Z',
      log: { level: 'WARN', logger: 'auth.mfa' },
      process: { pid: process.pid, thread: { name: 'main' } },
      service: { name: 'login-service' },
      message: 'the door is open',
      http: { request: { id: 'req-12345' } },
      user: { id: 'anna-1' },
      client: { ip: '192.0.2.7' },
      trace: { id: '4bf92f35' },
      span: { id: '00f067aa' },
      labels: { reason: 'wind', count: 2 },
      ecs: { version: '8.11' },
    });
  });

  it('has the members of the format for Logstash', () => {
    expect(members('logstash')).toEqual({
      '@timestamp': '2031-05-04T10:15:30.123Z',
      '@version': '1',
      message: 'the door is open',
      logger_name: 'auth.mfa',
      thread_name: 'main',
      level: 'WARN',
      level_value: 30_000,
      requestId: 'req-12345',
      user: 'anna-1',
      ip: '192.0.2.7',
      traceId: '4bf92f35',
      spanId: '00f067aa',
      reason: 'wind',
      count: 2,
    });
  });

  it('has the members of version 1.1 in GELF', () => {
    expect(members('gelf')).toEqual({
      version: '1.1',
      host: hostname(),
      short_message: 'the door is open',
      timestamp: 1_935_656_130.123,
      level: 4,
      _level_name: 'WARN',
      _process_pid: process.pid,
      _process_thread_name: 'main',
      _log_logger: 'auth.mfa',
      _requestId: 'req-12345',
      _user: 'anna-1',
      _ip: '192.0.2.7',
      _traceId: '4bf92f35',
      _spanId: '00f067aa',
      _reason: 'wind',
      _count: 2,
    });
  });

  it.each([
    ['ecs', ['error', 'stack_trace']],
    ['logstash', ['stack_trace']],
    ['gelf', ['_error_stack_trace']],
  ] as const)('contains the stack trace with causes in %s', (structured, path) => {
    const error = new TypeError('outer', { cause: new Error('inner') });

    const trace = path.reduce<unknown>(
      (value, name) => (value as Record<string, unknown>)[name],
      members(structured, { error }),
    );

    expect(trace).toMatch(/^TypeError: outer\n {4}at [^]*\nCaused by: Error: inner\n {4}at /);
  });

  it.each([
    ['ecs', { type: 'TypeError', message: 'outer' }],
    ['gelf', { _error_type: 'TypeError', _error_message: 'outer' }],
  ] as const)('contains type and message of the error in %s', (structured, expected) => {
    const shown = members(structured, { error: new TypeError('outer') });

    expect(structured === 'ecs' ? shown['error'] : shown).toMatchObject(expected);
  });

  it('replaces an empty message and renames the field id in GELF', () => {
    expect(members('gelf', { message: ' ', fields: { id: 1 } })).toMatchObject({ short_message: '-', _field_id: 1 });
  });

  it('renames a field that has the name of a standard member in GELF', () => {
    const fields = { log_logger: 'x', user: 'y', error_type: 'z' };

    expect(members('gelf', { fields, context: undefined })).toMatchObject({
      _log_logger: 'auth.mfa',
      _field_log_logger: 'x',
      _field_user: 'y',
      _field_error_type: 'z',
    });
  });

  it('renames a field that has the name of a standard member for Logstash', () => {
    expect(members('logstash', { fields: { level: 'x', message: 'y' } })).toMatchObject({
      level: 'WARN',
      message: 'the door is open',
      field_level: 'x',
      field_message: 'y',
    });
  });

  describe.each(STRUCTURED)('in %s', (structured) => {
    it('is ASCII with the same content in a character set other than UTF-8', () => {
      const [usual, coded] = ['UTF-8', 'EUC-KR'].map((charset) => written(structured, { message: 'ü한😀' }, charset));

      expect(usual).toContain('ü한😀');
      expect(coded).toMatch(/^[\0-\x7f]+$/);
      expect(JSON.parse(coded ?? '')).toEqual(JSON.parse(usual ?? ''));
    });

    it('L1: masks secrets in message, fields and error', () => {
      const fields = { password: 'hunter2', sent: { token: 'hunter2' }, text: 'pw=hunter2' };
      const error = new Error('token=hunter2', { cause: new Error('Bearer hunter2X') });

      expect(written(structured, { message: 'password: hunter2', fields, error })).not.toContain('hunter2');
    });

    it('L2: is one line of visible characters and preserves the text', () => {
      const text = '"},\r\n{"a":"\u2028\u2029\u0085\u001b[31m\u202e\u007f\u{e0001}';

      const line = written(structured, { message: text, fields: { [text]: text }, thread: text, logger: text });

      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(Object.values(JSON.parse(line) as object)).toContain(text);
    });

    it('L2: is one line of valid JSON for any text', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (text) => {
          const line = written(structured, { message: text, fields: { [text]: text }, context: { user: text } });

          expect(line.slice(0, -1)).not.toMatch(/[\n\r\u2028\u2029]/);
          expect(JSON.parse(line)).toBeTypeOf('object');
        }),
      );
    });
  });
});
