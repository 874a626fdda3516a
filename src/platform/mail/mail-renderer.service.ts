import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { ComposedMail, MailFacts, MailRow } from './mail-message.js';
import { MailTemplates } from './mail-templates.service.js';

/** Writes stored mails by their templates. */
@Injectable()
export class MailRenderer {
  private readonly logger: Logger;

  constructor(
    private readonly templates: MailTemplates,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('mail');
  }

  /** Names of the templates that this version knows. */
  get names(): readonly string[] {
    return this.templates.names;
  }

  /** Undefined if the mail has no recipient any more, `failed` if it cannot be written now. */
  async render(row: MailRow): Promise<ComposedMail | 'failed' | undefined> {
    const { id, user_id: subject, created_at: createdAt, template } = row;
    try {
      const facts = JSON.parse(row.facts) as MailFacts;
      return await this.templates.find(template)?.({ id, subject, facts, createdAt });
    } catch (error) {
      // An outage of the database was logged where it arose.
      if (!(error instanceof ServiceError)) {
        this.logger.error('A mail could not be composed', { error, mail: id, template });
      }
      return 'failed';
    }
  }
}
