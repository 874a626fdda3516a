import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JSON_V3, type ManagedService, startManaged } from '../support/management.js';

describe('caches of a running service', () => {
  let service: ManagedService;
  beforeAll(async () => {
    service = await startManaged();
  });
  afterAll(async () => {
    await service.stop();
  });

  it('are none, as nothing is kept that could be dropped', async () => {
    const { status, body } = await service.operator.get('/caches');

    expect(status).toBe(200);
    expect(body).toEqual({ cacheManagers: {} });
  });

  it('can be emptied although there are none', async () => {
    const { status, text } = await service.operator.delete('/caches');

    expect({ status, text }).toEqual({ status: 204, text: '' });
  });

  it('can be emptied by a body of any of the JSON types, whatever form of an answer is wanted', async () => {
    const headers = { 'content-type': JSON_V3, accept: 'text/html' };

    const { status, text } = await service.operator.delete('/caches', { raw: '{}', headers });

    expect({ status, text }).toEqual({ status: 204, text: '' });
  });

  it.each(['GET', 'DELETE'])('are not there under an unknown name, without a body (%s)', async (method) => {
    const { status, text } = await service.operator.send(method, '/caches/users');

    expect({ status, text }).toEqual({ status: 404, text: '' });
  });
});
