import type { Language } from '../../../src/identity/account/language.js';
import { type Messages, messagesOf } from '../../../src/signin/messages/messages.js';
import type { NoticeKind } from '../../../src/apps/notices/notice.js';
import type { Enrolled, LoginStory, Person } from '../login/login-story.js';
import { type ReceivedMail, type SmtpRelayServer } from './smtp-server.js';
import { waitUntil } from '../runner/wait-until.js';

/** Gives an account of the story an address. */
export async function withAddress(story: LoginStory, { id }: Person, address = `${id}@example.com`): Promise<string> {
  await story.database.query('UPDATE account SET email = ? WHERE login_id = ?', [address, id]);
  return address;
}

/** A user with an address and a second factor; the relay has got the notice about it. */
export async function enrolledWithAddress(
  story: LoginStory,
  relay: SmtpRelayServer,
): Promise<{ readonly person: Enrolled; readonly address: string }> {
  const person = story.person();
  const address = await withAddress(story, person);
  const enrolled = await story.enrolled(person);
  await noticeTo(relay, address, 'mfa-on');
  return { person: enrolled, address };
}

export function textsOfNotice(kind: NoticeKind, language: Language = 'en'): Messages['notices']['kinds'][NoticeKind] {
  return messagesOf(language).notices.kinds[kind];
}

/** The first notice of a kind to an address, once it has arrived. */
export async function noticeTo(
  relay: SmtpRelayServer,
  address: string,
  kind: NoticeKind,
  language: Language = 'en',
): Promise<ReceivedMail> {
  const { title } = textsOfNotice(kind, language);
  return waitUntil(
    `the notice "${title}" has arrived at ${address}; so far ${JSON.stringify(relay.received.map(({ to, subject }) => [to, subject]))}`,
    () => relay.received.find(({ to, subject }) => to.includes(address) && subject.endsWith(title)),
  );
}
