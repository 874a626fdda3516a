import { DataSize } from '../../config/bind/data-size.js';
import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { dataSize, duration, integer, oneOf, type ScalarType, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { bundleName } from '../tls/bundle-name.js';
import { address } from './address.js';
import { ConversionProblem } from '../../config/problem.js';

@Properties('server')
export class ServerProperties {
  @Key(integer({ min: -1, max: 65_535 }), {
    does:
      'Port of the main listener; 0 selects any free port; -1 opens no listener, and none for the management ' +
      'endpoints unless they have a port of their own.',
    effect: full,
  })
  readonly port: number = 8080;

  @Key(address, {
    does: 'Address the main listener binds to; use 127.0.0.1 if only a proxy on the same machine may connect.',
    effect: full,
    defaultText: 'every address of the machine',
  })
  readonly address?: string;

  @Key(oneOf('graceful', 'immediate'), {
    does:
      'How the service stops: graceful rejects new connections and finishes requests in progress, immediate cuts ' +
      'them off.',
    effect: full,
  })
  readonly shutdown: 'graceful' | 'immediate' = 'graceful';

  @Key(duration({ min: '0s', max: '24d' }), {
    does:
      'Time between readiness turning to REFUSING_TRAFFIC and the listener closing, during which requests are ' +
      'still served; set it to the time a load balancer takes to notice. It is added to ' +
      'app.lifecycle.timeout-per-shutdown-phase and applies to a graceful shutdown only.',
    effect: full,
  })
  readonly shutdownPreDrain: Duration = Duration.ofSeconds(0);

  @Key(dataSize({ min: 1024, max: 1024 * 1024 }), {
    does: 'Largest request head, the request line and all headers together; a larger one is rejected with 431.',
    effect: full,
  })
  readonly maxHttpRequestHeaderSize: DataSize = DataSize.ofBytes(16 * 1024);

  @Key(dataSize({ min: 1024, max: 16 * 1024 * 1024 }), {
    does: 'Largest JSON body; a larger one is rejected with 413. No request of the API comes near the default.',
    effect: full,
  })
  readonly maxHttpJsonBodySize: DataSize = DataSize.ofBytes(64 * 1024);

  @Key(oneOf('none', 'native', 'framework'), {
    does:
      'Which peers are trusted to send X-Forwarded-For, -Proto, -Host and -Port for the address, scheme and host ' +
      'of the caller: none trusts no peer, native trusts peers in private networks, framework trusts every peer ' +
      'and prefers Forwarded (RFC 7239). X-Forwarded-Prefix is not read: use server.servlet.context-path for a ' +
      'path in front of every route.',
    effect: full,
  })
  readonly forwardHeadersStrategy: 'none' | 'native' | 'framework' = 'none';
}

const url: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects: 'a URL such as https://login.example.com/auth, with the context path and without a slash at its end',
  parse: (value) => {
    const trimmed = value.trim();
    const parsed = /^https?:\/\/[^\s/?#@]+(?:\/[^\s/?#]+)*$/.test(trimmed) ? URL.parse(trimmed) : null;
    // The value is compared with what browsers send, so it must be written in the same way.
    const isPlain = parsed && (parsed.href === trimmed || parsed.href === `${trimmed}/`);
    return isPlain
      ? trimmed
      : new ConversionProblem('not such a URL, as a browser writes it (lower case, no default port)');
  },
};

@Properties('app.security')
export class PublicUrlProperties {
  @Key(url, {
    does:
      'Public URL of the service: issuer of its tokens, base of mailed links, and its own origin for browsers. ' +
      'Required in production.',
    effect: full,
    defaultText: 'http://localhost:{server.port}{server.servlet.context-path} as issuer',
  })
  readonly publicUrl?: string;
}

/** The URL at which clients reach the service: the configured one, or one of this machine for a trial. */
export function serviceUrl(
  { publicUrl }: PublicUrlProperties,
  { port }: Pick<ServerProperties, 'port'>,
  { contextPath }: Pick<ServletProperties, 'contextPath'>,
): string {
  return publicUrl ?? `http://localhost:${port}${contextPath}`;
}

/**
 * The URL at which browsers use the service: the configured one, or for a trial one of this machine, whose port is 0 if the
 * system selects it; undefined without a listener.
 */
export function browserUrl(
  { publicUrl }: PublicUrlProperties,
  { port }: Pick<ServerProperties, 'port'>,
  { bundle }: Pick<SslProperties, 'bundle'>,
): string | undefined {
  if (publicUrl !== undefined || port < 0) return publicUrl;
  return `${bundle === undefined ? 'http' : 'https'}://localhost:${port}`;
}

@Properties('server.servlet')
export class ServletProperties {
  @Key(
    text({
      form: /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/,
      called:
        'a path such as /login of letters, digits, - . _ ~ that starts with / and does not end with /, or empty for none',
    }),
    {
      does: 'Path in front of every path of the service, and the path of its cookies; empty for none.',
      effect: full,
    },
  )
  readonly contextPath: string = '';
}

type Inclusion = 'never' | 'always';

const options = oneOf('never', 'always');

/** Rejects `on-param` with a reason: there the caller, not the operator, decides what is disclosed. */
const inclusion: ScalarType<Inclusion> = {
  ...options,
  parse: (value) =>
    /^on[-_]?param$/i.test(value.trim())
      ? new ConversionProblem('on-param is not offered: it hands the choice to strangers')
      : options.parse(value),
};

@Properties('server.error')
export class ServerErrorProperties {
  @Key(inclusion, {
    does: 'Whether error responses carry the stack trace in the member trace; always is rejected with profile prod.',
    effect: full,
  })
  readonly includeStacktrace: Inclusion = 'never';

  @Key(inclusion, {
    does:
      'Whether error responses carry a message in the member detail; it never states the internal reason of a ' +
      'failed login.',
    effect: full,
  })
  readonly includeMessage: Inclusion = 'never';
}

@Properties('server.ssl')
export class SslProperties {
  @Key(bundleName, {
    does:
      'Name of the certificate bundle (app.ssl.bundle) the main listener speaks TLS with; a management listener on a ' +
      'port of its own stays plain HTTP.',
    effect: full,
    defaultText: 'plain HTTP',
  })
  readonly bundle?: string;
}

@Properties('app.lifecycle')
export class LifecycleProperties {
  @Key(duration({ min: '0s', max: '24d' }), {
    does:
      'Longest wait for requests in progress during a graceful shutdown, and for what they depend on (workers, ' +
      'database; at least one second); requests still running then are cut off. Keep it below the stop timeout of ' +
      'the process manager; 0 does not wait.',
    effect: full,
  })
  readonly timeoutPerShutdownPhase: Duration = Duration.ofSeconds(30);
}
