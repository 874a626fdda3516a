import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { basic } from '../../support/http/http-client.js';
import { MFA_CLASS, PASSWORD_CLASS, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const CLIENT_SECRET = 'a-resource-server-knows-this-9f2c';

onSqlite('authn-context-in-amr=true', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: {} },
    {
      args: ['--app.security.token.authn-context-in-amr=true', `--app.security.clients.shop.secret=${CLIENT_SECRET}`],
    },
  );
  const { story } = staff;

  /** The claim `amr` of the token of a staff login, of its introspection, and the `amr` that `/me` states. */
  async function amrOf(authnContextClassRef: string) {
    const { client } = await staff.signIn({ authnContextClassRef });
    const token = await staff.accessToken(client);
    const headers = basic('shop', CLIENT_SECRET);
    const introspection = await story.client().send('POST', '/token/introspect', { form: { token }, headers });
    const me = await story.client().get('/me', { bearer: token });
    const settlement = await story.client().get('/me/settlement', { bearer: token });
    const { amr, acr } = decodeJwt(token);
    return { claim: amr, acr, introspected: introspection.body['amr'], me: me.body['amr'], settlement };
  }

  it.each([
    ['of a second factor', MFA_CLASS, ['pwd', 'otp'], 'urn:login:acr:mfa', 200],
    ['of a password', PASSWORD_CLASS, ['pwd'], 'urn:login:acr:pwd', 401],
    ['that is unknown', 'urn:test:Unknown', ['pwd'], 'urn:login:acr:pwd', 401],
  ] as const)('M4: the claim amr has the class %s after the methods', async (_, classRef, methods, acr, status) => {
    const found = await amrOf(classRef);

    expect(found).toMatchObject({
      claim: [...methods, classRef],
      acr,
      introspected: [...methods, classRef],
      me: methods,
      settlement: { status },
    });
  });

  it.each(['otp', 'hwk', 'mfa', 'urn:x otp', 'otp urn:x', 'hwk swk'])(
    'M4: a class that reads like a method is not added: %s',
    async (classRef) => {
      const found = await amrOf(classRef);

      expect(found).toMatchObject({ claim: ['pwd'], introspected: ['pwd'], me: ['pwd'], settlement: { status: 401 } });
    },
  );

  it('M4: the claim amr of a password login has methods only', async () => {
    const { accessToken } = await story.signInByPassword(story.person());

    expect(decodeJwt(accessToken)['amr']).toEqual(['pwd']);
    expect(await story.client().get('/me', { bearer: accessToken })).toBeAnswered(200);
  });
});
