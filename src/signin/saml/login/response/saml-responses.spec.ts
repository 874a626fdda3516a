import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { CollectedLog } from '../../../../../test/support/programs/collected-log.js';
import { IdentityProvider } from '../../../../../test/support/saml/identity-provider.js';
import { ManualClock } from '../../../../../test/support/programs/manual-clock.js';
import { encoded } from '../../../../../test/support/saml/saml-messages.js';
import { SystemClock } from '../../../../kernel/clock/clock.js';
import { IdpProperties } from '../../saml.properties.js';
import type { Idp } from '../../idp/idps.service.js';
import { isRejection } from '../rejection.js';
import { SamlResponses } from './saml-responses.service.js';
import type { ServiceProviders } from '../../sp/service-providers.service.js';

const KEYCLOAK = fixture('keycloak-response');
const { privateKey = '' } = fixture('encrypted-by-xmlsec');

afterEach(() => {
  vi.useRealTimers();
});

it('S1: a recorded response of Keycloak with its default encryption is accepted', async () => {
  const trust = { entityId: KEYCLOAK['issuer'] ?? '', certificates: [KEYCLOAK['certificate'] ?? ''] };
  const sso = { url: 'https://keycloak.test', binding: 'redirect' as const };
  const idp: Idp = {
    name: 'keycloak',
    displayName: 'Keycloak',
    properties: new IdpProperties(),
    trust: () => ({ ...trust, sso }),
    hasNewCertificates: () => Promise.resolve(false),
  };
  const sp = {
    entityId: KEYCLOAK['entityId'] ?? '',
    acsUrl: KEYCLOAK['acsUrl'] ?? '',
    sloUrl: 'https://login.test/slo',
    keys: { certificate: trust.certificates[0] ?? '', privateKey, decryptionKey: createPrivateKey(privateKey) },
  };
  // The library has no clock but that of the process.
  const now = Date.parse(KEYCLOAK['at'] ?? '');
  vi.useFakeTimers({ toFake: ['Date'], now });
  const clock = new ManualClock(now / 1000);
  const sps: Pick<ServiceProviders, 'of'> = { of: () => sp };
  const responses = new SamlResponses(clock, sps as ServiceProviders, new CollectedLog().loggers);
  const origin = { protocol: 'https', host: 'login.test' } as const;
  const posted = responses.read(KEYCLOAK['response'] ?? '', idp);

  const facts = isRejection(posted) ? posted : await responses.verify(posted, idp, origin, KEYCLOAK['inResponseTo']);

  expect(facts).toMatchObject({
    issuer: trust.entityId,
    nameId: { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' },
    authnStatement: { authnContextClassRef: 'urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified' },
  });
});

it('S1: a refused algorithm is named at DEBUG', () => {
  const log = new CollectedLog();
  log.loggers.setLevel('saml', 'DEBUG');
  const xml = IdentityProvider.make().response({
    acsUrl: 'https://login.test/acs',
    audience: 'a',
    signature: { algorithm: 'rsa-sha1' },
  });

  const responses = new SamlResponses(new SystemClock(), {} as ServiceProviders, log.loggers);

  expect(responses.read(encoded(xml), { name: 'corp' })).toBe('algorithm');

  expect(log.of('saml')).toMatchObject([
    {
      level: 'DEBUG',
      message: 'A response uses an algorithm that is not accepted',
      fields: { idp: 'corp', algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
    },
  ]);
});

function fixture(name: string): Readonly<Record<string, string>> {
  const file = new URL(`../../../../../test/support/fixtures/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
}
