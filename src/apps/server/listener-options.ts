import { CorsProperties } from '../../signin/auth/auth.properties.js';
import { BrandingProperties } from '../../platform/branding/branding.properties.js';
import { SystemClock } from '../../kernel/clock/clock.js';
import type { Configuration } from '../../config/configuration.js';
import type { DataSize } from '../../config/bind/data-size.js';
import type { Loggers } from '../../observability/logging/loggers.js';
import { ClientsProperties } from '../../identity/client/client.properties.js';
import { formActionSource } from '../../identity/client/redirect-uri.js';
import { ManagementServerProperties } from '../../management/dispatch/management-server.properties.js';
import { managementPortOf } from '../../management/dispatch/paths.js';
import { CATALOGUE } from '../../signin/messages/messages.js';
import { MessagesProperties } from '../../signin/messages/messages.properties.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { AccessLog } from '../../platform/http/records/access-log.js';
import {
  AccesslogProperties,
  EmbeddedProperties,
  ThreadsProperties,
} from '../../platform/http/admission/embedded.properties.js';
import type { HostOptions } from '../../platform/http/host-options.js';
import {
  EncodingProperties,
  JsonProperties,
  JsonSerializationProperties,
} from '../../platform/http/json/json.properties.js';
import type { BoundAddress } from '../../platform/http/listener.js';
import {
  ServerErrorProperties,
  ServerProperties,
  ServletProperties,
  SslProperties,
} from '../../platform/http/server.properties.js';
import type { OpenedTls } from '../../platform/http/tls/listener-tls.js';
import { MultipartProperties } from '../../platform/http/upload/multipart.properties.js';
import { ForwardAuthProperties } from '../../signin/forward-auth/forward-auth.properties.js';
import { ReturnProperties } from '../../platform/web/return.properties.js';
import { UploadFolder } from '../../platform/http/upload/upload-folder.js';
import type { UploadOptions } from '../../platform/http/upload/uploads.js';

/** Logger for problems with listeners. */
const LOGGER = 'server';

export function mainOptions(configuration: Configuration): HostOptions {
  return {
    ...managementOptions(configuration),
    contextPath: configuration.get(ServletProperties).contextPath,
    allowedOrigins: configuration.get(CorsProperties).allowedOrigins,
    applicationOrigins: applicationOrigins(configuration),
    threads: configuration.get(ThreadsProperties),
    uploads: uploadsOf(configuration),
    encoding: configuration.get(EncodingProperties),
    json: configuration.get(JsonProperties),
    jsonSerialization: configuration.get(JsonSerializationProperties),
    pages: {
      catalogue: CATALOGUE,
      defaultLanguage: configuration.get(MessagesProperties).defaultLanguage,
      contextPath: configuration.get(ServletProperties).contextPath,
      branding: configuration.get(BrandingProperties),
      timeZone: configuration.get(JsonProperties).timeZone,
      returnOrigins: [...configuration.get(ReturnProperties).allowedOrigins, ...formTargets(configuration)],
    },
  };
}

/** Where sign-ins to applications end, as sources of `form-action`. */
function formTargets(configuration: Configuration): readonly string[] {
  const { origins } = configuration.get(ForwardAuthProperties);
  return [...new Set([...redirectUris(configuration).map(formActionSource), ...origins])];
}

/** The sites of single-page applications, whose scripts exchange codes; others keep a secret, which no script has. */
function applicationOrigins(configuration: Configuration): readonly string[] {
  const { clients } = configuration.get(ClientsProperties);
  const uris = [...clients.values()].flatMap((client) => (client.public ? client.redirectUris : []));
  return [...new Set(uris.map((uri) => new URL(uri).origin))].filter((each) => each !== 'null');
}

/** Also those of sign-outs, which a form may begin. */
function redirectUris(configuration: Configuration): readonly string[] {
  const { clients } = configuration.get(ClientsProperties);
  return [...clients.values()].flatMap((client) => [...client.redirectUris, ...client.postLogoutRedirectUris]);
}

function uploadsOf(configuration: Configuration): UploadOptions {
  const { location, maxFileSize, maxRequestSize, receiveTimeout, maxPerUser } = configuration.get(MultipartProperties);
  const unlessNegative = ({ bytes }: DataSize): number => (bytes < 0 ? Infinity : bytes);
  return {
    folder: UploadFolder.open(location, new SystemRandom(), new SystemClock()),
    maxFileBytes: unlessNegative(maxFileSize),
    maxRequestBytes: unlessNegative(maxRequestSize),
    maxMillis: receiveTimeout.milliseconds,
    maxPerSender: maxPerUser,
  };
}

/** Options of the management listener; keys for payloads of the application do not apply to it. */
export function managementOptions(configuration: Configuration): HostOptions {
  return {
    errors: configuration.get(ServerErrorProperties),
    server: configuration.get(ServerProperties),
    embedded: configuration.get(EmbeddedProperties),
    pages: { catalogue: CATALOGUE },
  };
}

/** TLS of the main listener, if a bundle is configured; otherwise the TLS code is not loaded. */
export async function tlsOf(configuration: Configuration, loggers: Loggers): Promise<OpenedTls | undefined> {
  const { bundle } = configuration.get(SslProperties);
  if (bundle === undefined) return undefined;
  const { openTls } = await import('../../platform/http/tls/listener-tls.js');
  return openTls(configuration, bundle, new SystemClock(), loggers.get(LOGGER));
}

/** The access log; it contains no requests of a separate management listener. */
export function accessLogOf(configuration: Configuration, loggers: Loggers): AccessLog | undefined {
  const { enabled, totalSizeCap, ...keys } = configuration.get(AccesslogProperties);
  if (!enabled) return undefined;
  return new AccessLog({
    ...keys,
    totalBytes: totalSizeCap.bytes,
    clock: new SystemClock(),
    log: loggers.get(LOGGER),
  });
}

/**
 * The binding of a separate management listener; undefined if the endpoints use the main one, `off` without endpoints.
 */
export function separateManagement(configuration: Configuration): BoundAddress | 'off' | undefined {
  const server = configuration.get(ServerProperties);
  const { port, address } = configuration.get(ManagementServerProperties);
  const place = managementPortOf(port, server.port);
  if (place === 'off') return 'off';
  if (place === 'main' || port === undefined) return undefined;
  return address === undefined
    ? { port, address: server.address, key: 'management.server.port', addressKey: 'server.address' }
    : { port, address, key: 'management.server.port', addressKey: 'management.server.address' };
}
