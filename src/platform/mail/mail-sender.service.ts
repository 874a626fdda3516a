import { Injectable } from '@nestjs/common';
import { PublicUrlProperties } from '../http/server.properties.js';
import { MailProperties } from './mail.properties.js';

const ADDRESS_AT_END = /^(.*?)\s*<([^<>]+)>$/;

/** Sender address of all mails. */
@Injectable()
export class MailSender {
  /** True if a relay is configured. */
  readonly isEnabled: boolean;
  readonly name: string;
  readonly address: string;
  /** The domain of the address, which is also that of the ids of mails (RFC 5322 section 3.6.4). */
  readonly domain: string;

  constructor({ host, from }: MailProperties, { publicUrl = 'http://localhost' }: PublicUrlProperties) {
    this.isEnabled = host !== undefined;
    const text = from ?? `no-reply@${new URL(publicUrl).hostname}`;
    const [, name = '', address = text] = ADDRESS_AT_END.exec(text) ?? [];
    this.name = name;
    this.address = address;
    this.domain = address.slice(address.lastIndexOf('@') + 1);
  }
}
