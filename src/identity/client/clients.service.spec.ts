import { describe, expect, it } from 'vitest';
import { place, problemsOf } from '../../../test/config/support.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { ClientsProperties } from './client.properties.js';
import { Clients } from './clients.service.js';

const SECRET = 'a-secret-of-twenty-eight-chars';

const reading = (variables: Readonly<Record<string, string>>): ReturnType<ReturnType<typeof place>['read']> =>
  place({ 'work/application.yml': '' }).read({ variables });
const clientsOf = (variables: Readonly<Record<string, string>>): Clients =>
  new Clients(reading(variables).instances.get(ClientsProperties) as ClientsProperties, new SystemRandom());

describe('clients of the introspection endpoint', () => {
  const clients = clientsOf({ APP_SECURITY_CLIENTS_RESOURCEAPI_SECRET: SECRET });

  it.each(['resourceapi', 'resource-api', 'Resource-API'])('are found by the id %s', (id) => {
    expect(clients.hasSecret(id, SECRET)).toBe(true);
  });

  it('H3: the spellings that find one client share one id', () => {
    const spellings = ['resourceapi', 'resource-api', 'Resource-API', 're.source..api', '_RESOURCE_API_'];

    expect(new Set(spellings.map((written) => clients.idOf(written)))).toEqual(new Set(['resourceapi']));
    expect(spellings.every((written) => clients.hasSecret(written, SECRET))).toBe(true);
  });

  it.each([
    ['resource-api', ''],
    ['resource-api', SECRET.toUpperCase()],
    ['resource-api', `${SECRET} `],
    ['other', SECRET],
    ['', ''],
    ['__proto__', SECRET],
  ])('are rejected with the id %j and the secret %j', (id, secret) => {
    expect(clients.hasSecret(id, secret)).toBe(false);
  });

  it('need a secret of a minimum length, which is masked in the report', () => {
    const [problem] = problemsOf(reading({ APP_SECURITY_CLIENTS_API_SECRET: 'short' }));

    expect(problem?.facts).toMatchObject({ Property: 'app.security.clients.api.secret', Value: '"******"' });
  });
});
