import { beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../../test/support/http/operation-request.js';
import { CacheRegistry } from '../platform/cache/cache-registry.js';
import { CachesEndpoint } from './caches.endpoint.js';

describe('the caches endpoint', () => {
  let cleared: string[];
  let endpoint: CachesEndpoint;

  beforeEach(() => {
    cleared = [];
    const registry = new CacheRegistry();
    const add = (manager: string, name: string): void => {
      const clear = (): void => void cleared.push(`${manager}/${name}`);
      registry.add({ name, manager, target: 'InProcessCache', clear });
    };
    add('cacheManager', 'users');
    add('cacheManager', 'names');
    add('other', 'names');
    endpoint = new CachesEndpoint(registry);
  });

  it('lists caches by manager and name', async () => {
    expect(await ask(endpoint, 'GET')).toEqual({
      body: {
        cacheManagers: {
          cacheManager: { caches: { users: { target: 'InProcessCache' }, names: { target: 'InProcessCache' } } },
          other: { caches: { names: { target: 'InProcessCache' } } },
        },
      },
    });
  });

  it('lists no manager without caches', async () => {
    expect(await ask(new CachesEndpoint(new CacheRegistry()), 'GET')).toEqual({ body: { cacheManagers: {} } });
  });

  it('returns a cache by name', async () => {
    const body = { target: 'InProcessCache', name: 'users', cacheManager: 'cacheManager' };

    expect(await ask(endpoint, 'GET', { selector: 'users' })).toEqual({ body });
    expect(await ask(endpoint, 'GET', { selector: 'users', query: 'cacheManager=cacheManager' })).toEqual({ body });
  });

  it.each(['GET', 'DELETE'] as const)(
    'responds with 404 for an unknown name or another manager (%s)',
    async (method) => {
      expect(await ask(endpoint, method, { selector: 'nothing' })).toEqual({ status: 404 });
      expect(await ask(endpoint, method, { selector: 'users', query: 'cacheManager=other' })).toEqual({ status: 404 });
      expect(cleared).toEqual([]);
    },
  );

  it.each(['GET', 'DELETE'] as const)('rejects a name that two managers have (%s)', async (method) => {
    const reading = ask(endpoint, method, { selector: 'names' });

    await expect(reading).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(cleared).toEqual([]);
  });

  it('clears one cache', async () => {
    expect(await ask(endpoint, 'DELETE', { selector: 'names', query: 'cacheManager=other' })).toEqual({});
    expect(cleared).toEqual(['other/names']);
  });

  it('clears all caches', async () => {
    expect(await ask(endpoint, 'DELETE')).toEqual({});
    expect(cleared).toEqual(['cacheManager/users', 'cacheManager/names', 'other/names']);
  });
});
