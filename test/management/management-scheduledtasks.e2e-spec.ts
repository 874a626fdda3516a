import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagedService, startManaged } from '../support/management/management.js';

describe('the scheduledtasks endpoint', () => {
  let service: ManagedService;
  beforeAll(async () => {
    service = await startManaged();
  });
  afterAll(async () => {
    await service.stop();
  });

  it('M4: lists every task with its target and interval under the type of its trigger', async () => {
    const { status, body } = await service.operator.get('/scheduledtasks');

    expect(status).toBe(200);
    expect(body).toEqual({
      cron: [],
      fixedDelay: [
        // Those with an initial delay of a second may have run already, so they may also have a last execution.
        expect.objectContaining({
          runnable: { target: 'AbandonedImports.settle' },
          initialDelay: 1000,
          interval: 60_000,
        }) as unknown,
        {
          runnable: { target: 'ExpirySweep.sweep' },
          initialDelay: 300_000,
          interval: 300_000,
          nextExecution: { time: expect.any(String) as string },
        },
        expect.objectContaining({
          runnable: { target: 'LockedAccounts.look' },
          initialDelay: 1000,
          interval: 15_000,
        }) as unknown,
        expect.objectContaining({
          runnable: { target: 'PasswordKinds.refresh' },
          initialDelay: 1000,
          interval: 60_000,
        }) as unknown,
        {
          runnable: { target: 'SignInCounts.countPast' },
          initialDelay: 60_000,
          interval: 600_000,
          nextExecution: { time: expect.any(String) as string },
        },
      ],
      fixedRate: [
        expect.objectContaining({
          runnable: { target: 'Replicas.record' },
          initialDelay: 1000,
          interval: 30_000,
        }) as unknown,
        {
          runnable: { target: 'SigningKeyRefresh.refresh' },
          initialDelay: 30_000,
          interval: 30_000,
          nextExecution: { time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) as string },
        },
      ],
      custom: [
        expect.objectContaining({
          runnable: { target: 'EventRelay.relay' },
          trigger: '1000 ms after an event, and every 5000 ms, or 1000 ms for a subscriber that is urgent',
        }) as unknown,
        expect.objectContaining({
          runnable: { target: 'MissingPeppers.report' },
          trigger: 'once after startup',
        }) as unknown,
        { runnable: { target: 'RefreshGrace.removeExpired' }, trigger: expect.stringContaining('11000 ms') as string },
      ],
    });
  });
});
