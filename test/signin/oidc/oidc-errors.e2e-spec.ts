import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const FORM = 'application/x-www-form-urlencoded';
const SECRET = 'a-secret-of-the-robot-0123456789';
const JOB = [
  '--app.security.clients.robot.grant-types=client_credentials',
  '--app.security.clients.robot.audience=jobs',
];

onAnyEngine('clients without users', (engine) => {
  const story = storyOn(engine, {
    args: [
      `--app.security.clients.robot.secret=${SECRET}`,
      `--app.security.clients.jobs-api.secret=${SECRET}`,
      '--app.security.clients.jobs-api.audience=jobs',
      `--app.security.clients.other-api.secret=${SECRET}`,
      '--app.security.clients.other-api.grant-types=client_credentials',
      ...JOB,
    ],
  });
  const basic = (id: string): Readonly<Record<string, string>> => ({
    authorization: `Basic ${Buffer.from(`${id}:${SECRET}`).toString('base64')}`,
  });

  describe.each(['/token', '/par', '/revoke'])('%s', (path) => {
    it.each([
      ['a repeated parameter', FORM, 'grant_type=client_credentials&grant_type=client_credentials&token=a&token=b'],
      ['a JSON body', 'application/json', '{"grant_type":"client_credentials","token":"a"}'],
      ['malformed JSON', 'application/json', '{'],
      ['another media type', 'text/plain', 'grant_type=client_credentials'],
      ['bytes that are no UTF-8', FORM, Buffer.from([0x61, 0x3d, 0xff])],
      ['a body that is too long', FORM, `a=${'x'.repeat(3_000_000)}`],
      ['no body', FORM, ''],
    ])('H1: answers %s in the form of RFC 6749 section 5.2', async (_, type, raw) => {
      const answer = await story.client().send('POST', path, {
        raw: Buffer.from(raw),
        headers: { ...basic('robot'), 'content-type': type },
      });

      expect(answer).toBeAnswered(400);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
      expect(answer.body['error']).toBe('invalid_request');
    });
  });

  describe('a token of a client itself', () => {
    const tokenOf = async (): Promise<string> => {
      const answer = await story.client().send('POST', '/token', {
        form: { grant_type: 'client_credentials' },
        headers: basic('robot'),
      });
      return textOf(answer, 'access_token');
    };
    const introspect = (token: string, id: string): Promise<Answer> =>
      story.client().send('POST', '/token/introspect', { form: { token }, headers: basic(id) });

    it('is active for its client and for its audience, and for no other client', async () => {
      const token = await tokenOf();
      const claims = decodeJwt(token);

      const own = await introspect(token, 'robot');
      const api = await introspect(token, 'jobs-api');
      const other = await introspect(token, 'other-api');

      const { iss, sub, aud, iat, exp, jti } = claims;
      expect(own.body).toEqual({
        ...{ active: true, token_type: 'Bearer', iss, sub, aud, iat, exp, jti, client_id: 'robot' },
      });
      expect(api.body).toEqual(own.body);
      expect(other.body).toEqual({ active: false });
    });

    it('J6: is inactive when it has expired', async () => {
      const token = await tokenOf();
      story.clock.advance(601);

      expect((await introspect(token, 'jobs-api')).body).toEqual({ active: false });
    });

    it('S6: is inactive once its client may no longer have such tokens', async () => {
      const token = await tokenOf();
      await story.service.stop();
      await story.restart(['--app.security.clients.robot.grant-types=refresh_token']);

      expect((await introspect(token, 'jobs-api')).body).toEqual({ active: false });
    });
  });
});
