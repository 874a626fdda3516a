import { Injectable } from '@nestjs/common';
import { BrandingProperties } from '../../platform/branding/branding.properties.js';
import { JsonProperties } from '../../platform/http/json/json.properties.js';
import { isLanguage, type Language } from '../../identity/account/language.js';
import { mailFooter, type MailTexts } from './mail-texts.js';
import { messagesOf } from './messages.js';
import { MessagesProperties } from './messages.properties.js';
import { layOutMail, type MailContent, type MailPart, mailValue } from '../../platform/mail/mail-layout.js';
import type { ComposedMail } from '../../platform/mail/mail-message.js';

/** Recipient of a mail, and the language to write it in. */
export interface MailReader {
  /** Mail address of the recipient. */
  readonly to: string;
  /** The display name of the user, if the mail may name them and they have one. */
  readonly name?: string | undefined;
  /** The language that the user has chosen. */
  readonly language: Language | undefined;
  /** The language of the request that caused the mail, for a user who has chosen none. */
  readonly requested?: string | undefined;
}

/**
 * Composes mails in the language of the recipient, with the name of the service, its time zone and the footer of all
 * mails.
 */
@Injectable()
export class MailComposer {
  constructor(
    private readonly branding: BrandingProperties,
    private readonly properties: MessagesProperties,
    private readonly json: JsonProperties,
  ) {}

  compose(
    { to, name, language: chosen, requested }: MailReader,
    write: (texts: MailTexts) => MailContent,
  ): ComposedMail {
    const language = chosen ?? (isLanguage(requested) ? requested : this.properties.defaultLanguage);
    const messages = messagesOf(language);
    const { tag, notices } = messages;
    const { title, parts } = write({ messages, timeText: (millis) => this.timeText(millis, tag) });
    const greeting: readonly MailPart[] =
      name === undefined ? [] : [{ kind: 'text', text: notices.greeting(mailValue(name)) }];
    const body = layOutMail({ tag, title, parts: [...greeting, ...parts, mailFooter(this.branding, messages)] });
    return { to, language, subject: notices.subject(this.branding.name, title), ...body };
  }

  private timeText(millis: number, tag: string): string {
    const format = { year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
    const { timeZone } = this.json;
    const formatted = new Intl.DateTimeFormat(tag, { ...format, hourCycle: 'h23', timeZone, timeZoneName: 'short' });
    return formatted.format(millis);
  }
}
