import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { CollectedLog } from '../../../../../test/support/programs/collected-log.js';
import { readings } from '../../../../../test/support/management/meter-readings.js';
import { outboundHttp } from '../../../../../test/support/http/outbound.js';
import { RangeServer, sha1Of } from '../../../../../test/support/http/range-server.js';
import { waitUntil } from '../../../../../test/support/runner/wait-until.js';
import { Meters } from '../../../../observability/metrics/meters.js';
import type { BreachSource } from './breach-source.js';
import { BreachedPasswords } from './breached-passwords.service.js';
import { RangeClient } from './range.client.js';

const [BREACHED, RARE, FRESH] = ['breached before', 'breached rarely', 'a fresh one'];

const http = outboundHttp();
const server = await new RangeServer().add(BREACHED, 10).add(RARE, 9).start();
afterAll(async () => {
  await http.close();
  await server.stop();
});

let meters: Meters;
let log: CollectedLog;
let breached: BreachedPasswords;
beforeEach(() => {
  meters = new Meters();
  log = new CollectedLog();
  breached = new BreachedPasswords(new RangeClient(http, server.url, 20_000), 10, meters, log.loggers);
});
afterEach(async () => {
  server.answer = undefined;
  server.asked.length = 0;
  await server.stop();
  await server.start();
});

const counts = (): Readonly<Record<string, number>> => readings(meters, 'password.breached.checks');

it('app.security.password.breached.min-count is the number of occurrences from which a password is breached', async () => {
  expect([await breached.has(BREACHED, 'chosen'), await breached.has(RARE, 'chosen')]).toEqual([true, false]);
  expect(counts()).toEqual({ absent: 1, breached: 1, failed: 0, skipped: 0 });
});

it('a range service that is away accepts every password, with one warning until it is back', async () => {
  await server.stop();
  const away = [await breached.has(BREACHED, 'chosen'), await breached.has(BREACHED, 'chosen')];
  await server.start();
  const back = await breached.has(BREACHED, 'chosen');
  await server.stop();
  await breached.has(BREACHED, 'chosen');

  expect([away, back]).toEqual([[false, false], true]);
  const warning = 'WARN New passwords are accepted without a check for breaches: the source does not respond';
  expect(log.messages).toEqual([warning, 'INFO New passwords are checked for breaches again', warning]);
  expect(counts()).toEqual({ absent: 0, breached: 1, failed: 3, skipped: 0 });
});

it('a log line about a failure contains neither the password nor a digit of its hash', async () => {
  server.answer = (response) => void response.end(`${sha1Of(BREACHED)} is not a line`);
  await breached.has(BREACHED, 'chosen');

  const text = JSON.stringify(log.lines);
  expect(log.lines).toHaveLength(1);
  expect(text).not.toContain(BREACHED);
  expect(text.toUpperCase()).not.toContain(sha1Of(BREACHED).slice(0, 5));
});

it('while the range service is away, one look-up at a time waits for it and the others accept at once', async () => {
  server.answer = (response) => void response.writeHead(500).end();
  await breached.has(FRESH, 'chosen');
  const ended: string[] = [];
  const held: (() => void)[] = [];
  server.answer = (response) => void held.push(() => response.writeHead(500).end());
  const probe = breached.has(FRESH, 'chosen').then(() => ended.push('the look-up that waits'));
  await waitUntil('the service was asked', () => held.length > 0);

  await breached.has(BREACHED, 'chosen').then(() => ended.push('another look-up'));
  for (const release of held) release();
  await probe;

  expect(ended).toEqual(['another look-up', 'the look-up that waits']);
  expect(server.asked).toHaveLength(2);
  expect(counts()).toEqual({ absent: 0, breached: 0, failed: 2, skipped: 1 });
});

it('an imported password is looked up in a file, but not at a service', async () => {
  const local: BreachSource = { isLocal: true, occurrences: () => Promise.resolve(10) };
  const ofFile = new BreachedPasswords(local, 10, new Meters(), log.loggers);

  expect(await breached.has(BREACHED, 'imported')).toBe(false);
  expect(await ofFile.has(BREACHED, 'imported')).toBe(true);
  expect(server.asked).toEqual([]);
});

it('a generated password is not looked up', async () => {
  expect(await breached.has(BREACHED, 'generated')).toBe(false);
  expect(server.asked).toEqual([]);
});

it('a source that fails in an unexpected way accepts the password', async () => {
  const defect: BreachSource = { isLocal: true, occurrences: () => Promise.reject(new TypeError('unexpected')) };

  expect(await new BreachedPasswords(defect, 1, meters, log.loggers).has(FRESH, 'chosen')).toBe(false);
});

it('without a source, no password is looked up and there is no meter', async () => {
  const own = new Meters();

  expect(await new BreachedPasswords(undefined, 1, own, log.loggers).has(BREACHED, 'chosen')).toBe(false);
  expect(own.find('password.breached.checks')).toBeUndefined();
});
