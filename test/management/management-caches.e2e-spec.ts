import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JSON_V3, type ManagedService, startManaged } from '../support/management/management.js';

describe('the caches endpoint', () => {
  let service: ManagedService;
  beforeAll(async () => {
    service = await startManaged();
  });
  afterAll(async () => {
    await service.stop();
  });

  it('GET /caches lists the caches with their implementation', async () => {
    const { status, body } = await service.operator.get('/caches');

    expect(status).toBe(200);
    expect(body).toEqual({ cacheManagers: { cacheManager: { caches: { users: { target: 'InProcessCache' } } } } });
  });

  it('DELETE /caches returns an empty 204', async () => {
    const { status, text } = await service.operator.delete('/caches');

    expect({ status, text }).toEqual({ status: 204, text: '' });
  });

  it('DELETE /caches accepts a body of a vendor JSON type and ignores Accept', async () => {
    const headers = { 'content-type': JSON_V3, accept: 'text/html' };

    const { status, text } = await service.operator.delete('/caches', { raw: '{}', headers });

    expect({ status, text }).toEqual({ status: 204, text: '' });
  });

  it.each(['GET', 'DELETE'])(
    '%s /caches/{cache} returns 404 with an empty body for an unknown cache',
    async (method) => {
      const { status, text } = await service.operator.send(method, '/caches/names');

      expect({ status, text }).toEqual({ status: 404, text: '' });
    },
  );
});
