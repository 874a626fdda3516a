import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { makeKeyPair } from '../../support/saml/identity-provider.js';
import { type LoginStory, refresh, storyOn } from '../../support/login/login-story.js';
import { formOf, visit } from '../../support/pages/pages.js';
import { type ArrivedMessage, type Habits, SamlifyIdp } from '../../support/saml/samlify-idp.js';
import { type Binding, PASSWORD_CLASS } from '../../support/saml/saml-xml.js';
import { HAS_SIMPLE_SAML_PHP, SimpleSamlPhp, type Treatment } from '../../support/saml/simple-saml-php.js';
import { type Engine, onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const REFEDS_MFA = 'https://refeds.org/profile/mfa';
const BINDINGS = ['redirect', 'post'] as const;

const own = makeCertificate({ name: 'saml.test', key: 'rsa' });

onSqlite('an identity provider based on samlify', (engine) => {
  const idps = new Map(BINDINGS.map((binding) => [binding, new SamlifyIdp(binding, makeKeyPair(binding))]));
  const folder = temporaryFolder('idp');
  for (const [binding, idp] of idps) writeFileSync(join(folder, binding), idp.metadata);
  const story = storyWith(engine, (binding) => join(folder, binding));

  async function answered(binding: Binding, request: ArrivedMessage, habits?: Habits) {
    return idpOf(binding).answer(request, await serviceMetadata(story, binding), habits);
  }

  function idpOf(binding: Binding): SamlifyIdp {
    const idp = idps.get(binding);
    if (!idp) throw new Error(`no identity provider by ${binding}`);
    return idp;
  }

  async function signIn(binding: Binding, habits: Habits) {
    const client = story.client();
    const form = await answered(binding, await departed(client, binding), habits);
    return { client, answer: await arrived(client, binding, form) };
  }

  describe('single logout with samlify', () => {
    const person = { person: 'eve', sessionIndex: '_of-eve' };

    it('a logout started at the identity provider ends the session here', async () => {
      const idp = idpOf('redirect');
      const { client } = await signIn('redirect', person);
      const metadata = await serviceMetadata(story, 'redirect');
      expect(await client.get('/me')).toBeAnswered(200);

      const back = await sentOn(story, story.client(), idp.logoutRequest(metadata, person));

      expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await idp.readLogoutResponse(carried(back), metadata)).toMatchObject({
        response: { destination: 'https://redirect.idp.test/slo' },
      });
    });

    it('a logout started here is confirmed by the identity provider', async () => {
      const idp = idpOf('redirect');
      const { client } = await signIn('redirect', person);
      const left = await client.send('POST', '/saml/redirect/logout', { form: {} });

      const asked = carried(left.headers.get('location') ?? '');
      const answer = await idp.answerLogout(asked, await serviceMetadata(story, 'redirect'));

      expect(await sentOn(story, client, answer)).toBe('/portal/login');
    });
  });

  it('the identity provider rejects a request whose signed query was changed', async () => {
    const request = await departed(story.client(), 'redirect');
    const octetString = request.octetString?.replace('RelayState=', 'RelayState=x') ?? '';

    await expect(answered('redirect', { ...request, octetString })).rejects.toThrow('SIGNATURE_VERIFICATION');
  });

  describe.each(BINDINGS)('sign-in by HTTP-%s', (binding) => {
    it.each([
      ['a signed assertion', {}],
      ['a signed assertion in a signed response', { signsResponse: true }],
      ['an assertion encrypted with AES-128-GCM', { cipher: 'aes128-gcm' }],
      ['an assertion encrypted with AES-256-CBC in a signed response', { cipher: 'aes256-cbc', signsResponse: true }],
    ] as const)('a signed request is accepted, and so is %s', async (_, habits) => {
      const person = { person: 'ada', group: 'Treasury', classRef: REFEDS_MFA };

      const { client, answer } = await signIn(binding, { ...person, ...habits });

      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('/session');
      expect(await tokenOf(client)).toMatchObject({
        amr: ['pwd', 'otp'],
        authn_context: REFEDS_MFA,
        idp: binding,
        roles: ['ROLE_TREASURY'],
      });
    });

    it('the password class gives amr pwd', async () => {
      const { client } = await signIn(binding, { classRef: PASSWORD_CLASS });

      expect(await tokenOf(client)).toMatchObject({ amr: ['pwd'], authn_context: PASSWORD_CLASS, roles: [] });
    });
  });
});

// Runs only where SimpleSAMLphp is installed.
if (HAS_SIMPLE_SAML_PHP) {
  onSqlite('an identity provider based on SimpleSAMLphp', (engine) => {
    const metadata = join(temporaryFolder('idp'), 'metadata.xml');
    let idp: SimpleSamlPhp;

    // Runs before the story, which reads the file.
    beforeAll(async () => {
      idp = await SimpleSamlPhp.start(makeKeyPair('simplesamlphp'));
      writeFileSync(metadata, await idp.metadata());
    });

    const story = storyWith(engine, () => metadata);

    afterAll(() => idp.stop());

    async function signIn(binding: Binding, treatment: Treatment = {}) {
      idp.introduce(await serviceMetadata(story, binding), treatment);
      const [client, there] = [story.client(), idp.client()];
      const { url, body } = await departed(client, binding);
      const { acsUrl, fields } = await idp.signIn(there, url, body);
      expect(acsUrl).toBe(`${story.service.url}/saml/${binding}/acs`);
      return { client, there, answer: await arrived(client, binding, fields) };
    }

    it('the identity provider rejects a request signed with another key', async () => {
      const certificate = makeKeyPair('another').certificate;

      await expect(signIn('redirect', { certificate })).rejects.toThrow('SSOService.php');
    });

    describe.each(BINDINGS)('sign-in by HTTP-%s', (binding) => {
      it.each([
        ['a signed assertion', {}],
        ['a signed assertion in a signed response', { signsResponse: true }],
        ['an assertion encrypted with AES-CBC in a signed response', { signsResponse: true, isEncrypted: true }],
      ])('a signed request is accepted, and so is %s', async (_, habits) => {
        const { client, answer } = await signIn(binding, { ...habits, classRef: REFEDS_MFA });

        expect(answer.status).toBe(303);
        expect(answer.headers.get('location')).toBe('/session');
        expect(await tokenOf(client)).toMatchObject({
          amr: ['pwd', 'otp'],
          authn_context: REFEDS_MFA,
          roles: ['ROLE_TREASURY'],
        });
      });

      it('the default class of the identity provider gives amr pwd', async () => {
        const { client } = await signIn(binding);

        expect(await tokenOf(client)).toMatchObject({ amr: ['pwd'], authn_context: PASSWORD_CLASS });
      });
    });

    describe('single logout with SimpleSAMLphp', () => {
      it('a logout started here ends the session at the identity provider and returns', async () => {
        const { client, there } = await signIn('redirect');
        const left = await client.send('POST', '/saml/redirect/logout', { form: {} });
        expect(left.status).toBe(303);
        expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');

        const back = await idp.sendsOn(there, left.headers.get('location') ?? '');

        expect(back).toContain('/saml/redirect/slo?SAMLResponse=');
        expect(await sentOn(story, client, back)).toBe('/portal/login');
        const again = await departed(story.client(), 'redirect');
        // With a session the identity provider would respond without a sign-in form.
        await expect(idp.signIn(there, again.url)).resolves.toBeDefined();
      });

      it('a logout started at the identity provider ends the session here', async () => {
        const { client, there } = await signIn('redirect');
        const elsewhere = story.client();
        expect(await client.get('/me')).toBeAnswered(200);

        const asked = await idp.sendsOn(there, idp.leaveUrl);
        expect(asked).toContain('/saml/redirect/slo?SAMLRequest=');
        const answered = await sentOn(story, elsewhere, asked);

        expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
        expect(await idp.sendsOn(there, answered)).toBe(idp.leftUrl);
      });
    });

    it('an assertion encrypted with AES-CBC is rejected without a signed response', async () => {
      const { answer } = await signIn('redirect', { isEncrypted: true });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    });
  });
}

/** Configures one identity provider per binding by its metadata file; the clock runs like those of the providers. */
function storyWith(engine: Engine, metadataFile: (binding: Binding) => string): LoginStory {
  const keys = (binding: Binding) => ({
    metadata: `file:${metadataFile(binding)}`,
    'sso-binding': binding,
    bundle: 'saml',
    'authn-context.presets': 'oasis,refeds',
    'roles.attribute': 'groups',
    'roles.map[Treasury]': 'ROLE_TREASURY',
  });
  const story = storyOn(engine, {
    people: 0,
    args: [
      `--app.ssl.bundle.pem.saml.keystore.certificate=file:${own.certificate}`,
      `--app.ssl.bundle.pem.saml.keystore.private-key=file:${own.key}`,
      ...BINDINGS.flatMap((binding) =>
        Object.entries(keys(binding)).map(([key, value]) => `--app.security.saml.idp.${binding}.${key}=${value}`),
      ),
    ],
  });
  beforeAll(() => {
    story.clock.run();
    // The clock was stopped while the service was built and started.
    story.clock.advance(Math.round((Date.now() - story.clock.millis) / 1000));
  });
  return story;
}

/** The metadata of this service. */
async function serviceMetadata(story: LoginStory, binding: Binding): Promise<string> {
  return (await story.client().get(`/saml/${binding}/metadata`)).text;
}

/** The request that the service sends through a browser, in a redirect URL or in the form of a page. */
async function departed(client: HttpClient, binding: Binding): Promise<ArrivedMessage & { readonly url: string }> {
  const page = await visit(client, `/saml/${binding}/login?return_to=/session`);
  if (binding === 'post') {
    const { path: url, fields: body } = formOf(client, page);
    return { binding, url, body };
  }
  const url = page.headers.get('location') ?? '';
  return { ...carried(url), url };
}

/** The message in a redirect URL. */
function carried(url: string): ArrivedMessage {
  const [, octets = ''] = url.split('?');
  const query = Object.fromEntries(new URLSearchParams(octets));
  return { binding: 'redirect', query, octetString: octets.replace(/&Signature=.*/, '') };
}

/** The redirect target of the response to `url`. */
async function sentOn(story: LoginStory, client: HttpClient, url: string): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  expect(origin).toBe(story.service.url);
  const answer = await client.get(`${pathname}${search}`);
  expect(answer.status, answer.text).toBe(303);
  return answer.headers.get('location') ?? '';
}

function arrived(client: HttpClient, binding: Binding, form: Readonly<Record<string, string>>): Promise<Answer> {
  const headers = { origin: 'https://idp.test', 'sec-fetch-site': 'cross-site' };
  return client.send('POST', `/saml/${binding}/acs`, { form, headers });
}

async function tokenOf(client: HttpClient): Promise<unknown> {
  return decodeJwt(textOf(await refresh(client), 'access_token'));
}
