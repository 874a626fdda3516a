import { expect, it } from 'vitest';
import { Meters } from '../metrics/meters.js';
import { LineMeters } from './appenders.js';
import { Loggers } from './loggers.js';

it('LineMeters counts the written lines by level', () => {
  const meters = new Meters();
  const loggers = new Loggers([new LineMeters(meters)]);
  const logger = loggers.get('auth');

  logger.warn('one');
  logger.warn('two');
  logger.error('three');
  logger.debug('not written');

  const counted = [...meters.counter('engine.events').series].map(({ tags, meter }) => [
    tags['level'],
    meter.measure()[0]?.value,
  ]);
  expect(Object.fromEntries(counted)).toEqual({ error: 1, warn: 2, info: 0, debug: 0, trace: 0 });
});
