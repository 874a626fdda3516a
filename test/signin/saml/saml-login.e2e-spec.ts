import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { setCookie } from '../../support/http/http-client.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const SESSION = { httponly: true, samesite: 'Lax', path: '/' };

onAnyEngine('staff sign-ins', (engine) => {
  const staff = staffStoryOn(engine, {
    corp: { 'roles.attribute': ROLES, 'roles.map[Treasury]': 'ROLE_TREASURY', 'roles.default': 'ROLE_STAFF' },
  });

  it('a sign-in through the identity provider creates a session and a refresh cookie', async () => {
    const { client, answer } = await staff.signIn(
      { nameId: 'ada', authnContextClassRef: MFA_CLASS, attributes: { [ROLES]: ['Treasury', 'Unknown'] } },
      { query: '?return_to=/portal/accounts&prompt=login' },
    );

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/portal/accounts');
    expect(setCookie(answer, 'SESSION')?.attributes).toMatchObject(SESSION);
    expect(setCookie(answer, 'refresh_token')?.attributes).toMatchObject({ httponly: true, samesite: 'Strict' });
    expect(await client.get('/me')).toBeAnswered(200);
    const token = decodeJwt(await staff.accessToken(client));
    expect(token).toMatchObject({
      amr: ['pwd', 'otp'],
      acr: 'urn:login:acr:mfa',
      idp: 'corp',
      authn_context: MFA_CLASS,
      roles: ['ROLE_STAFF', 'ROLE_TREASURY'],
      auth_time: staff.story.clock.seconds,
      mfa_at: staff.story.clock.seconds,
    });
    expect(await client.get('/me/settlement')).toBeAnswered(200);
  });

  it('amr follows the class in the response', async () => {
    const { client } = await staff.signIn({ nameId: 'bob', authnContextClassRef: PASSWORD_CLASS });

    expect(decodeJwt(await staff.accessToken(client))).toMatchObject({ amr: ['pwd'], authn_context: PASSWORD_CLASS });
    expect(await client.get('/me/settlement')).toBeRefused(401, 'STEP_UP_REQUIRED');
  });

  it('a second sign-in finds the same account', async () => {
    const [first, second] = [await staff.signIn({ nameId: 'eve' }), await staff.signIn({ nameId: 'eve' })];

    const subjects = await Promise.all(
      [first, second].map(async ({ client }) => (await client.get('/me')).body['sub']),
    );
    expect(subjects[0]).toBe(subjects[1]);
  });

  describe('SAML responses', () => {
    it('X8: a response is accepted once', async () => {
      const client = staff.client();
      const request = await staff.depart(client);
      const form = staff.posted(staff.response(request), request);
      const copy = client.copy();

      expect((await staff.arrive(client, form)).status).toBe(303);
      expect(await staff.arrive(copy, form)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('in_response_to');
    });

    it.each([
      ['lost', undefined],
      ['changed', 'x'],
    ])('M3: the reason of a response with a %s RelayState is not that of an old request', async (_, relayState) => {
      const client = staff.client();
      const request = await staff.depart(client);

      const answer = await staff.arrive(client, staff.posted(staff.response(request), { relayState }));

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('relay_state');
    });

    it('X8: a response is accepted only in the browser of its request', async () => {
      const request = await staff.depart(staff.client());
      const stranger = staff.client();
      await staff.depart(stranger);

      const form = staff.posted(staff.response(request), request);

      expect(await staff.arrive(stranger, form)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('other_browser');
      expect(await staff.arrive(staff.client(), form)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    });
  });
});
