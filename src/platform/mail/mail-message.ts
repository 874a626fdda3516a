/** Facts that a mail reports, as texts by name. They are stored until the mail is sent, so none of them may be a secret. */
export type MailFacts = Readonly<Record<string, string>>;

/**
 * State of a stored mail. Sent mails are deleted; `failed` mails are not tried again unless an operator requests it.
 */
export type MailState = 'waiting' | 'failed';

/** A mail to be sent. */
export interface NewMail {
  /** A name that is registered with `MailTemplates`. */
  readonly template: string;
  /** Id of the account that gets the mail. Its address is looked up when the mail is sent. */
  readonly subject: string;
  readonly facts?: MailFacts;
}

/** A stored mail as its template gets it. */
export interface QueuedMail {
  /** Identifies the mail in all attempts to send it. */
  readonly id: string;
  readonly subject: string;
  readonly facts: MailFacts;
  /** The time when it was stored, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** The content of a mail. */
export interface ComposedMail {
  /** One address, without a display name (RFC 5321, Mailbox). */
  readonly to: string;
  /** Its key in the catalogue of texts. */
  readonly language: string;
  /** Subject line: one line, without an address or a name that a user chose. */
  readonly subject: string;
  /** Plain text, complete without the HTML part. */
  readonly text: string;
  /** HTML document without content from elsewhere; values in it are escaped. */
  readonly html?: string;
}

/**
 * Composes a mail for each attempt to send it, so that tokens of links are never stored with the mail. Returns
 * undefined to drop the mail if the account no longer exists or has no address.
 */
export type ComposeMail = (mail: QueuedMail) => Promise<ComposedMail | undefined>;

/** A row of `mail_message`; times in milliseconds, but `expires_at` in seconds. */
export interface MailRow {
  readonly id: string;
  /** With angle brackets (RFC 5322 section 3.6.4). */
  readonly message_id: string;
  readonly created_at: number;
  readonly template: string;
  readonly user_id: string;
  /** A flat JSON object with text values. */
  readonly facts: string;
  readonly state: MailState;
  readonly attempts: number;
  /** While a replica sends the mail, the end of its lease. */
  readonly next_attempt_at: number;
  readonly give_up_at: number;
  /** Class of the last failure. */
  readonly last_error: string | null;
  readonly expires_at: number;
}
