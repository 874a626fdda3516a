import type { MailContent, MailPart } from '../../platform/mail/mail-layout.js';
import type { MailTexts } from '../../signin/messages/mail-texts.js';
import type { Messages } from '../../signin/messages/messages.js';
import { LOW } from '../../identity/second-factor/backup-code/backup-code.js';
import { browserNameOf } from './browser-name.js';
import type { NoticeFacts, NoticeKind } from './notice.js';

type Texts = Messages['notices'];

/** Login id and links of a notice. */
export interface NoticeContext {
  readonly loginId: string;
  /** URL of the link that reports the act; undefined for an account that gets none. */
  readonly notMeUrl: string | undefined;
  /** Link that ends a lock; present in the notice about a lock that is still in force. */
  readonly unlock?: { readonly url: string; readonly minutes: number } | undefined;
}

/** Writes a notice. */
export function noticeContent(
  kind: NoticeKind,
  facts: NoticeFacts,
  context: NoticeContext,
  mailTexts: MailTexts,
): MailContent {
  const { notices: texts } = mailTexts.messages;
  const { title, text } = texts.kinds[kind];
  const { several } = facts;
  const parts: readonly MailPart[] = [
    { kind: 'text', text },
    ...(several === undefined ? [] : [{ kind: 'text', text: texts.several(several) } as const]),
    { kind: 'facts', facts: factsOf(facts, context, mailTexts) },
    ...remainingParts(facts, texts),
    ...unlockParts(kind, context, texts),
    ...notMeParts(kind, context, texts),
  ];
  return { title: several === undefined ? title : texts.severalTimes(title), parts };
}

/** Writes the mail to the new address of an account. */
export function addedAddressContent({ messages }: MailTexts): MailContent {
  const { title, text } = messages.notices.addressAdded;
  return { title, parts: [{ kind: 'text', text }] };
}

function factsOf(
  { at, isByAdministrator, ip, agent }: NoticeFacts,
  { loginId }: NoticeContext,
  { messages: { notices: texts }, timeText }: MailTexts,
): readonly (readonly [string, string])[] {
  const common = [
    [texts.account, loginId],
    [texts.time, timeText(at)],
  ] as const;
  if (isByAdministrator) return [...common, [texts.by, texts.administrator]];
  return [...common, [texts.address, ip ?? texts.unknown], [texts.browser, browserText(agent ?? '', texts)]];
}

function browserText(agent: string, texts: Texts): string {
  const { browser, system } = browserNameOf(agent);
  if (browser === undefined) return system ?? texts.unknown;
  return system === undefined ? browser : texts.browserOn(browser, system);
}

function remainingParts({ remaining }: NoticeFacts, texts: Texts): readonly MailPart[] {
  if (remaining === undefined) return [];
  const left = texts.codesLeft(remaining);
  return [{ kind: 'text', text: remaining <= LOW ? `${left} ${texts.codesLow}` : left }];
}

function unlockParts(kind: NoticeKind, { unlock }: NoticeContext, texts: Texts): readonly MailPart[] {
  if (kind !== 'locked') return [];
  if (!unlock) return [{ kind: 'text', text: texts.unlocked }];
  return [
    { kind: 'text', text: texts.unlock(unlock.minutes) },
    { kind: 'link', label: texts.unlockLink, url: unlock.url },
  ];
}

function notMeParts(kind: NoticeKind, { notMeUrl }: NoticeContext, texts: Texts): readonly MailPart[] {
  if (notMeUrl === undefined) return [{ kind: 'text', text: texts.notMeContact }];
  return [
    { kind: 'text', text: kind === 'address-changed' ? texts.notMeAddress : texts.notMe },
    { kind: 'link', label: texts.notMeLink, url: notMeUrl },
  ];
}
