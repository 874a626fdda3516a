import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, HttpClient } from '../../support/http/http-client.js';
import { makeKeyPair } from '../../support/saml/identity-provider.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { type ManagedService, startManaged } from '../../support/management/management.js';
import '../../support/runner/matchers.js';
import { readAuthnRequest } from '../../support/saml/saml-messages.js';
import type { KeyPair } from '../../support/saml/saml-xml.js';
import { runCli } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const CORP = '--app.security.saml.idp.corp';

describe('a key change of an identity provider', { timeout: 120_000 }, () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  const started = async (): Promise<{ server: IdpServer; service: ManagedService; args: readonly string[] }> => {
    const server = await IdpServer.start({});
    stops.push(() => server.stop());
    const args = [`${CORP}.metadata=${server.metadataUrl}`];
    const service = await startManaged({ args });
    stops.push(() => service.stop());
    await waitUntil('the identity provider is usable', async () => {
      const { body } = await service.operator.get('/health/saml');
      return body['status'] === 'UP';
    });
    return { server, service, args };
  };
  const signIn = async ({ url }: ManagedService, server: IdpServer, keyPair: KeyPair): Promise<Answer> => {
    const client = new HttpClient(url);
    const { headers } = await client.get('/saml/corp/login');
    const { fields } = server.answerTo(readAuthnRequest(headers.get('location') ?? ''), { signature: { keyPair } });
    const cross = { origin: server.url, 'sec-fetch-site': 'cross-site' };
    return client.send('POST', '/saml/corp/acs', { form: fields, headers: cross });
  };
  const readings = ({ calls }: IdpServer): number => calls.filter((call) => call === 'GET /metadata').length;

  it('S3: a key change rereads the metadata at once without rejecting sign-ins, but at most once a minute', async () => {
    const { server, service } = await started();
    const [second, third] = [makeKeyPair('second'), makeKeyPair('third')];
    expect((await signIn(service, server, server.idp.keyPair)).status).toBe(303);
    expect(readings(server)).toBe(1);

    server.settings.metadata = { certificates: [second.certificate] };
    const answers = await Promise.all([1, 2, 3].map(() => signIn(service, server, second)));

    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(readings(server)).toBe(2);
    expect(await signIn(service, server, server.idp.keyPair)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    server.settings.metadata = { certificates: [third.certificate] };
    expect(await signIn(service, server, third)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(readings(server)).toBe(2);
  });

  it('S3: every running replica rereads the metadata after "saml refresh"', async () => {
    const { server, service, args } = await started();
    const replica = await startManaged({ args, cwd: service.cwd });
    stops.push(() => replica.stop());
    await waitUntil('both replicas have read the metadata', () => Promise.resolve(readings(server) === 2));

    const ended = await runCli(['saml', 'refresh', 'corp', ...args], { cwd: service.cwd });

    expect([ended.stderr, ended.exitCode]).toEqual(['', 0]);
    expect(ended.stdout).toMatch(/^Requested\. /);
    await waitUntil('both replicas have read the metadata again', () => Promise.resolve(readings(server) === 4));
    await waitUntil('the logs of both replicas mention the request', () =>
      Promise.resolve(
        [service, replica].every(({ stdout }) =>
          stdout.includes(' : "saml refresh" requested a new reading of the metadata'),
        ),
      ),
    );
  });

  it.each([
    ['other', 4, 'Unknown identity provider "other": known: hand.\n'],
    ['hand', 1, 'The identity provider "hand" is configured without metadata, so there is nothing to read.\n'],
  ])('S3: "saml refresh %s" exits with code %d when there is nothing to read', async (name, exitCode, stderr) => {
    const file = join(makeFolder(), 'idp.crt');
    const keys = { 'entity-id': 'urn:idp', 'sso-url': 'https://idp.example/sso', certificates: `file:${file}` };
    const args = Object.entries(keys).map(([key, value]) => `--app.security.saml.idp.hand.${key}=${value}`);

    const ended = await runCli(['saml', 'refresh', name, ...args]);

    expect([ended.stderr, ended.exitCode]).toEqual([stderr, exitCode]);
  });
});

/** Creates a folder with a certificate. */
function makeFolder(): string {
  const folder = temporaryFolder('idp');
  writeFileSync(join(folder, 'idp.crt'), makeKeyPair('hand').certificate);
  return folder;
}
