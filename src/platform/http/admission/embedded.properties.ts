import { DataSize } from '../../../config/bind/data-size.js';
import { Duration } from '../../../config/bind/duration.js';
import { acceptedOnly, full, near } from '../../../config/bind/effect.js';
import { dataSize, duration, flag, integer, text } from '../../../config/bind/key-type.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';
import { accessPattern, COMMON_PATTERN } from '../records/access-pattern.js';

@Properties('server.embedded')
export class EmbeddedProperties {
  @Key(integer({ min: 1 }), {
    does: 'Maximum number of open connections of the main listener; a further one is dropped.',
    effect: full,
  })
  readonly maxConnections: number = 8192;

  @Key(integer({ min: 0 }), {
    does:
      'Maximum number of requests that wait while all threads are busy, and of sign-ins that wait for a password hash; a ' +
      'further one is rejected with 503 and Retry-After; 0 lets no request wait, and of sign-ins the next one of each worker.',
    effect: near(
      'A rejected request gets a response instead of a reset connection; above 511, the listen backlog of the ' +
        'operating system is as long.',
    ),
  })
  readonly acceptCount: number = 100;

  @Key(duration({ min: '0ms', max: '1m' }), {
    does:
      'Longest wait of a sign-in with a password for its turn. A sign-in that would wait longer, as expected from the ' +
      'measured time of a hash, is rejected with 503 and Retry-After before its body is read, and one that has waited ' +
      'for so long, for example because the database is silent, then. No more than accept-count wait.',
    effect: full,
  })
  readonly maxWait: Duration = Duration.ofSeconds(3);

  @Key(duration({ min: '0ms', max: '1m' }), {
    does:
      'Longest wait of a sign-in with a password under sustained overload: it replaces max-wait once all sign-ins have waited ' +
      'for longer than this for a second, until none waits; 0 leaves max-wait in force.',
    effect: full,
  })
  readonly targetResponseTime: Duration = Duration.ofMillis(300);

  @Key(duration({ min: '1ms', max: '24d' }), {
    does:
      'Longest wait for the head of a request on a new connection, then for its whole body, or for the next ' +
      'bytes of an upload. A late request is rejected with 408. It cannot be switched off.',
    effect: full,
  })
  readonly connectionTimeout: Duration = Duration.ofSeconds(60);

  @Key(duration({ min: '1ms', max: '24d' }), {
    does:
      'Time that a connection stays open without a request after a response. It is longer than the time after which a ' +
      'proxy in front closes idle connections, 60 s as a rule: otherwise the proxy sends a request on a connection ' +
      'that is being closed, and responds with 502.',
    effect: full,
  })
  readonly keepAliveTimeout: Duration = Duration.ofSeconds(75);

  @Key(dataSize({ min: -1 }), {
    does:
      'Largest form body (application/x-www-form-urlencoded); a larger one is rejected with 413; -1 leaves only ' +
      'the limit of 64 MB for all request bodies in transit together. For JSON bodies see ' +
      'server.max-http-json-body-size.',
    effect: full,
  })
  readonly maxHttpFormPostSize: DataSize = DataSize.ofBytes(2 * 1024 * 1024);
}

@Properties('server.embedded.threads')
export class ThreadsProperties {
  @Key(integer({ min: 1 }), {
    does:
      'Maximum number of requests in progress; further ones wait (server.embedded.accept-count). Far more than ' +
      'there are database connections only wait for each other there.',
    effect: near('Requests need no threads; admission control gives each of them one of this number of slots.'),
  })
  readonly max: number = 200;

  // More spare threads than threads is not an error: if only `max` is lowered, the lower number applies.
  @Key(integer({ min: 0 }), {
    does: 'Workers kept ready for password hashes; never more than the cores of the machine.',
    effect: acceptedOnly(
      'Requests need no threads of their own: it is the number of workers for password hashes that are kept after the ' +
        'first login, so that later logins do not wait for one to start.',
    ),
  })
  readonly minSpare: number = 10;
}

@Properties('server.embedded.accesslog')
export class AccesslogProperties {
  @Key(flag(), {
    does:
      'Writes one line per request to access_log.yyyy-MM-dd.log, with a new file each day in the time zone of the ' +
      'process.',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(text({ form: /\S/, called: 'the path of a folder' }), {
    does:
      'Folder of the access log files, relative to the working folder unless it starts with /; created if it does ' +
      'not exist. If it cannot be written, requests are still served and a warning is logged.',
    effect: full,
  })
  readonly directory: string = 'logs';

  @Key(accessPattern, {
    does: 'Format of a line in the access log. No pattern shows query strings, cookies or credentials.',
    effect: full,
  })
  readonly pattern = COMMON_PATTERN;

  @Key(integer({ min: -1, max: 36_500 }), {
    does: 'Days that files of the access log are kept, checked with each new file; -1 keeps them forever.',
    effect: full,
  })
  readonly maxDays: number = -1;

  @Key(dataSize({ min: 0 }), {
    does:
      'Total size of the files of the access log; the oldest are deleted first. A day that fills a tenth of it ' +
      'continues in access_log.yyyy-MM-dd.1.log. 0 sets no limit.',
    effect: full,
  })
  readonly totalSizeCap: DataSize = DataSize.ofBytes(0);
}
