import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MetadataServer } from '../../test/support/metadata-server.js';
import { MetadataClient } from './metadata.client.js';

const LIMIT_MILLIS = 5000;

describe('metadata at a URL', () => {
  let server: MetadataServer;
  const client = new MetadataClient(LIMIT_MILLIS);
  const reason = async (fetched: Promise<unknown>): Promise<string> =>
    fetched.then(
      () => 'none',
      (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : ''),
    );

  beforeEach(async () => {
    server = await MetadataServer.start();
  });
  afterEach(() => server.stop());

  it('are read whatever their media type, with the clock of whoever sent them', async () => {
    server.answer = '<ä/>';
    server.headers = { 'content-type': 'text/plain', date: 'Sat, 21 Nov 2026 20:00:00 GMT' };

    const fetched = await client.fetch(server.url);

    expect(fetched).toEqual({ document: '<ä/>', date: Date.UTC(2026, 10, 21, 20) });
  });

  it.each([
    [404, 'their URL answered 404'],
    [302, 'their URL answered 302, and redirections are not followed'],
    [204, 'their URL answered 204'],
  ])('are not there where it answers %i', async (status, message) => {
    server.status = status;
    server.headers = { location: 'http://127.0.0.1:1/' };

    expect(await reason(client.fetch(server.url))).toBe(`MetadataFailure: ${message}`);
    expect(server.calls).toBe(1);
  });

  it('are not read beyond 5 MB', async () => {
    server.answer = Buffer.alloc(5 * 1024 * 1024 + 1, ' ');

    expect(await reason(client.fetch(server.url))).toBe('MetadataFailure: they are larger than 5 MB');
  });

  it('are UTF-8', async () => {
    server.answer = Buffer.from('<a>ü</a>', 'latin1');

    expect(await reason(client.fetch(server.url))).toBe('MetadataFailure: they are not in UTF-8');
  });

  it('are not waited for longer than the limit', async () => {
    server.heldUntil = new Promise(() => undefined);

    expect(await reason(new MetadataClient(50).fetch(server.url))).toBe(
      'MetadataFailure: their URL cannot be reached: no whole answer within 0.05 s',
    );
  });

  it('are out of reach where nobody listens', async () => {
    await server.stop();

    expect(await reason(client.fetch('http://127.0.0.1:1/'))).toMatch(
      /^MetadataFailure: their URL cannot be reached: (?:ECONNREFUSED|bad port)$/,
    );
  });
});
