import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { ComposedMail, ComposeMail, MailFacts, MailRow } from './mail-message.js';

/** The templates of mails by name; a folder registers its own in the constructor of a provider. */
@Injectable()
export class MailTemplates {
  private readonly templates = new Map<string, ComposeMail>();
  private readonly logger: Logger;

  constructor(loggers: Loggers) {
    this.logger = loggers.get('mail');
  }

  /** @throws TypeError if the name is taken */
  register(name: string, compose: ComposeMail): void {
    if (this.templates.has(name)) throw new TypeError(`the mail template ${name} is registered twice`);
    this.templates.set(name, compose);
  }

  /** Names of the templates that this version knows. */
  get names(): readonly string[] {
    return [...this.templates.keys()];
  }

  find(name: string): ComposeMail | undefined {
    return this.templates.get(name);
  }

  /**
   * Composes a stored mail. Returns undefined if it no longer has a recipient, `failed` if it cannot be composed now.
   */
  async compose(row: MailRow): Promise<ComposedMail | 'failed' | undefined> {
    const { id, user_id: subject, created_at: createdAt, template } = row;
    try {
      const facts = JSON.parse(row.facts) as MailFacts;
      return await this.find(template)?.({ id, subject, facts, createdAt });
    } catch (error) {
      // An outage of the database was logged where it arose.
      if (!(error instanceof ServiceError)) {
        this.logger.error('A mail could not be composed', { error, mail: id, template });
      }
      return 'failed';
    }
  }
}
