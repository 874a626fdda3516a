import { DataSize } from '../../config/bind/data-size.js';
import { Duration } from '../../config/bind/duration.js';
import { acceptedOnly, full, near } from '../../config/bind/effect.js';
import { dataSize, duration, flag, integer, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { accessPattern, COMMON_PATTERN } from '../records/access-pattern.js';

@Properties('server.embedded')
export class EmbeddedProperties {
  @Key(integer({ min: 1 }), {
    does: 'Open connections of the main listener at most; one more is dropped.',
    effect: full,
  })
  readonly maxConnections: number = 8192;

  @Key(integer({ min: 0 }), {
    does:
      'Requests waiting at most while all threads are busy; one more is answered 503 with Retry-After; 0 lets none ' +
      'wait.',
    effect: near(
      'the refusal is an answer, not a reset connection; where it is above 511 the listen backlog of the operating ' +
        'system is as long',
    ),
  })
  readonly acceptCount: number = 100;

  @Key(duration({ min: '1ms', max: '24d' }), {
    does:
      'Longest wait for the head of a request on an open connection, the first as well as the next, and then for its ' +
      'whole body, of an upload for its next bytes; late ones are answered 408, idle connections closed; it cannot be ' +
      'switched off.',
    effect: full,
  })
  readonly connectionTimeout: Duration = Duration.ofSeconds(60);

  @Key(dataSize({ min: -1 }), {
    does:
      'Largest form body (application/x-www-form-urlencoded); a larger one is answered 413; -1 leaves it at the 64 MB ' +
      'that all bodies still on their way may have together. JSON bodies have server.max-http-json-body-size.',
    effect: full,
  })
  readonly maxHttpFormPostSize: DataSize = DataSize.ofBytes(2 * 1024 * 1024);
}

@Properties('server.embedded.threads')
export class ThreadsProperties {
  @Key(integer({ min: 1 }), {
    does:
      'Requests in progress at most; more wait (server.embedded.accept-count); many more than connections in the ' +
      'database pool only wait for each other there.',
    effect: near('admission control: a slot per request instead of a thread'),
  })
  readonly max: number = 200;

  // More spare threads than threads are no mistake: whoever lowers `max` alone means it, and the lower number counts.
  @Key(integer({ min: 0 }), {
    does: 'Workers kept ready for password hashes; never more than the cores of the machine.',
    effect: acceptedOnly(
      'requests need no threads of their own; it counts the workers for password hashes that are kept from the first ' +
        'login on, so that none after it waits for one to start',
    ),
  })
  readonly minSpare: number = 10;
}

@Properties('server.embedded.accesslog')
export class AccesslogProperties {
  @Key(flag(), {
    does: 'Writes one line per request to access_log.yyyy-MM-dd.log, a new file every day of the time zone of the process.',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(text({ form: /\S/, called: 'the path of a folder' }), {
    does:
      'Folder of the access log files, relative to the working folder unless it starts with /; made where it is ' +
      'missing. Where it cannot be written, requests are served all the same and a warning says so.',
    effect: full,
  })
  readonly directory: string = 'logs';

  @Key(accessPattern, {
    does: 'What a line of the access log looks like. No pattern shows query strings, cookies or credentials.',
    effect: full,
  })
  readonly pattern = COMMON_PATTERN;
}
