import { acceptedOnly } from '../config/bind/effect.js';
import { integer, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { healthComponent } from '../health/health-components.js';

const byHealth = acceptedOnly('used by the health indicator only; no mail is sent in this version');

/** Registered if a host is configured. */
export const MAIL_COMPONENT = healthComponent('mail');

@Properties('app.mail')
export class MailProperties {
  @Key(text({ form: /^[^\s/]+$/, called: 'a host name or an IP address' }), {
    does: 'SMTP relay that mail is sent through; if unset, no mail is sent.',
    effect: byHealth,
  })
  readonly host?: string;

  @Key(integer({ min: 1, max: 65_535 }), { does: 'Port of the SMTP relay.', effect: byHealth })
  readonly port: number = 25;
}
