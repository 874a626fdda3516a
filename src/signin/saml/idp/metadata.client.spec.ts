import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKeyPair } from '../../../../test/support/saml/identity-provider.js';
import { IdpServer } from '../../../../test/support/saml/identity-provider-server.js';
import { outboundHttp } from '../../../../test/support/http/outbound.js';
import { MetadataClient } from './metadata.client.js';

const LIMIT_MILLIS = 5000;
const http = outboundHttp();
const keyPair = makeKeyPair();

describe('MetadataClient', () => {
  let server: IdpServer;
  const client = new MetadataClient(http, LIMIT_MILLIS);
  const reason = async (fetched: Promise<unknown>): Promise<string> =>
    fetched.then(
      () => 'none',
      (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : ''),
    );

  beforeEach(async () => {
    server = await IdpServer.start({}, { keyPair });
  });
  afterEach(() => server.stop());

  it('fetches metadata of any media type, with the Date of the response', async () => {
    const headers = { 'content-type': 'text/plain', date: 'Sat, 21 Nov 2026 20:00:00 GMT' };
    Object.assign(server.settings, { metadata: '<ä/>', metadataAnswer: { headers } });

    const fetched = await client.fetch(server.metadataUrl);

    expect(fetched).toEqual({ document: '<ä/>', date: Date.UTC(2026, 10, 21, 20) });
  });

  it.each([
    [404, 'the URL responded with 404'],
    [302, 'the URL responded with 302, and redirects are not followed'],
    [204, 'the URL responded with 204'],
  ])('rejects a response with status %i', async (status, message) => {
    server.settings.metadataAnswer = { status, headers: { location: 'http://127.0.0.1:1/' } };

    expect(await reason(client.fetch(server.metadataUrl))).toBe(`MetadataFailure: ${message}`);
    expect(server.calls).toEqual(['GET /metadata']);
  });

  it('rejects more than 5 MB', async () => {
    server.settings.metadata = Buffer.alloc(5 * 1024 * 1024 + 1, ' ');

    expect(await reason(client.fetch(server.metadataUrl))).toBe('MetadataFailure: larger than 5 MB');
  });

  it('rejects metadata that is not UTF-8', async () => {
    server.settings.metadata = Buffer.from('<a>ü</a>', 'latin1');

    expect(await reason(client.fetch(server.metadataUrl))).toBe('MetadataFailure: not in UTF-8');
  });

  it('fails when the response takes longer than the limit', async () => {
    server.settings.metadataAnswer = { heldUntil: new Promise(() => undefined) };

    expect(await reason(new MetadataClient(http, 50).fetch(server.metadataUrl))).toBe(
      'MetadataFailure: the URL cannot be reached: no complete response within 0.05 s',
    );
  });

  it('reports a refused connection', async () => {
    await server.stop();

    expect(await reason(client.fetch(server.metadataUrl))).toBe(
      'MetadataFailure: the URL cannot be reached: ECONNREFUSED',
    );
  });
});
