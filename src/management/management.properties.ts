import { full, near } from '../config/bind/effect.js';
import { flag, list, oneOf, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { show, type Show } from './access/show.js';
import { EXCHANGE_PARTS, type ExchangePart } from '../http/records/http-exchanges.js';

@Properties('management.endpoint.env')
export class EnvEndpointProperties {
  @Key(show, {
    does: 'Who sees values in env: nobody, callers with one of the roles, or everybody who may call it; secrets stay masked.',
    effect: full,
  })
  readonly showValues: Show = 'never';

  @Key(list(text()), {
    does: 'Roles of which a caller needs one to see values in env, with or without ROLE_; empty, every known caller does.',
    effect: full,
  })
  readonly roles: readonly string[] = [];
}

@Properties('management.endpoint.configprops')
export class ConfigpropsEndpointProperties {
  @Key(show, {
    does: 'Who sees values in configprops: nobody, callers with one of the roles, or everybody who may call it; secrets stay masked.',
    effect: full,
  })
  readonly showValues: Show = 'never';

  @Key(list(text()), {
    does: 'Roles of which a caller needs one to see values in configprops, with or without ROLE_; empty, every known caller does.',
    effect: full,
  })
  readonly roles: readonly string[] = [];
}

@Properties('management.endpoint.logfile')
export class ExternalLogfileProperties {
  @Key(text({ form: /\S/, called: 'the path of a file' }), {
    does: 'File that logfile shows in place of the one of the log, where something else writes it.',
    effect: full,
    defaultText: 'the file of logging.file.name',
  })
  readonly externalFile?: string;
}

@Properties('management.httpexchanges.recording')
export class RecordingProperties {
  @Key(flag(), {
    does:
      'Whether the last 100 requests and answers, but those of management endpoints, are kept in memory for the ' +
      'httpexchanges endpoint; never with bodies, credentials or cookies.',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(list(oneOf(...EXCHANGE_PARTS)), {
    does:
      'What is kept of each beside time, method, URL and status; remote-address, principal and session-id are data ' +
      'about people.',
    effect: full,
  })
  readonly include: readonly ExchangePart[] = ['request-headers', 'response-headers', 'time-taken'];
}

@Properties('management.metrics.compat')
export class MetricsCompatProperties {
  @Key(flag(), {
    does: 'Whether memory and garbage collection are also recorded under the names of the Java virtual machine.',
    effect: near(
      'jvm.memory.used, .committed, .max and jvm.gc.pause; there is nothing here that jvm.threads would count.',
    ),
  })
  readonly jvmNames: boolean = false;
}
