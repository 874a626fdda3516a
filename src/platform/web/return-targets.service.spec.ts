import { describe, expect, it } from 'vitest';
import { CollectedLog } from '../../../test/support/programs/collected-log.js';
import { ServletProperties } from '../http/server.properties.js';
import { ReturnProperties } from './return.properties.js';
import { ReturnTargets } from './return-targets.service.js';

function targets(): { readonly targets: ReturnTargets; readonly log: CollectedLog } {
  const log = new CollectedLog();
  const servlet = Object.assign(new ServletProperties(), { contextPath: '/auth' });
  const properties = Object.assign(new ReturnProperties(), { allowedOrigins: ['https://portal.example'] });
  return { targets: new ReturnTargets(servlet, properties, log.loggers), log };
}

describe('X16: the target of return_to', () => {
  it.each([
    ['/auth/me', '/auth/me'],
    ['https://portal.example/menu', 'https://portal.example/menu'],
    [undefined, '/auth/'],
  ])('is %s without a line in the log', (returnTo, target) => {
    const { targets: resolver, log } = targets();

    expect(resolver.resolve(returnTo)).toBe(target);
    expect(log.lines).toEqual([]);
  });

  it.each([
    ['https://evil.example/menu?token=secret', 'https://evil.example'],
    ['https://user:password@evil.example/', 'https://evil.example'],
    [`https://${'a'.repeat(150)}.example/`, `https://${'a'.repeat(92)}`],
    ['//evil.example/', 'none'],
    ['/other', 'none'],
    ['javascript:alert(1)', 'null'],
    ['', 'none'],
  ])('is the home page for the value %j, with a line in the log that names only the origin', (returnTo, origin) => {
    const { targets: resolver, log } = targets();

    expect(resolver.resolve(returnTo)).toBe('/auth/');
    expect(log.lines).toMatchObject([
      {
        level: 'INFO',
        logger: 'auth',
        message: 'A return_to that is not allowed leads to the home page',
        fields: { origin },
      },
    ]);
    expect(JSON.stringify(log.lines)).not.toMatch(/secret|password/);
  });
});
