import { beforeAll, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import { Administrator } from '../../support/login/administrator.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { BROWSER, follow, formOf, submit, unescaped, visit } from '../../support/pages/pages.js';
import type { SoftwareAuthenticator } from '../../support/passkey/passkey-authenticator.js';
import { assert, creationOptions, PasskeyStory, requestOptions } from '../../support/passkey/passkey-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const SECURITY = '/portal/security';
const VERIFY = '/2fa/portal/verify';
const HOSTILE = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;
const UNKNOWN = '01890000-0000-7000-8000-000000000000';
const CHOSEN = 'nine wet lanterns & 3 harbours';
/** After this time, no proof is fresh any more. */
const STALE_SECONDS = 600;
const { account, authenticators, activity, home, passkey: passkeyTexts } = messagesOf('en');

onSqlite('authenticators on the pages of account security', (engine) => {
  const story = storyOn(engine, { people: 60, others: { boss: 'ROLE_ADMIN' } });
  const passkeys = new PasskeyStory(story);

  /** A browser that has sent username and password. */
  async function byPassword(person: Person): Promise<HttpClient> {
    const client = story.client();
    await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
    return client;
  }

  /** A browser that is signed in with both factors, the second one by the app. */
  async function signIn(person: Enrolled): Promise<HttpClient> {
    const client = await byPassword(person);
    expect(await sendCode(client, await visit(client, VERIFY), story.nextCode(person))).toBeAnswered(303);
    return client;
  }

  function sendCode(client: HttpClient, page: Answer, code: string): Promise<Answer> {
    return submit(client, page, { code }, {}, messagesOf('en').verify.submit);
  }

  /** Adds a passkey by the form of its page. */
  async function addPasskey(
    client: HttpClient,
    name: string,
    authenticator = passkeys.authenticator(),
  ): Promise<SoftwareAuthenticator> {
    const page = await visit(client, `${SECURITY}/add-passkey`);
    const credential = JSON.stringify(authenticator.register(await creationOptions(client, {})));
    const added = await submit(client, page, { name, credential });
    expect(added).toBeAnswered(303);
    expect((await follow(client, added)).text).toContain(account.done.passkey);
    return authenticator;
  }

  /** A user with an app and a passkey, and a browser that is signed in. */
  async function withBoth(
    name = 'Blue key',
  ): Promise<{ readonly person: Enrolled; readonly client: HttpClient; readonly key: SoftwareAuthenticator }> {
    const person = await story.enrolled();
    const client = await signIn(person);
    return { person, client, key: await addPasskey(client, name) };
  }

  /** The paths of the pages that rename or remove an authenticator, in the order of the list. */
  async function pathsOf(client: HttpClient, act: 'rename' | 'remove'): Promise<readonly string[]> {
    const { text } = await visit(client, SECURITY);
    return [...text.matchAll(new RegExp(`href="([^"]*/authenticators/[^"]*/${act})"`, 'g'))].map(
      ([, path = '']) => path,
    );
  }

  async function pathOf(client: HttpClient, act: 'rename' | 'remove', index = 0): Promise<string> {
    const path = (await pathsOf(client, act))[index];
    if (path === undefined) throw new Error(`the list has no ${act} ${index}`);
    return path;
  }

  /** The text of the page about the second factor, without tags. */
  async function panelOf(client: HttpClient): Promise<string> {
    const { text } = await visit(client, SECURITY);
    const panel = /<section [^>]*aria-labelledby="second-factor">([^]*?)<\/section>/.exec(text)?.[1] ?? '';
    return unescaped(panel.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '));
  }

  async function assertionFor(client: HttpClient, key: SoftwareAuthenticator): Promise<string> {
    return JSON.stringify(key.assert(await requestOptions(client, {})));
  }

  function isSignedIn(client: HttpClient): Promise<boolean> {
    return client.get('/session').then(({ status }) => status === 200);
  }

  describe('the list', () => {
    it('shows the type, the name or that of the type, the times and where a passkey is stored', async () => {
      const { client } = await withBoth();
      story.clock.advance(60);
      await addPasskey(client, '', passkeys.authenticator({ isSynced: true }));

      const panel = await panelOf(client);

      expect(panel).toMatch(
        new RegExp(
          `${account.types.totp} ${account.added}: .* · ${account.lastUsed}: .*` +
            `Blue key ${account.types.passkey} · ${account.bound} ${account.added}: .* · ${account.unused}.*` +
            `${account.types.passkey} ${account.synced} ${account.added}: .* · ${account.unused}`,
        ),
      );
      expect(panel).not.toContain(account.kept.last);
    });

    it('an account without a second factor is led to the setup from every page that adds one', async () => {
      const client = await byPassword(story.person());

      const { text } = await visit(client, SECURITY);
      const setup = `/2fa/portal/setup?return_to=${encodeURIComponent(SECURITY)}`;

      expect(text).toContain(`href="${setup}"`);
      expect((await visit(client, `${SECURITY}/add-passkey`)).headers.get('location')).toBe(setup);
      expect((await visit(client, `${SECURITY}/add-app`)).headers.get('location')).toContain('/2fa/portal/setup?');
    });

    it('a link to add a passkey is hidden until the script shows it', async () => {
      const client = await signIn(await story.enrolled());

      const { text } = await visit(client, SECURITY);

      expect(/<a [^>]*add-passkey"[^>]*>/.exec(text)?.[0]).toMatch(/ data-with-passkeys hidden>$/);
    });
  });

  describe('renaming', () => {
    it('shows the new name, and asks for no proof while the last one is fresh', async () => {
      const { client } = await withBoth();
      const path = await pathOf(client, 'rename', 1);
      const page = await visit(client, path);

      const renamed = await submit(client, page, { name: '  Red key ' });

      expect(formOf(client, page).fields).not.toHaveProperty('code');
      expect(formOf(client, page).fields['name']).toBe('Blue key');
      const overview = await follow(client, renamed);
      expect(overview.text).toContain(account.done.renamed);
      expect(overview.text).toContain('<strong>Red key</strong>');
      expect(overview.text).not.toContain('Blue key');
    });

    it.each(['', '   ', 'a'.repeat(65), 'a\u0007b', 'a\u202eb'])(
      'shows the form again with what was typed for the name %j',
      async (name) => {
        const client = await signIn(await story.enrolled());
        const path = await pathOf(client, 'rename');

        const again = await submit(client, await visit(client, path), { name });

        expect(again).toBeAnswered(400);
        expect(again.text).toContain(authenticators.badName);
        expect(formOf(client, again).fields['name']).toBe(name);
      },
    );

    it('asks for a proof if the last one is too old, and neither renames without one nor with a wrong code', async () => {
      const { person, client } = await withBoth();
      const path = await pathOf(client, 'rename', 1);
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, path);

      const without = await submit(client, page, { name: 'Red key', code: '' });
      const wrong = await submit(client, without, { name: 'Red key', code: story.wrongCode(person) });
      const before = await panelOf(client);
      const right = await submit(client, wrong, { code: story.nextCode(person) });

      expect([without, wrong, right].map(({ status }) => status)).toEqual([400, 401, 303]);
      expect(without.text).toContain(account.proofMissing);
      expect(before).toContain('Blue key');
      expect(await panelOf(client)).toContain('Red key');
      expect((await story.events(person)).at(-1)).toMatchObject({ kind: 'STEP_UP_OK', reason: 'totp' });
    });

    it('accepts a passkey as the proof, and rejects one that is not valid with a text of its own', async () => {
      const { person, client, key } = await withBoth();
      const path = await pathOf(client, 'rename', 1);
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, path);

      const stranger = passkeys.authenticator();
      stranger.credentials.push(...key.credentials.map((each) => ({ ...each, userHandle: 'AAAA' })));
      const malformed = await submit(client, page, { name: 'Red key', credential: '{"id":1}' });
      const wrong = await submit(client, page, { name: 'Red key', credential: await assertionFor(client, stranger) });
      const right = await submit(client, page, { name: 'Red key', credential: await assertionFor(client, key) });

      expect([malformed, wrong, right].map(({ status }) => status)).toEqual([400, 401, 303]);
      expect(unescaped(wrong.text)).toContain(passkeyTexts.rejected);
      expect(await panelOf(client)).toContain('Red key');
      expect((await story.events(person)).at(-1)).toMatchObject({ kind: 'STEP_UP_OK', reason: 'passkey' });
    });

    it('offers a backup code and no code of an app to an account that has passkeys only', async () => {
      const { person, client, key } = await withBoth();
      await submit(client, await visit(client, await pathOf(client, 'remove')), {});
      story.clock.advance(STALE_SECONDS);

      const page = await visit(client, await pathOf(client, 'rename'));

      const { verify } = messagesOf('en');
      expect(page.text).toContain(`>${verify.backupLabel}</label>`);
      expect(page.text).not.toContain(verify.anyLabel);
      expect(page.text).toContain('data-passkey="get"');
      expect(key.credentials).toHaveLength(1);
      const code = person.backupCodes[0] ?? '';
      expect(await submit(client, page, { name: 'Red key', code })).toBeAnswered(303);
    });

    it('the page of a lock takes the place of the form', async () => {
      const person = await story.enrolled();
      const client = await signIn(person);
      story.clock.advance(STALE_SECONDS);
      const path = await pathOf(client, 'rename');
      await story.lock(person);

      const locked = await submit(client, await visit(client, path), { name: 'x', code: story.nextCode(person) });

      expect(locked).toBeAnswered(429);
      expect(locked.text).toContain('data-wait=');
    });

    it('the page of a lock also takes the place of forms whose script gets no options because of it', async () => {
      const { person, client } = await withBoth();
      const rename = await visit(client, await pathOf(client, 'rename'));
      const addition = await visit(client, `${SECURITY}/add-passkey`);
      await story.lock(person);
      const lockedAddition = await submit(client, addition, { credential: '' });
      story.clock.advance(STALE_SECONDS);
      await story.lock(person);
      const { path, fields } = formOf(client, await visit(client, `${SECURITY}/password`));
      const form = { csrf: fields['csrf'] ?? '', current: PASSWORD, new: CHOSEN, code: '', credential: '' };

      const locked = [
        lockedAddition,
        await submit(client, rename, { name: 'Red key', code: '', credential: '' }),
        await submit(client, await visit(client, `${SECURITY}/turn-off`), { code: '', credential: '' }),
        await client.send('POST', path, { form, headers: BROWSER }),
      ];

      for (const answer of locked) {
        expect(answer).toBeAnswered(429);
        expect(answer.text).toContain('data-wait=');
      }
    });

    it('a form with the button of a passkey that was removed meanwhile asks for a code', async () => {
      const { person, client } = await withBoth();
      const [rename, remove] = [await pathOf(client, 'rename'), await pathOf(client, 'remove', 1)];
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, rename);
      expect(await submit(client, await visit(client, remove), { code: story.nextCode(person) })).toBeAnswered(303);
      story.clock.advance(STALE_SECONDS);

      const answer = await submit(client, page, { name: 'Red key', code: '', credential: '' });

      expect(answer).toBeAnswered(400);
      expect(answer.text).toContain(account.proofMissing);
      expect(answer.text).toContain('name="code"');
      expect(answer.text).not.toContain('data-passkey="get"');
    });

    it('the page for a password says what is wrong to a locked user without a second factor', async () => {
      const client = await byPassword(story.person());
      expect(await client.post('/2fa/setup')).toBeAnswered(201);
      for (let variant = 0; variant < 5; variant += 1) await client.post('/2fa/confirm', { code: `00000${variant}` });
      expect(await client.post('/2fa/confirm', { code: '000005' })).toBeRefused(429, 'MFA_LOCKED');
      const { path, fields } = formOf(client, await visit(client, `${SECURITY}/password`));
      const form = { csrf: fields['csrf'] ?? '', current: CHOSEN, new: CHOSEN };

      const answer = await client.send('POST', path, { form, headers: BROWSER });

      expect(answer).toBeAnswered(401);
      expect(answer.text).toContain(messagesOf('en').passwordChange.wrongCurrent);
    });

    it('a form whose script got no options for another reason is shown again, and costs no attempt', async () => {
      const { person, client } = await withBoth();
      const path = await pathOf(client, 'rename');
      story.clock.advance(STALE_SECONDS);

      const answer = await submit(client, await visit(client, path), { name: 'Red key', code: '', credential: '' });

      expect(answer).toBeAnswered(400);
      expect(answer.text).toContain(account.proofMissing);
      expect(await story.countOf(person, 'MFA_FAILED')).toBe(0);
    });
  });

  describe('removing', () => {
    it('says what ends, and ends other sessions and the trust in browsers', async () => {
      const { person, client } = await withBoth();
      const other = await signIn(person);
      const page = await visit(client, await pathOf(client, 'remove'));

      const removed = await submit(client, page, {});

      expect(page.text).toContain(authenticators.removeText);
      expect(page.text).toContain(authenticators.removeApp);
      expect((await follow(client, removed)).text).toContain(account.done.removed);
      expect(await pathsOf(client, 'rename')).toHaveLength(1);
      expect([await isSignedIn(client), await isSignedIn(other)]).toEqual([true, false]);
      expect(await story.countOf(person, 'TOTP_REMOVED')).toBe(1);
      expect(await story.countOf(person, 'MFA_DISABLED')).toBe(0);
    });

    it('replaces the cookie of its session, also after a proof in the same form', async () => {
      const { person, client } = await withBoth();
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, await pathOf(client, 'remove', 1));
      const before = client.cookie('SESSION');

      const removed = await submit(client, page, { code: story.nextCode(person) });

      expect(removed).toBeAnswered(303);
      expect(removed.cookies.filter(({ name }) => name === 'SESSION')).toHaveLength(1);
      expect(client.cookie('SESSION')).not.toBe(before);
      expect(await isSignedIn(client)).toBe(true);
      expect(await story.countOf(person, 'PASSKEY_REMOVED')).toBe(1);
    });

    it('the only authenticator has no button for it, and its page leads to the one that turns two-step sign-in off', async () => {
      const client = await signIn(await story.enrolled());
      const remove = (await pathOf(client, 'rename')).replace('rename', 'remove');

      const shown = await visit(client, remove);

      expect(await pathsOf(client, 'remove')).toEqual([]);
      expect(await panelOf(client)).toContain(account.kept.only);
      expect(shown).toBeAnswered(200);
      expect(shown.text).toContain(account.kept.only);
      expect(shown.text).toContain(`href="${SECURITY}/turn-off"`);
      expect(shown.text).not.toContain('<form method="post" action="/portal/security/');
    });

    it('an authenticator that has become the only one stays, and the response says what is possible instead', async () => {
      const { person, client } = await withBoth();
      const [app, passkey] = await pathsOf(client, 'remove');
      const page = await visit(client, passkey ?? '');
      await submit(client, await visit(client, app ?? ''), {});

      const refused = await submit(client, page, {});

      expect(refused).toBeAnswered(409);
      expect(refused.text).toContain(account.kept.only);
      expect(refused.text).toContain(`href="${SECURITY}/turn-off"`);
      expect(await panelOf(client)).toContain('Blue key');
      expect(await story.countOf(person, 'PASSKEY_REMOVED')).toBe(0);
      expect(await story.countOf(person, 'MFA_DISABLED')).toBe(0);
    });

    it('one of the forms for both at once removes its authenticator', async () => {
      const { person, client } = await withBoth();
      const paths = await pathsOf(client, 'remove');
      const forms = await Promise.all(paths.map(async (path) => formOf(client, await visit(client, path))));

      const answers = await Promise.all(
        forms.map(({ path, fields }) => client.copy().send('POST', path, { form: fields, headers: BROWSER })),
      );

      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(await story.countOf(person, 'MFA_DISABLED')).toBe(0);
    });

    it('changes nothing without a proof, or with a wrong one, if the last proof is too old', async () => {
      const { person, client } = await withBoth();
      const path = await pathOf(client, 'remove', 1);
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, path);

      const without = await submit(client, page, { code: '' });
      const wrong = await submit(client, page, { code: story.wrongCode(person) });

      expect([without, wrong].map(({ status }) => status)).toEqual([400, 401]);
      expect(await pathsOf(client, 'remove')).toHaveLength(2);
      expect(await story.countOf(person, 'PASSKEY_REMOVED')).toBe(0);
    });

    it('one of ten forms at once removes the authenticator', async () => {
      const { person, client } = await withBoth();
      const page = await visit(client, await pathOf(client, 'remove', 1));
      const { path, fields } = formOf(client, page);

      const answers = await Promise.all(
        Array.from({ length: 10 }, () => client.copy().send('POST', path, { form: fields })),
      );

      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(await story.countOf(person, 'PASSKEY_REMOVED')).toBe(1);
    });

    it.each(['rename', 'remove'] as const)(
      'the authenticator of another user is not found, by the page to %s it and by its form',
      async (act) => {
        const { client: victim } = await withBoth();
        const { client } = await withBoth();
        const foreign = await pathOf(victim, act, 1);
        const page = await visit(client, await pathOf(client, act));
        const { fields } = formOf(client, page);

        for (const path of [foreign, `${SECURITY}/authenticators/${UNKNOWN}/${act}`]) {
          expect(await visit(client, path), path).toBeAnswered(404);
          expect(
            await client.send('POST', path, { form: { ...fields, ...(act === 'rename' && { name: 'stolen' }) } }),
            path,
          ).toBeAnswered(404);
        }
        expect(await panelOf(victim)).toContain('Blue key');
      },
    );
  });

  describe('what policy demands', () => {
    it('the page states the policy in place of a button to remove the last authenticator, and rejects the form', async () => {
      const { person } = await Administrator.of(story, 'boss');
      const client = await signIn(person);
      const { text } = await visit(client, SECURITY);
      const rename = await pathOf(client, 'rename');
      const remove = rename.replace('rename', 'remove');
      const csrf = formOf(client, await visit(client, rename)).fields['csrf'] ?? '';

      const shown = await visit(client, remove);
      const refused = await client.send('POST', remove, { form: { csrf }, headers: BROWSER });

      expect(text).toContain(account.kept.last);
      expect(text).toContain(account.required);
      expect(text).not.toContain(`${SECURITY}/turn-off`);
      expect(await pathsOf(client, 'remove')).toEqual([]);
      expect(shown).toBeAnswered(200);
      expect(shown.text).toContain(account.kept.last);
      expect(refused.status).toBe(409);
      expect(refused.text).toContain(account.kept.last);
      expect(await story.countOf(person, 'TOTP_REMOVED')).toBe(0);
    });
  });

  describe('hostile names', () => {
    it('are texts on every page that shows them', async () => {
      const name = HOSTILE.slice(0, 64);
      const { client } = await withBoth(name);

      for (const path of [SECURITY, await pathOf(client, 'rename', 1), await pathOf(client, 'remove', 1)]) {
        const { text } = await visit(client, path);
        expect(text, path).not.toMatch(/<script>|<img src=x/);
        expect(unescaped(text), path).toContain(name);
      }
      const page = await visit(client, await pathOf(client, 'rename', 1));
      const again = await submit(client, page, { name: `${HOSTILE}${HOSTILE}` });
      expect(again).toBeAnswered(400);
      expect(again.text).not.toMatch(/<script>alert|<img src=x/);
    });
  });

  describe('a further authenticator app', () => {
    it('is added beside the first one, with its name and without new backup codes', async () => {
      const person = await story.enrolled();
      const client = await signIn(person);

      const begun = await submit(client, await visit(client, `${SECURITY}/add-app`), { name: 'Work phone' });
      const shown = await follow(client, begun);
      const app = AuthenticatorApp.scan(unescaped(/href="(otpauth:[^"]*)"/.exec(shown.text)?.[1] ?? ''));
      story.clock.nextStep();
      const confirmed = await submit(client, shown, { code: story.codeOf(app) });
      const overview = await follow(client, confirmed);

      expect(shown.text).not.toContain(messagesOf('en').setup.step(1, 2));
      expect(overview.text).toContain(account.done.app);
      expect(overview.text).toContain('<strong>Work phone</strong>');
      expect(await pathsOf(client, 'remove')).toHaveLength(2);
      expect(overview.text).toContain(account.codesLeft(10));
      await signIn(person);
      await signIn({ ...person, app });
      const code = person.backupCodes[0] ?? '';
      const second = await byPassword(person);
      expect(await sendCode(second, await visit(second, `${VERIFY}?method=backup_code`), code)).toBeAnswered(303);
    });

    it('asks for a proof if the last one is too old', async () => {
      const person = await story.enrolled();
      const client = await signIn(person);
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, `${SECURITY}/add-app`);

      const without = await submit(client, page, { name: 'Work phone' });
      const right = await submit(client, without, { code: story.nextCode(person) });

      expect(without).toBeAnswered(400);
      expect(formOf(client, without).fields['name']).toBe('Work phone');
      expect((await follow(client, right)).text).toContain('otpauth:');
    });

    it('does not silently replace the secret that another sign-in waits for', async () => {
      const person = await story.enrolled();
      const [client, other] = [await signIn(person), await signIn(person)];
      await submit(other, await visit(other, `${SECURITY}/add-app`), {});

      const page = await visit(client, `${SECURITY}/add-app`);
      const { replaces, ...unwarned } = formOf(client, page).fields;
      const refused = await client.send('POST', `${SECURITY}/add-app`, { form: unwarned });
      const agreed = await submit(client, page, {});

      expect(page.text).toContain(messagesOf('en').setup.otherPending);
      expect(replaces).toMatch(/^\d+$/);
      expect(refused.status).toBe(409);
      expect(agreed).toBeAnswered(303);
      expect((await follow(client, agreed)).text).toContain('otpauth:');
    });

    it('a replacement that is begun later does not confirm the further app in its place', async () => {
      const person = await story.enrolled();
      const client = await signIn(person);
      const added = await follow(client, await submit(client, await visit(client, `${SECURITY}/add-app`), {}));

      const replaced = await follow(client, await submit(client, await visit(client, `${SECURITY}/replace`), {}));
      const uriOf = ({ text }: Answer): string => unescaped(/href="(otpauth:[^"]*)"/.exec(text)?.[1] ?? '');
      const app = AuthenticatorApp.scan(uriOf(replaced));
      story.clock.nextStep();
      const codes = await follow(client, await submit(client, replaced, { code: story.codeOf(app) }));

      expect(uriOf(replaced)).not.toBe(uriOf(added));
      expect(codes).toBeAnswered(200);
      expect(codes.text).toContain('id="backup-codes"');
      expect(await pathsOf(client, 'rename')).toHaveLength(1);
    });

    it('an account with two apps is not offered to replace the app, which would remove both', async () => {
      const client = await signIn(await story.enrolled());
      const before = await visit(client, SECURITY);
      const shown = await follow(client, await submit(client, await visit(client, `${SECURITY}/add-app`), {}));
      const app = AuthenticatorApp.scan(unescaped(/href="(otpauth:[^"]*)"/.exec(shown.text)?.[1] ?? ''));
      story.clock.nextStep();
      await submit(client, shown, { code: story.codeOf(app) });

      const after = await visit(client, SECURITY);

      expect(before.text).toContain(`href="${SECURITY}/replace"`);
      expect(after.text).not.toContain(`${SECURITY}/replace`);
    });

    it('is not offered to an account with five apps', async () => {
      const person = await story.enrolled();
      const client = await signIn(person);
      for (let count = 1; count < 5; count += 1) {
        const shown = await follow(client, await submit(client, await visit(client, `${SECURITY}/add-app`), {}));
        const app = AuthenticatorApp.scan(unescaped(/href="(otpauth:[^"]*)"/.exec(shown.text)?.[1] ?? ''));
        story.clock.nextStep();
        expect(await submit(client, shown, { code: story.codeOf(app) })).toBeAnswered(303);
      }

      expect((await visit(client, SECURITY)).text).not.toContain(`${SECURITY}/add-app`);
      expect((await visit(client, `${SECURITY}/add-app`)).text).toContain(authenticators.tooMany.totp);
    });
  });

  describe('a new passkey', () => {
    it('needs a fresh proof, for which its page leads to the page of the second step and back', async () => {
      const { client, key } = await withBoth();
      story.clock.advance(STALE_SECONDS);

      const sent = await visit(client, `${SECURITY}/add-passkey`);
      const verify = await follow(client, sent);
      const proved = await submit(
        client,
        verify,
        { credential: await assertionFor(client, key) },
        {},
        passkeyTexts.use,
      );
      const page = await follow(client, proved);

      expect(sent.headers.get('location')).toMatch(/^\/2fa\/portal\/verify\?return_to=/);
      expect(page.text).toContain('data-passkey="create"');
    });

    it('a form without a response leads to a new proof, or tells that no passkey was created', async () => {
      const { client } = await withBoth();
      const page = await visit(client, `${SECURITY}/add-passkey`);

      const fresh = await submit(client, page, { name: 'Red key' });
      story.clock.advance(STALE_SECONDS);
      const stale = await submit(client, page, { name: 'Red key' });

      expect(fresh).toBeAnswered(400);
      expect(fresh.text).toContain(passkeyTexts.notCreated);
      expect(formOf(client, fresh).fields['name']).toBe('Red key');
      expect(stale.headers.get('location')).toMatch(/^\/2fa\/portal\/verify\?return_to=/);
    });

    it('without script, its page has no field but says what is missing', async () => {
      const { client } = await withBoth();

      const { text } = await visit(client, `${SECURITY}/add-passkey`);

      const [, shown = ''] = /<div data-passkey="create"[^>]* hidden>([^]*?)<p class="actions">/.exec(text) ?? [];
      expect(shown).toContain('name="name"');
      expect(text.replace(shown, '')).not.toContain('name="name"');
      expect(text).toContain(`<noscript><p>${passkeyTexts.noScript}</p></noscript>`);
    });

    it('is not added twice by one response, nor by one that another session has asked for', async () => {
      const { person, client } = await withBoth();
      const other = await signIn(person);
      const page = await visit(client, `${SECURITY}/add-passkey`);
      const credential = JSON.stringify(passkeys.authenticator().register(await creationOptions(client, {})));

      const foreign = await submit(other, await visit(other, `${SECURITY}/add-passkey`), { credential });
      const first = await submit(client, page, { credential });
      const second = await submit(client, page, { credential });

      expect([foreign, first, second].map(({ status }) => status)).toEqual([409, 303, 409]);
      expect(second.text).toContain(passkeyTexts.expired);
      expect(await pathsOf(client, 'remove')).toHaveLength(3);
    });
  });

  describe('the other forms of the account', () => {
    it('a passkey is enough for new backup codes', async () => {
      const { client, key } = await withBoth();
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, `${SECURITY}/backup-codes`);

      const sent = await submit(client, page, { credential: await assertionFor(client, key) });
      const issued = await follow(client, sent);

      expect(page.text).toContain('data-passkey="get"');
      expect(issued).toBeAnswered(200);
      expect(issued.text).toContain('id="backup-codes"');
    });

    it('a passkey is enough for a new password, and is not used up by a wrong current one', async () => {
      const { client, key } = await withBoth();
      story.clock.advance(STALE_SECONDS);
      const { path, fields } = formOf(client, await visit(client, `${SECURITY}/password`));
      const credential = await assertionFor(client, key);
      const change = (typed: Readonly<Record<string, string>>): Promise<Answer> =>
        client.send('POST', path, { form: { csrf: fields['csrf'] ?? '', new: CHOSEN, ...typed } });

      const without = await change({ current: PASSWORD });
      const wrong = await change({ current: CHOSEN, credential });
      const changed = await change({ current: PASSWORD, credential });

      expect([without, wrong, changed].map(({ status }) => status)).toEqual([401, 401, 303]);
      expect(await isSignedIn(client)).toBe(true);
    });

    it('a passkey turns two-step sign-in off, also if it is the only authenticator', async () => {
      const { person, client, key } = await withBoth();
      await submit(client, await visit(client, await pathOf(client, 'remove')), {});
      const page = await visit(client, `${SECURITY}/turn-off`);

      const without = await submit(client, page, {});
      const off = await submit(client, page, { credential: await assertionFor(client, key) });

      expect(without).toBeAnswered(400);
      expect(off).toBeAnswered(303);
      expect(await panelOf(client)).toContain(account.off);
      expect(await story.countOf(person, 'MFA_DISABLED')).toBe(1);
    });
  });

  it('the activity tells passkeys from apps and codes', async () => {
    const { client, key } = await withBoth();
    story.clock.advance(STALE_SECONDS);
    const page = await visit(client, await pathOf(client, 'remove', 1));
    await submit(client, page, { credential: await assertionFor(client, key) });

    const { text } = await visit(client, `${SECURITY}/activity`);

    const { kinds } = activity;
    for (const kind of ['MFA_SETUP_PASSKEY', 'PASSKEY_ADDED', 'STEP_UP_OK_PASSKEY', 'PASSKEY_REMOVED']) {
      expect(text, kind).toContain(`<td>${kinds[kind]}</td>`);
    }
    expect(text).not.toContain('PASSKEY_');
  });

  it('the home page of an account without a second factor names both kinds', async () => {
    const client = await byPassword(story.person());

    expect((await visit(client, '/')).text).toContain(home.secureNone);
  });
});

onSqlite('authenticators where policy demands a passkey from a date', (engine) => {
  const from = new Date(Date.now() + 12.5 * 86_400_000);
  const story = storyOn(engine, {
    people: 10,
    args: [
      '--app.security.mfa.required-strength=phishing-resistant',
      `--app.security.mfa.required-strength-from=${from.toISOString()}`,
    ],
  });
  const passkeys = new PasskeyStory(story);

  async function signIn(person: Enrolled): Promise<HttpClient> {
    const client = story.client();
    await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
    const page = await visit(client, VERIFY);
    await submit(client, page, { code: story.nextCode(person) }, {}, messagesOf('en').verify.submit);
    return client;
  }

  it('the home page counts the days for users without a passkey only', async () => {
    const person = await story.enrolled();
    const client = await signIn(person);
    const plain = story.client();
    const { id, password: pw } = story.person();
    await submit(plain, await visit(plain, '/portal/login'), { id, pw });

    const [before, withoutFactor] = [await visit(client, '/'), await visit(plain, '/')];
    const credential = passkeys.authenticator().register(await creationOptions(client, {}));
    expect(await client.post('/2fa/passkeys', { credential })).toBeAnswered(201);
    const after = await visit(client, '/');

    for (const { text } of [before, withoutFactor]) expect(text.split(home.passkeyFrom(12))).toHaveLength(2);
    expect(withoutFactor.text).not.toContain(home.policyFrom(12));
    expect(before.text).toContain(`href="${SECURITY}">${account.addPasskey}`);
    expect(after.text).not.toContain(home.passkeyFrom(12));
  });

  async function assertionFor(client: HttpClient, key: SoftwareAuthenticator): Promise<string> {
    return JSON.stringify(key.assert(await requestOptions(client, {})));
  }

  describe('after the date', () => {
    const holders: { readonly person: Enrolled; readonly key: SoftwareAuthenticator }[] = [];

    beforeAll(async () => {
      for (let count = 0; count < 4; count += 1) {
        const person = await story.enrolled();
        const client = await signIn(person);
        const key = passkeys.authenticator();
        const credential = key.register(await creationOptions(client, {}));
        await client.post('/2fa/passkeys', { credential });
        holders.push({ person, key });
      }
      story.clock.advance(13 * 86_400);
    });

    /** A user with an app and a passkey who has signed in by the passkey. */
    async function signedIn(): Promise<{ person: Enrolled; client: HttpClient; key: SoftwareAuthenticator }> {
      const holder = holders.pop();
      if (!holder) throw new Error('no user is left');
      const { person, key } = holder;
      const client = story.client();
      await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
      await submit(client, await visit(client, VERIFY), { credential: await assertionFor(client, key) });
      return { person, client, key };
    }

    it('only a passkey confirms forms of the account, and they ask for no code', async () => {
      const { person, client, key } = await signedIn();
      story.clock.advance(STALE_SECONDS);
      const [rename = ''] = [...(await visit(client, SECURITY)).text.matchAll(/href="([^"]*\/rename)"/g)].map(
        ([, at]) => at,
      );
      const page = await visit(client, rename);
      const { path, fields } = formOf(client, page);
      const form = { ...fields, name: 'Red key', code: story.nextCode(person) };
      const addition = await visit(client, `${SECURITY}/add-passkey`);
      const verify = await follow(client, addition);

      const byCode = await client.send('POST', path, { form, headers: BROWSER });
      const byPasskey = await submit(client, page, { name: 'Red key', credential: await assertionFor(client, key) });

      expect(page.text).not.toContain('name="code"');
      expect(page.text).toContain(passkeyTexts.turnOnScript);
      expect(byCode).toBeAnswered(400);
      expect(byCode.text).toContain(account.proofMissing);
      expect(addition.headers.get('location')).toMatch(/&required=passkey$/);
      expect(verify.text).toContain('data-passkey="get"');
      expect(verify.text).not.toContain('name="code"');
      expect(byPasskey).toBeAnswered(303);
      const proofs = (await story.events(person)).filter(({ kind }) => kind === 'STEP_UP_OK');
      expect(proofs.map(({ reason }) => reason)).toEqual(['totp', 'passkey']);
    });

    it('after a lock, a form of the account leads to the proof by a passkey', async () => {
      const { client, key } = await signedIn();
      story.clock.advance(STALE_SECONDS);
      const page = await visit(client, `${SECURITY}/backup-codes`);
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const genuine = key.assert(await requestOptions(client, {}));
        const wrong = { ...genuine, response: { ...genuine.response, signature: 'AAAA' } };
        expect(await assert(client, {}, wrong)).toBeRefused(401, 'MFA_CODE_INVALID');
      }

      const locked = await submit(client, page, { credential: '' });

      expect(locked).toBeAnswered(429);
      expect(locked.text).toContain(
        `href="${VERIFY}?return_to=%2Fportal%2Fsecurity%2Fbackup-codes&amp;required=passkey"`,
      );
    });

    it('the last passkey cannot be removed, and the app can', async () => {
      const { person, client: again } = await signedIn();

      const { text } = await visit(again, SECURITY);
      const removable = [...text.matchAll(/href="([^"]*\/remove)"/g)].map(([, path = '']) => path);

      expect(text).toContain(account.requiredPasskey);
      expect(text).toContain(account.kept.passkey);
      expect(removable).toHaveLength(1);
      expect(await submit(again, await visit(again, removable[0] ?? ''), {})).toBeAnswered(303);
      expect((await visit(again, SECURITY)).text).toContain(account.kept.passkey);
      expect(await story.countOf(person, 'TOTP_REMOVED')).toBe(1);
    });
  });
});
