import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, list, neverUnset, oneOf, type ScalarType, text } from '../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ConversionProblem } from '../../config/problem.js';
import { type EventKind, KINDS } from '../../identity/events/security-event.js';
import { webhookSecret } from './webhook-secret.js';

/** A URL without credentials, because URLs are shown and logged. */
const receiverUrl: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects: 'a URL such as https://events.example.com/login, without user and fragment',
  parse: (value) => {
    const trimmed = value.trim();
    const isPlain = /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s#\\]*)?$/i.test(trimmed) && URL.canParse(trimmed);
    return isPlain ? trimmed : new ConversionProblem('not such a URL');
  },
};

/**
 * A secret or an empty text, which a rule reports if a webhook is configured: an unset variable must not turn
 * signatures off.
 */
const secretOrNone: ScalarType<Uint8Array> = {
  ...neverUnset(webhookSecret),
  parse: (value) => (value === '' ? new Uint8Array() : webhookSecret.parse(value)),
};

@Properties('app.security.webhook')
export class WebhookProperties implements SelfChecking {
  @Key(receiverUrl, {
    does: 'Receiver of security events (docs/reference/webhook.md); prod demands https.',
    effect: full,
    defaultText: 'no webhook',
  })
  readonly url?: string;

  @Key(secretOrNone, {
    does: 'Signs each request (Standard Webhooks); prod demands it.',
    effect: full,
    secret: true,
    defaultText: 'requests are not signed',
  })
  readonly secret?: Uint8Array;

  @Key(webhookSecret, {
    does:
      'A second signature, so that the secret can be replaced: the former secret until the receiver knows the new one, ' +
      'or the next one.',
    effect: full,
    secret: true,
    defaultText: 'one signature',
  })
  readonly otherSecret?: Uint8Array;

  @Key(list(oneOf(...KINDS)), {
    does: 'Kinds of events that are sent.',
    effect: full,
    defaultText: 'all kinds',
  })
  readonly kinds: readonly EventKind[] = [];

  @Key(duration({ min: '100ms', max: '5m' }), {
    does: 'Longest duration of a request, with its response.',
    effect: full,
  })
  readonly timeout: Duration = Duration.ofSeconds(10);

  @Key(list(duration({ unit: 's', min: '1s', max: '1d' })), {
    does: 'Delays before the second, third … attempt of an event; the last one is repeated.',
    effect: full,
  })
  readonly retryDelays: readonly Duration[] = [5, 30, 120, 600, 1800, 3600].map((seconds) =>
    Duration.ofSeconds(seconds),
  );

  @Key(duration({ unit: 's', min: '1s', max: '30d' }), {
    does: 'Age at which an event that the receiver does not accept becomes a dead letter ("events webhook list").',
    effect: full,
  })
  readonly giveUpAfter: Duration = Duration.ofSeconds(3 * 86_400);

  violations(): readonly Violation[] {
    if (this.url === undefined || this.secret?.length !== 0) return [];
    const action = `Set app.security.webhook.secret to ${webhookSecret.expects}, or remove it.`;
    return [{ property: 'secret', against: ['url'], reason: 'the value is empty', action }];
  }

  /** The secrets that sign messages. */
  get secrets(): readonly Uint8Array[] {
    return [this.secret, this.otherSecret].filter((secret) => secret !== undefined).filter(({ length }) => length > 0);
  }

  /** Seconds before the next attempt, after a number of attempts that failed. */
  delayAfter(attempts: number): number {
    const { retryDelays } = this;
    const delay = retryDelays[Math.min(attempts, retryDelays.length) - 1];
    return Math.ceil(delay?.seconds ?? 60);
  }
}
