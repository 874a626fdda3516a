import { describe, expect, it } from 'vitest';
import { type AccessRule, AccessRules } from './access-rules.js';

const WIKI = 'https://wiki.example.com';
const ruleAt = (path: string, origin = WIKI): AccessRule => ({ origin, path, isPublic: false, roles: [] });

describe('the rule for a path', () => {
  const rules = new AccessRules([ruleAt(''), ruleAt('/admin'), ruleAt('/admin/log'), ruleAt('/Docs')]);

  it.each([
    ['/', ''],
    ['/adm', ''],
    ['/admins', ''],
    ['/admin', '/admin'],
    ['/admin/', '/admin'],
    ['/admin/users', '/admin'],
    ['/admin/log', '/admin/log'],
    ['/admin/log/1', '/admin/log'],
    ['/admin/logs', '/admin'],
    ['/Docs/1', '/Docs'],
    ['/a;v=1/b', ''],
  ])('%s is that of %j', (path, expected) => {
    expect(rules.find(WIKI, path)?.path).toBe(expected);
  });

  it.each(['/ADMIN', '/Admin/users', '/admin;x/users', '/;x/admin', '/admin.', '/admin /a', '/docs', '/admin/LOG'])(
    'H8: there is none for %s, which some applications read as the path of another rule',
    (path) => {
      expect(rules.find(WIKI, path)).toBeUndefined();
    },
  );

  it('there is none for an origin or a path without a rule', () => {
    const part = new AccessRules([ruleAt('/public')]);

    expect(rules.find('https://other.example.com', '/')).toBeUndefined();
    expect(rules.find('http://wiki.example.com', '/')).toBeUndefined();
    expect(part.find(WIKI, '/public/1')).toBeDefined();
    expect(part.find(WIKI, '/')).toBeUndefined();
  });
});
