import { layOutMail, type MailPart } from '../mail/mail-layout.js';
import type { Messages } from '../messages/messages.js';
import { LOW } from '../second-factor/backup-code/backup-code.js';
import { browserNameOf } from './browser-name.js';
import type { NoticeFacts, NoticeKind } from './notice.js';

type Texts = Messages['notices'];

/** Where a notice is about, and where its links lead. */
export interface NoticeContext {
  /** Name of the service. */
  readonly service: string;
  readonly loginId: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Undefined for an account that gets no such link. */
  readonly notMeUrl: string | undefined;
  /** Present in the notice about a lock that is still in force. */
  readonly unlock?: { readonly url: string; readonly minutes: number } | undefined;
}

interface NoticeText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Writes a notice in one language. */
export function noticeMail(
  kind: NoticeKind,
  facts: NoticeFacts,
  context: NoticeContext,
  messages: Messages,
): NoticeText {
  const { tag, notices: texts } = messages;
  const { title, text } = texts.kinds[kind];
  const parts: readonly MailPart[] = [
    { kind: 'text', text },
    { kind: 'facts', facts: factsOf(facts, context, messages) },
    ...remainingParts(facts, texts),
    ...unlockParts(kind, context, texts),
    ...notMeParts(context, texts),
    { kind: 'footer', text: texts.footer(context.service) },
  ];
  return { subject: texts.subject(context.service, title), ...layOutMail({ tag, title, parts }) };
}

/** Writes the mail to the new address of an account of `service`. */
export function addedAddressMail(service: string, { tag, notices: texts }: Messages): NoticeText {
  const { title, text } = texts.addressAdded;
  const parts: readonly MailPart[] = [
    { kind: 'text', text },
    { kind: 'footer', text: texts.footer(service) },
  ];
  return { subject: texts.subject(service, title), ...layOutMail({ tag, title, parts }) };
}

function factsOf(
  { at, isByAdministrator, ip, agent }: NoticeFacts,
  { loginId, timeZone }: NoticeContext,
  { tag, notices: texts }: Messages,
): readonly (readonly [string, string])[] {
  const common = [
    [texts.account, loginId],
    [texts.time, timeText(at, tag, timeZone)],
  ] as const;
  if (isByAdministrator) return [...common, [texts.by, texts.administrator]];
  return [...common, [texts.address, ip ?? texts.unknown], [texts.browser, browserText(agent ?? '', texts)]];
}

function browserText(agent: string, texts: Texts): string {
  const { browser, system } = browserNameOf(agent);
  if (browser === undefined) return system ?? texts.unknown;
  return system === undefined ? browser : texts.browserOn(browser, system);
}

/** A time to the minute that names its zone. */
function timeText(at: number, tag: string, timeZone: string): string {
  const format = { year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat(tag, { ...format, hourCycle: 'h23', timeZone, timeZoneName: 'short' }).format(at);
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

function notMeParts({ notMeUrl }: NoticeContext, texts: Texts): readonly MailPart[] {
  if (notMeUrl === undefined) return [{ kind: 'text', text: texts.notMeContact }];
  return [
    { kind: 'text', text: texts.notMe },
    { kind: 'link', label: texts.notMeLink, url: notMeUrl },
  ];
}
