import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagedService, startManaged } from '../support/management/management.js';
import { waitUntil } from '../support/runner/wait-until.js';

describe('thread dumps and heap dumps', () => {
  let service: ManagedService;
  beforeAll(async () => {
    // Threads are numbered in the order in which their process has created them.
    service = await startManaged({ isAlone: true, args: ['--management.endpoint.heapdump.access=unrestricted'] });
  });
  afterAll(async () => {
    await service.stop();
  });

  it('threaddump has one entry for the event loop and one for each worker that hashes passwords, before the tasks in progress', async () => {
    const names = await waitUntil('the password of the first user is hashed', async () => {
      const { body } = await service.operator.get('/threaddump');
      const all = body['threads'] as readonly {
        readonly threadName: string;
        readonly threadId: number;
        readonly threadState: string;
      }[];
      const threads = all.filter(({ threadId }) => threadId >= 0);
      return threads.length > 1 && threads.map(({ threadName, threadState }) => `${threadName} ${threadState}`);
    });

    expect(names).toEqual(['main RUNNABLE', ...names.slice(1).map((_, index) => `worker-${index + 1} RUNNABLE`)]);
  });

  it('heapdump downloads a V8 heap snapshot', async () => {
    const { status, headers, text } = await service.operator.get('/heapdump');

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="heapdump-\d{8}T\d{6}Z\.heapsnapshot"$/);
    expect(JSON.parse(text)).toHaveProperty('snapshot.meta.node_fields');
  });

  it('HEAD /heapdump returns the headers without taking a heap dump', async () => {
    const taken = (): number => service.log.filter((line) => line.includes('A heap dump is taken')).length;
    const before = taken();

    const { status, headers, text } = await service.operator.send('HEAD', '/heapdump');

    expect([status, headers.get('content-type'), text]).toEqual([200, 'application/octet-stream', '']);
    expect(headers.has('content-length')).toBe(false);
    await service.operator.post('/loggers/marker', { configuredLevel: 'DEBUG' });
    await waitUntil('a later line is in the log', () => service.log.some((line) => line.includes('marker')));
    expect(taken()).toBe(before);
  });
});
