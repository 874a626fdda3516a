import { Injectable } from '@nestjs/common';
import type { ComposeMail } from './mail-message.js';

/** The templates of mails by name; a folder registers its own in the constructor of a provider. */
@Injectable()
export class MailTemplates {
  private readonly templates = new Map<string, ComposeMail>();

  /** @throws TypeError if the name is taken */
  register(name: string, compose: ComposeMail): void {
    if (this.templates.has(name)) throw new TypeError(`the mail template ${name} is registered twice`);
    this.templates.set(name, compose);
  }

  get names(): readonly string[] {
    return [...this.templates.keys()];
  }

  find(name: string): ComposeMail | undefined {
    return this.templates.get(name);
  }
}
