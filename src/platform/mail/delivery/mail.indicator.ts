import { Injectable } from '@nestjs/common';
import { exchange } from '../../../observability/health/exchange.js';
import {
  type Health,
  HealthComponents,
  type HealthIndicator,
} from '../../../observability/health/health-components.js';
import { MAIL_COMPONENT, MailProperties } from '../mail.properties.js';
import { SmtpRelay } from './smtp-relay.service.js';

/** All lines of a greeting except the last have a hyphen after their code (RFC 5321 section 4.2.1). */
const WHOLE_REPLY = /^\d{3}(?: .*)?\r?\n/m;
const READY = '220';

/** Reports whether the configured mail relay sends its greeting (management API, "Indicators of the login service"). */
@Injectable()
export class MailIndicator implements HealthIndicator {
  readonly name = MAIL_COMPONENT;
  readonly isExternal = true;
  readonly subject: Readonly<Record<string, string>>;

  constructor(
    private readonly properties: MailProperties,
    private readonly relay: SmtpRelay,
    components: HealthComponents,
  ) {
    this.subject = { location: `${properties.host ?? ''}:${properties.port}` };
    if (properties.host !== undefined) components.add(this);
  }

  async check(signal: AbortSignal): Promise<Health> {
    const { host = '', port, encryption } = this.properties;
    const tls = encryption === 'implicit' ? await this.relay.tlsOptions() : undefined;
    const isComplete = (answer: string): boolean => WHOLE_REPLY.test(answer);
    const greeting = await exchange({ host, port, tls, request: '', isComplete, farewell: 'QUIT\r\n' }, signal);
    if (greeting.startsWith(READY)) return { status: 'UP' };
    return { status: 'DOWN', details: { error: `Error: greeted with ${greeting.slice(0, 3)}` } };
  }
}
