import { expect, it } from 'vitest';
import { CollectedLog } from '../../../test/support/collected-log.js';
import { IdentityProvider } from '../../../test/support/identity-provider.js';
import { encoded } from '../../../test/support/saml-messages.js';
import { SystemClock } from '../../clock/clock.js';
import { rejectedAlgorithm } from './signature-allowlist.js';
import { SamlResponses } from '../login/saml-responses.service.js';
import type { ServiceProviders } from '../sp/service-providers.service.js';

const ANSWER = { acsUrl: 'https://login.test/acs', audience: 'a' };
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';

it('S1: a refused algorithm is named at DEBUG', () => {
  const log = new CollectedLog();
  log.loggers.setLevel('saml', 'DEBUG');
  const xml = IdentityProvider.make().response({ ...ANSWER, signature: { algorithm: 'rsa-sha1' } });

  const responses = new SamlResponses(new SystemClock(), {} as ServiceProviders, log.loggers);

  expect(responses.read(encoded(xml), { name: 'corp' })).toBe('algorithm');

  expect(log.of('saml')).toMatchObject([
    {
      level: 'DEBUG',
      message: 'A response uses an algorithm that is not accepted',
      fields: { idp: 'corp', algorithm: RSA_SHA1 },
    },
  ]);
});

it('S1: names nothing where every algorithm is accepted, or nothing can be read', () => {
  expect(rejectedAlgorithm(IdentityProvider.make().response(ANSWER))).toBeUndefined();
  expect(rejectedAlgorithm('<a>')).toBeUndefined();
});
