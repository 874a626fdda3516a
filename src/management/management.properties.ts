import { full, near } from '../config/bind/effect.js';
import { flag, list, oneOf, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { show, type Show } from './access/access.js';
import { EXCHANGE_PARTS, type ExchangePart } from '../platform/http/records/http-exchanges.js';

@Properties('management.endpoint.env')
export class EnvEndpointProperties {
  @Key(show, {
    does: 'Who sees values in env: no caller, callers with one of the roles, or every caller; secrets stay masked.',
    effect: full,
  })
  readonly showValues: Show = 'never';

  @Key(list(text()), {
    does:
      'Roles that allow a caller to see values in env, with or without ROLE_; if empty, every authenticated caller ' +
      'does.',
    effect: full,
  })
  readonly roles: readonly string[] = [];
}

@Properties('management.endpoint.configprops')
export class ConfigpropsEndpointProperties {
  @Key(show, {
    does:
      'Who sees values in configprops: no caller, callers with one of the roles, or every caller; secrets stay ' +
      'masked.',
    effect: full,
  })
  readonly showValues: Show = 'never';

  @Key(list(text()), {
    does:
      'Roles that allow a caller to see values in configprops, with or without ROLE_; if empty, every ' +
      'authenticated caller does.',
    effect: full,
  })
  readonly roles: readonly string[] = [];
}

@Properties('management.endpoint.logfile')
export class ExternalLogfileProperties {
  @Key(text({ form: /\S/, called: 'the path of a file' }), {
    does: 'File that the logfile endpoint serves in place of the own log file, if another program writes it.',
    effect: full,
    defaultText: 'the file of logging.file.name',
  })
  readonly externalFile?: string;
}

@Properties('management.httpexchanges.recording')
export class RecordingProperties {
  @Key(flag(), {
    does:
      'Whether the last 100 requests and responses, except those of management endpoints, are kept in memory for ' +
      'the httpexchanges endpoint; never with bodies, credentials or cookies.',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(list(oneOf(...EXCHANGE_PARTS)), {
    does:
      'Recorded details besides time, method, URL and status; remote-address, principal and session-id are ' +
      'personal data.',
    effect: full,
  })
  readonly include: readonly ExchangePart[] = ['request-headers', 'response-headers', 'time-taken'];
}

@Properties('management.metrics.compat')
export class MetricsCompatProperties {
  @Key(flag(), {
    does: 'Whether memory and garbage collection are also recorded under the names of the Java virtual machine.',
    effect: near('The names are jvm.memory.used, .committed, .max and jvm.gc.pause; jvm.threads has no counterpart.'),
  })
  readonly jvmNames: boolean = false;
}
