import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { relayed } from '../../support/events/event-chain.js';
import { secondStep, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { newSecret, signatureOf, WebhookReceiver } from '../../support/events/webhook-receiver.js';

const [SECRET, OTHER] = [newSecret(), newSecret()];
/** The lease of a delivery: the timeout of a request and half a minute. */
const LEASE_SECONDS = 41;

const PAGE = readFileSync(new URL('../../../docs/reference/webhook.md', import.meta.url), 'utf8');
const [EXAMPLE = '', SCHEMA = ''] = [/```json\n(.*?)```/s, /```json schema\n(.*?)```/s].map(
  (block) => block.exec(PAGE)?.[1] ?? '',
);
const schema = JSON.parse(SCHEMA) as { readonly properties: { readonly data: { readonly properties: object } } };
const isValid = new Ajv2020({ allErrors: true }).compile(schema);

const receivers: WebhookReceiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.stop())));

async function newReceiver(...parts: ConstructorParameters<typeof WebhookReceiver>): Promise<WebhookReceiver> {
  const receiver = await new WebhookReceiver(...parts).start();
  receivers.push(receiver);
  return receiver;
}

const receiver = await newReceiver();

it('the example of docs/reference/webhook.md matches its schema, which a changed version does not', () => {
  const example = JSON.parse(EXAMPLE) as object;

  expect(isValid(example), JSON.stringify(isValid.errors)).toBe(true);
  expect(isValid({ ...example, version: 2 })).toBe(false);
});

onAnyEngine('the webhook', (engine) => {
  const story = storyOn(engine, {
    people: 10,
    services: 2,
    isAlone: true,
    args: [
      `--app.security.webhook.url=${receiver.url}`,
      `--app.security.webhook.secret=whsec_${SECRET}`,
      `--app.security.webhook.other-secret=${OTHER}`,
    ],
  });
  afterEach(() => {
    receiver.answer = (_, response) => void response.writeHead(204).end();
  });

  it('L3: events of two services and of a command arrive signed, in the order of each user, in the documented form', async () => {
    // The ids of events that two services record in one millisecond have no order.
    story.clock.run();
    const person = await story.enrolled(story.person(), story.client(1));
    const wrong = await secondStep(story.client(0), await story.mfaToken(person), story.wrongCode(person));
    expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
    await story.signIn(person, story.client(1));
    expect((await story.command('users', 'disable', person.id, '--reason', 'left')).exitCode).toBe(0);
    story.clock.stand();
    const stored = await story.events(person);

    const deliveries = await receiver.received(await story.subjectOf(person), stored.length);

    expect(deliveries.map(({ body }) => body.type)).toEqual(stored.map(({ kind }) => kind));
    for (const delivery of deliveries) {
      expect(isValid(delivery.body), JSON.stringify(isValid.errors)).toBe(true);
      expect(Object.keys(schema.properties.data.properties)).toEqual(
        expect.arrayContaining(Object.keys(delivery.body.data)),
      );
      expect(delivery.id).toBe(delivery.body.data.id);
      expect(delivery.signatures).toEqual([signatureOf(delivery, SECRET), signatureOf(delivery, OTHER)]);
    }
    expect(deliveries.at(-1)?.body).toMatchObject({
      type: 'USER_CHANGED',
      data: { actor: stored.at(-1)?.actor, detail: { stated_reason: 'left' } },
    });
  });

  it('L3: a stopped receiver does not disturb a login, and gets the event after it has started again', async () => {
    await receiver.stop();
    const person = story.person();
    await story.signInByPassword(person);
    await relayed(story.database);
    const subject = await story.subjectOf(person);
    await waitUntil('an attempt has failed and ended', async () => {
      const rows = await story.database.query(
        'SELECT id FROM webhook_delivery WHERE queue = ? AND failure IS NOT NULL AND leased_until = 0',
        [subject],
      );
      return rows.length > 0;
    });

    await receiver.start();
    story.clock.advance(60);

    const deliveries = await receiver.received(subject, 1);
    expect(deliveries.map(({ body }) => body.type)).toContain('LOGIN_PASSWORD_OK');
  });

  it('R2: a service killed after the receiver accepted an event sends it again with the same id', async () => {
    const person = story.person();
    const subject = await story.subjectOf(person);
    receiver.answer = () => undefined;
    await story.signInByPassword(person);
    const [first] = await receiver.received(subject, 1);
    // Accepted, but no service has seen the response.
    for (const service of story.services) await service.kill();
    receiver.answer = (_, response) => void response.writeHead(204).end();
    story.clock.advance(LEASE_SECONDS);
    await story.restart();
    await story.restart([], 1);

    const deliveries = await receiver.received(subject, 2);

    expect(deliveries.map(({ id }) => id)).toEqual([first?.id, first?.id]);
    expect(deliveries.map(({ text }) => text)).toEqual([first?.text, first?.text]);
  });
});

const untrusted = await newReceiver(makeCertificate({ name: 'receiver.test' }));

onSqlite('a webhook with https', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    args: [
      `--app.security.webhook.url=${untrusted.url}`,
      '--app.security.webhook.kinds=LOGIN_PASSWORD_FAILED',
      '--app.security.webhook.give-up-after=1m',
    ],
  });

  it('L3: a receiver with an untrusted certificate gets no event; dead letters are listed and sent again by command', async () => {
    const person = story.person();
    await story.signInByPassword(person);
    await story.client().post('/login', { id: person.id, pw: 'wrong' });
    const line = await waitUntil('the event is pending', async () => {
      const { stdout } = await story.command('events', 'webhook', 'list', '--pending');
      return stdout.includes('failure=') ? stdout : undefined;
    });
    expect(line).toMatch(
      /^LOGIN_PASSWORD_FAILED {2}subject=\S+ {2}attempts=\d+ {2}failure=DEPTH_ZERO_SELF_SIGNED_CERT /,
    );
    expect(line).toMatch(/\n0 given up, 1 pending\n$/);

    const dead = await waitUntil('the event is given up', async () => {
      story.clock.advance(60);
      const { stdout } = await story.command('events', 'webhook', 'list');
      return stdout.includes('1 given up, 0 pending') ? stdout : undefined;
    });
    const [, id = ''] = /id=(\S+)/.exec(dead) ?? [];
    const resent = await story.command('events', 'webhook', 'resend', id, '--reason', 'receiver repaired');
    expect(resent.stdout).toBe('1 event is sent again.\n');
    expect(resent.stderr).toMatch(/ INFO .* events +: WEBHOOK_RESENT .*cli:/);
    const [event] = await story.database.query<{ actor: string; detail: string }>(
      "SELECT actor, detail FROM security_event WHERE kind = 'WEBHOOK_RESENT'",
    );
    expect(event?.actor).toBe(`cli:${userInfo().username}`);
    expect(JSON.parse(event?.detail ?? '')).toEqual({ count: '1', id, stated_reason: 'receiver repaired' });
    expect((await story.command('events', 'webhook', 'resend', id)).exitCode).toBe(4);
    expect(untrusted.deliveries).toEqual([]);
  });
});
