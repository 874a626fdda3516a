import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { hostName, duration, integer, neverUnset, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { healthComponent } from '../../observability/health/health-components.js';
import { bundleName } from '../tls/bundle-name.js';

/** Health component of the relay; registered if a host is configured. */
export const MAIL_COMPONENT = healthComponent('mail');

export const MAIL_BUNDLE = 'app.mail.ssl.bundle';

/** `implicit` speaks TLS from the first byte (RFC 8314 section 3); `starttls` refuses a relay without it (RFC 3207). */
export const MAIL_TLS = ['none', 'starttls', 'implicit'] as const;
export type MailTls = (typeof MAIL_TLS)[number];

/** Format of a sender, which prevents header injection: one line, and a quoted name without quotes inside. */
const SENDER = /^(?:[^<>"\p{Cc}]{0,100}<[^\s<>@",;:\\]{1,64}@[\w.-]{1,190}>|[^\s<>@",;:\\]{1,64}@[\w.-]{1,190})$/u;

@Properties('app.mail')
export class MailProperties {
  @Key(hostName(), {
    does: 'SMTP relay that mail is sent through; if unset, no mail is sent.',
    effect: full,
  })
  readonly host?: string;

  @Key(integer({ min: 1, max: 65_535 }), { does: 'Port of the SMTP relay.', effect: full })
  readonly port: number = 25;

  // Without a username, TLS is off by default.
  @Key(neverUnset(text({ form: /\S/, called: 'a text that is not blank' })), {
    does: 'Username at the SMTP relay; if unset, the service does not authenticate.',
    effect: full,
  })
  readonly username?: string;

  @Key(text(), { does: 'Password at the SMTP relay.', effect: full })
  readonly password?: string;

  @Key(text({ form: SENDER, called: 'an address such as no-reply@example.com or Login <no-reply@example.com>' }), {
    does: 'Sender of all mails: an address, or a name and an address.',
    effect: full,
    defaultText: 'no-reply at the host of app.security.public-url',
  })
  readonly from?: string;

  @Key(
    text({
      form: /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.|$))+$|^\[[\da-f:.IPv]+\]$/i,
      called: 'a host name or [an IP address]',
    }),
    {
      does: 'Name with which the service introduces itself to the relay (EHLO, RFC 5321 section 4.1.1.1).',
      effect: full,
      defaultText: 'the host name of the machine if it has a domain, otherwise [127.0.0.1]',
    },
  )
  readonly ehloName?: string;

  @Key(oneOf(...MAIL_TLS), {
    does:
      'Encryption towards the relay: starttls refuses a relay that does not offer it, implicit starts with TLS ' +
      '(usually port 465).',
    effect: full,
    defaultText: 'starttls if a username or ssl.bundle is set, otherwise none',
  })
  readonly tls?: MailTls;

  @Key(bundleName, {
    name: 'ssl.bundle',
    does:
      'Certificate bundle of connections to the relay: its trusted authorities replace those of the runtime, and its ' +
      'certificate, if it has one, identifies this service.',
    effect: full,
  })
  readonly sslBundle?: string;

  @Key(duration({ min: '1ms', max: '10m' }), {
    does: 'Longest wait for a connection to the relay and for its greeting.',
    effect: full,
  })
  readonly connectTimeout: Duration = Duration.ofSeconds(10);

  @Key(duration({ min: '1ms', max: '10m' }), {
    does: 'Longest wait for one response of the relay.',
    effect: full,
  })
  readonly responseTimeout: Duration = Duration.ofSeconds(30);

  @Key(duration({ min: '1ms', max: '1h' }), {
    does: 'Longest time to send one mail; afterwards it is retried.',
    effect: full,
  })
  readonly sendTimeout: Duration = Duration.ofSeconds(60);

  @Key(duration({ min: '10ms', max: '1h' }), {
    does: 'Interval at which every replica looks for mails that another one has stored or left unsent.',
    effect: full,
  })
  readonly pollInterval: Duration = Duration.ofSeconds(10);

  @Key(integer({ min: 1, max: 100 }), { does: 'Mails that a replica sends at the same time.', effect: full })
  readonly poolSize: number = 4;

  @Key(integer({ min: 1 }), {
    does: 'Mails that a replica sends in one second at most.',
    effect: full,
    defaultText: 'no limit',
  })
  readonly rateLimit?: number;

  /** The encryption in force. */
  get encryption(): MailTls {
    return this.tls ?? (this.username === undefined && this.sslBundle === undefined ? 'none' : 'starttls');
  }
}

@Properties('app.mail.retry')
export class MailRetryProperties {
  @Key(duration({ min: '1ms', max: '1d' }), {
    does: 'Delay after the first failed attempt to send a mail; it doubles with each further one.',
    effect: full,
  })
  readonly firstDelay: Duration = Duration.ofSeconds(10);

  @Key(duration({ min: '1ms', max: '1d' }), { does: 'Longest delay between two attempts.', effect: full })
  readonly maxDelay: Duration = Duration.ofSeconds(15 * 60);

  @Key(duration({ min: '1s', max: '14d' }), {
    does: 'A mail older than this is not tried again; it stays visible for 30 days.',
    effect: full,
  })
  readonly giveUpAfter: Duration = Duration.ofSeconds(86_400);
}
