import type { MailPart } from '../../platform/mail/mail-layout.js';
import type { Messages } from './messages.js';

/** The message catalogue and the format of times for the content of a mail. */
export interface MailTexts {
  readonly messages: Messages;
  /** A time to the minute that names its zone; `millis` since 1970. */
  readonly timeText: (millis: number) => string;
}

/** The keys of `app.branding` that mails show. */
export interface MailBrand {
  readonly name: string;
  readonly helpContact?: string | undefined;
  readonly helpUrl?: string | undefined;
}

/** The last part of every mail: who has sent it, and how to reach the help desk. */
export function mailFooter({ name, helpContact, helpUrl }: MailBrand, { common, notices }: Messages): MailPart {
  const contact = helpContact === undefined ? [] : [common.contact(helpContact)];
  // A path leads nowhere from a mailbox.
  const help = helpUrl === undefined || helpUrl.startsWith('/') ? [] : [{ label: common.help, url: helpUrl }];
  return { kind: 'footer', lines: [notices.footer(name), ...contact, ...help] };
}
