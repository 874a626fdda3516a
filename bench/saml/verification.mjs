// Both sides of the comparison, with the same trust: the verification of the service without a database, and node-saml alone.
import { createPrivateKey } from 'node:crypto';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { SystemClock } from '../../dist/kernel/clock/clock.js';
import { Duration } from '../../dist/config/bind/duration.js';
import { Loggers } from '../../dist/observability/logging/loggers.js';
import { IdpProperties } from '../../dist/signin/saml/saml.properties.js';
import { SamlResponses } from '../../dist/signin/saml/login/response/saml-responses.service.js';
import { ENTITY_ID, SSO_URL } from './identity-provider.mjs';

export const BASE = 'https://login.bench';
export const PARTIES = { acsUrl: `${BASE}/saml/corp/acs`, audience: `${BASE}/saml/corp/metadata` };
export const REQUEST_ID = '_0123456789abcdef0123456789abcdef01234567';

const HOUR_SECONDS = 3600;

/** Verifies a response as the service does, up to its facts; returns them, or a reason. */
export function ownVerification(idpKeys, spKeys) {
  const properties = Object.assign(new IdpProperties(), { maxAssertionAge: Duration.ofSeconds(HOUR_SECONDS) });
  const trust = {
    entityId: ENTITY_ID,
    sso: { url: SSO_URL, binding: 'redirect' },
    certificates: [idpKeys.certificate],
  };
  const idp = {
    name: 'corp',
    displayName: 'corp',
    properties,
    trust: () => trust,
    hasNewCertificates: async () => false,
  };
  const sp = {
    entityId: PARTIES.audience,
    acsUrl: PARTIES.acsUrl,
    ...(spKeys && { keys: { ...spKeys, decryptionKey: createPrivateKey(spKeys.privateKey) } }),
  };
  const responses = new SamlResponses(new SystemClock(), { of: () => sp }, new Loggers());
  return async (base64) => {
    const posted = responses.read(base64, idp);
    return typeof posted === 'string'
      ? posted
      : responses.verify(posted, idp, { protocol: 'https', host: '' }, REQUEST_ID);
  };
}

/** node-saml with its strictest options. */
export function bareVerification(idpKeys, spKeys) {
  const saml = new SAML({
    idpIssuer: ENTITY_ID,
    idpCert: [idpKeys.certificate],
    entryPoint: SSO_URL,
    issuer: PARTIES.audience,
    audience: PARTIES.audience,
    callbackUrl: PARTIES.acsUrl,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: 60_000,
    maxAssertionAgeMs: HOUR_SECONDS * 1000,
    requestIdExpirationPeriodMs: HOUR_SECONDS * 1000,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === REQUEST_ID ? new Date().toISOString() : null),
      removeAsync: async () => null,
    },
    ...(spKeys && { decryptionPvk: spKeys.privateKey }),
  });
  return async (base64) => (await saml.validatePostResponseAsync({ SAMLResponse: base64 })).profile;
}
