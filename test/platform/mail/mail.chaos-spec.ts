import { afterAll, beforeAll, expect, it } from 'vitest';
import { storyOn } from '../../support/login/login-story.js';
import { noticeTo, withAddress } from '../../support/mail/notices.js';
import { SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { onEachEngine } from '../../support/database/story-database.js';

const PEOPLE = 6;
/** Longer than the lease of a mail. */
const LEASE_SECONDS = 200;
const ARGS = ['--app.mail.poll-interval=200ms', '--app.mail.retry.first-delay=100ms'];

onEachEngine('R2: service killed while it mails notices', (engine) => {
  let relay: SmtpRelayServer;
  const story = storyOn(engine, { people: 2 * PEOPLE, args: ARGS, isAlone: true });
  beforeAll(async () => {
    relay = await SmtpRelayServer.start();
  });
  afterAll(() => relay.stop());

  it('R2: every notice arrives once if the service is killed after the commits and before the mails', async () => {
    await story.service.kill();
    await story.restart(relay.args);
    await relay.stop();
    const addresses: string[] = [];
    while (addresses.length < PEOPLE) {
      const person = story.person();
      addresses.push(await withAddress(story, person));
      await story.enrolled(person);
    }

    await story.service.kill();
    story.clock.advance(LEASE_SECONDS);
    await relay.start();
    await story.restart(relay.args);

    for (const address of addresses) await noticeTo(relay, address, 'mfa-on');
    expect(relay.received.flatMap(({ to }) => to).sort()).toEqual(addresses.toSorted());
  });

  it(
    'R2: a notice is repeated with its id if the service is killed before it has recorded the acceptance',
    { timeout: 60_000 },
    async () => {
      await story.service.kill();
      await story.restart(relay.args);
      const addresses: string[] = [];
      for (let round = 0; round < PEOPLE; round += 1) {
        // The service dies between the end of the mail and the response of the relay, or just after the response.
        const person = story.person();
        const address = await withAddress(story, person);
        let killed: Promise<void> | undefined;
        relay.onMail = async ({ to }) => {
          if (!to.includes(address)) return;
          killed ??= story.service.kill();
          if (round % 2 === 0) await killed;
        };
        addresses.push(address);
        await story.enrolled(person);
        await relay.mailsTo(address);
        relay.onMail = undefined;
        await killed;
        story.clock.advance(LEASE_SECONDS);
        await story.restart(relay.args);
      }
      // Those whose mail the relay had accepted without telling the service.
      for (const address of addresses.filter((_, round) => round % 2 === 0)) await relay.mailsTo(address, 2);
      for (const address of addresses) {
        const mails = await relay.mailsTo(address);
        expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
        expect(new Set(mails.map(({ noticeId }) => noticeId)).size).toBe(1);
      }
    },
  );
});
