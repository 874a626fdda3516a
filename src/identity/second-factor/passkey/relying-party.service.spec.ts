import { describe, expect, it } from 'vitest';
import { configurationOf } from '../../../../test/support/http/tls-bundle.js';
import { BrandingProperties } from '../../../platform/branding/branding.properties.js';
import {
  browserUrl,
  PublicUrlProperties,
  ServerProperties,
  SslProperties,
} from '../../../platform/http/server.properties.js';
import { BrowserAddress } from './passkey-site.js';
import { PasskeyProperties } from './passkey.properties.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { RelyingParty } from './relying-party.service.js';

const URL_KEY = '--app.security.public-url';
const PASSKEY = '--app.security.mfa.passkey';

function relyingParty(...args: readonly string[]): RelyingParty {
  const configuration = configurationOf(args);
  const url = browserUrl(
    configuration.get(PublicUrlProperties),
    configuration.get(ServerProperties),
    configuration.get(SslProperties),
  );
  return new RelyingParty(
    configuration.get(PasskeyProperties),
    configuration.get(BrandingProperties),
    new BrowserAddress(url, () => '40123'),
    new Loggers(),
  );
}

describe('the relying party of passkeys', () => {
  it.each([
    [[`${URL_KEY}=https://login.example.com/auth`], 'login.example.com', 'https://login.example.com'],
    [[`${URL_KEY}=https://login.example.com:8443`], 'login.example.com', 'https://login.example.com:8443'],
    [[`${URL_KEY}=http://localhost:3000`], 'localhost', 'http://localhost:3000'],
    [[`${URL_KEY}=http://login.localhost`], 'login.localhost', 'http://login.localhost'],
    [['--server.port=8080'], 'localhost', 'http://localhost:8080'],
    [['--server.port=80'], 'localhost', 'http://localhost'],
    [['--server.port=8443', '--server.ssl.bundle=web'], 'localhost', 'https://localhost:8443'],
  ])('%j gives the RP ID %s and the origin %s', (args, id, origin) => {
    const party = relyingParty(...args);

    expect(party.unavailability).toBeUndefined();
    expect([party.id, party.origins]).toEqual([id, [origin]]);
  });

  it('a port that the system selects is part of the origin', () => {
    expect(relyingParty('--server.port=0').origins).toEqual(['http://localhost:40123']);
  });

  it('further origins follow that of the service', () => {
    const native = `android:apk-key-hash:${'A'.repeat(43)}`;
    const party = relyingParty(
      `${URL_KEY}=https://login.example.com`,
      `${PASSKEY}.origins=https://a.login.example.com,${native}`,
    );

    expect(party.origins).toEqual(['https://login.example.com', 'https://a.login.example.com', native]);
  });

  it('the name is that of the branding', () => {
    expect(relyingParty('--app.branding.name=Example: Sign-in').name).toBe('Example: Sign-in');
  });

  it.each([
    [[`${URL_KEY}=https://192.0.2.7`], 'passkeys need a domain name, not an IP address'],
    [[`${URL_KEY}=https://[2001:db8::1]:8443`], 'passkeys need a domain name, not an IP address'],
    [[`${URL_KEY}=http://127.0.0.1:8080`], 'passkeys need a domain name, not an IP address'],
    [
      [`${URL_KEY}=http://login.example.com`],
      'browsers offer passkeys at https addresses and at http://localhost only',
    ],
    [['--server.port=-1'], 'there is neither app.security.public-url nor a listener'],
    [[`${PASSKEY}.enabled=false`], 'app.security.mfa.passkey.enabled is false'],
  ])('%j makes passkeys unavailable: %s', (args, reason) => {
    expect(relyingParty(...args).isAvailable).toBe(false);
    expect(relyingParty(...args).unavailability).toBe(reason);
  });
});
