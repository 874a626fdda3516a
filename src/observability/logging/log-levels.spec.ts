import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import type { Level } from './level.js';
import type { LogLine } from './log-line.js';
import { type ConfiguredLevels, LogLevels } from './log-levels.js';
import { Loggers } from './loggers.js';

function started(configured: ConfiguredLevels = {}) {
  const lines: LogLine[] = [];
  const clock = new ManualClock();
  const loggers = new Loggers([{ append: (line) => lines.push(line) }], clock);
  const levels = new LogLevels(loggers, configured, clock);
  const change = (name: string, level: Level | undefined, forMillis?: number): boolean =>
    levels.change({ name, level, by: 'ops', forMillis }) !== undefined;
  return { lines, clock, loggers, levels, change, effective: (name: string) => loggers.get(name).effectiveLevel };
}

describe('configured log levels', () => {
  it('apply to loggers and are inherited from the nearest ancestor', () => {
    const { effective } = started({
      levels: new Map<string, Level>([
        ['root', 'WARN'],
        ['auth', 'DEBUG'],
      ]),
    });

    expect([effective('ROOT'), effective('auth.mfa'), effective('token')]).toEqual(['WARN', 'DEBUG', 'WARN']);
  });

  it('the level of a group applies to members without a level of their own', () => {
    const { effective, levels } = started({
      levels: new Map<string, Level>([
        ['mapper', 'INFO'],
        ['sql', 'DEBUG'],
        ['login', 'TRACE'],
      ]),
      groups: new Map([['login', ['auth', 'mfa']]]),
    });

    expect([effective('orm.sql'), effective('mapper'), effective('auth'), effective('mfa')]).toEqual([
      'DEBUG',
      'INFO',
      'TRACE',
      'TRACE',
    ]);
    expect(levels.allGroups.map(([name]) => name)).toEqual(['login', 'sql', 'web']);
    expect(levels.group('sql')).toEqual({ members: ['orm.sql', 'mapper'], configuredLevel: 'DEBUG' });
  });

  it('a configured group replaces a built-in one', () => {
    const { levels } = started({ groups: new Map([['web', ['http', 'server']]]) });

    expect(levels.group('web')?.members).toEqual(['http', 'server']);
  });
});

describe('a change of a log level', () => {
  it('applies from the next line, also to existing loggers', () => {
    const { loggers, lines, change } = started();
    const logger = loggers.get('auth.mfa');

    logger.debug('before');
    change('auth', 'DEBUG');
    logger.debug('after');

    expect(lines.filter(({ level }) => level === 'DEBUG').map(({ message }) => message)).toEqual(['after']);
  });

  it('is logged with operator, logger, old and new level', () => {
    const { lines, change } = started();

    change('auth', 'DEBUG');
    change('auth', undefined);

    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'WARN The level of logger auth changes from INFO (inherited) to DEBUG, by ops',
      'WARN The level of logger auth changes from DEBUG to INFO (inherited), by ops',
    ]);
  });

  it('a change to the level already in force is logged as unchanged', () => {
    const { lines, change } = started();

    change('auth', 'INFO');
    change('auth', 'INFO');
    change('mfa', undefined);
    change('ROOT', 'INFO');

    expect(lines.map(({ message }) => message)).toEqual([
      'The level of logger auth changes from INFO (inherited) to INFO, by ops',
      'The level of logger auth stays INFO, by ops',
      'The level of logger mfa stays INFO (inherited), by ops',
      'The level of logger ROOT stays INFO, by ops',
    ]);
  });

  it('is logged even if it turns all logging off or on', () => {
    const { lines, change } = started();

    change('ROOT', 'OFF');
    change('ROOT', 'INFO');

    expect(lines.map(({ message }) => message)).toEqual([
      'The level of logger ROOT changes from INFO to OFF, by ops',
      'The level of logger ROOT changes from OFF to INFO, by ops',
    ]);
  });

  it.each(['management', 'ROOT'])('H4: after %s OFF every change is still logged', (silenced) => {
    const { lines, change } = started();

    change(silenced, 'OFF');
    change('auth', 'DEBUG');
    change('auth', undefined);

    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['WARN', expect.stringMatching(`^The level of logger ${silenced} changes from INFO.* to OFF, by ops$`)],
      ['WARN', expect.stringMatching('^The level of logger auth changes from .* to DEBUG, by ops$')],
      ['WARN', expect.stringMatching('^The level of logger auth changes from DEBUG to .*, by ops$')],
    ]);
  });

  it('removing the level of ROOT restores the configured level', () => {
    const { change, effective } = started({ levels: new Map([['ROOT', 'ERROR']]) });

    change('root', 'TRACE');
    change('ROOT', undefined);

    expect(effective('ROOT')).toBe('ERROR');
  });

  it('a change of a group sets its members and is kept as the level of the group', () => {
    const { change, effective, levels } = started();

    change('sql', 'TRACE');

    expect([effective('orm.sql'), effective('mapper'), levels.group('sql')?.configuredLevel]).toEqual([
      'TRACE',
      'TRACE',
      'TRACE',
    ]);
    change('sql', undefined);
    expect([effective('orm.sql'), effective('mapper'), levels.group('sql')?.configuredLevel]).toEqual([
      'INFO',
      'INFO',
      undefined,
    ]);
  });

  it('creates at most a thousand loggers', () => {
    const { change, loggers } = started();
    const made = Array.from({ length: 1000 }, (_, at) => change(`made.${at}`, 'DEBUG'));

    expect(made.every(Boolean)).toBe(true);
    expect(change('one.more', 'DEBUG')).toBe(false);
    expect(loggers.find('one.more')).toBeUndefined();
    expect(change('made.1', 'WARN')).toBe(true);
  });

  it.each(['__proto__', 'constructor', 'toString'])('works for a logger named %s', (name) => {
    const { change, loggers } = started();

    change(name, 'TRACE');

    expect(loggers.find(name)?.configuredLevel).toBe('TRACE');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a temporary log level', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => vi.useRealTimers());

  function lent(configured?: ConfiguredLevels) {
    const all = started(configured);
    const pass = (seconds: number): void => {
      all.clock.advance(seconds);
      vi.advanceTimersByTime(1000);
    };
    return { ...all, pass };
  }

  it('expires and logs it', () => {
    const { change, pass, effective, lines } = lent();
    change('auth', 'DEBUG', 900_000);

    pass(899);
    const before = effective('auth');
    pass(1);

    expect([before, effective('auth')]).toEqual(['DEBUG', 'INFO']);
    expect(lines.map(({ message }) => message)).toEqual([
      'The level of logger auth changes from INFO (inherited) to DEBUG, by ops for 15m',
      'The level of logger auth changes from DEBUG to INFO (inherited), because its duration has expired',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('H4: logs and reports its end even while all logging is off', () => {
    const { change, pass, lines, levels } = lent();
    const ends: unknown[] = [];
    levels.onEnd((changed) => ends.push(changed));
    change('auth', 'DEBUG', 60_000);
    change('management', 'OFF');
    change('ROOT', 'OFF');

    pass(61);

    expect(lines.at(-1)?.message).toBe(
      'The level of logger auth changes from DEBUG to OFF (inherited), because its duration has expired',
    );
    expect(ends).toEqual([{ logger: 'auth', old: 'DEBUG', new: 'OFF (inherited)' }]);
  });

  it('does not replace a level that was set later', () => {
    const { change, pass, effective } = lent();
    change('auth', 'DEBUG', 60_000);

    change('auth', 'ERROR');
    pass(61);

    expect(effective('auth')).toBe('ERROR');
  });

  it('set again restores the level before the first change', () => {
    const { change, pass, effective } = lent({ levels: new Map([['auth', 'WARN']]) });
    change('auth', 'DEBUG', 60_000);

    change('auth', 'TRACE', 120_000);
    pass(61);
    const between = effective('auth');
    pass(60);

    expect([between, effective('auth')]).toEqual(['TRACE', 'WARN']);
  });

  it('the end of a temporary level of a group restores each member, except one that was set later', () => {
    const { change, pass, effective, levels } = lent({ levels: new Map([['mapper', 'WARN']]) });
    change('sql', 'TRACE', 60_000);

    change('orm.sql', 'ERROR');
    pass(61);

    expect([effective('orm.sql'), effective('mapper'), levels.group('sql')?.configuredLevel]).toEqual([
      'ERROR',
      'WARN',
      undefined,
    ]);
  });

  it('the end of a temporary level of ROOT restores the previous level, not the configured one', () => {
    const { change, pass, effective } = lent();
    change('ROOT', 'WARN');

    change('ROOT', 'DEBUG', 1000);
    pass(2);

    expect(effective('ROOT')).toBe('WARN');
  });
});
