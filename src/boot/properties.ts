import { LoginIdProperties } from '../account/login-id.properties.js';
import { PasswordHashProperties } from '../account/password/password-hash.properties.js';
import { PasswordImportProperties } from '../account/import/password-import.properties.js';
import { PasswordProperties } from '../account/password/password.properties.js';
import { RateLimitProperties } from '../account/throttle/rate-limit.properties.js';
import { RoleProperties } from '../account/role.properties.js';
import { CookieProperties } from '../auth/cookie.properties.js';
import { CorsProperties } from '../auth/cors.properties.js';
import { BackupCodeProperties } from '../second-factor/backup-code/backup-code.properties.js';
import { CacheProperties } from '../cache/cache.properties.js';
import { CaffeineProperties } from '../cache/caffeine.properties.js';
import { ConfigProperties } from '../config/config.properties.js';
import { ProfilesProperties } from '../config/profiles.properties.js';
import type { PropertiesClass } from '../config/bind/properties-class.js';
import { UserProperties } from '../config/user.properties.js';
import { KvstoreProperties } from '../kvstore/kvstore.properties.js';
import { LoggingFileProperties } from '../logging/file/logging-file.properties.js';
import { LoggingCharsetProperties } from '../logging/logging-charset.properties.js';
import { LoggingPatternProperties } from '../logging/logging-pattern.properties.js';
import { LoggingProperties } from '../logging/logging.properties.js';
import { RollingpolicyProperties } from '../logging/file/rollingpolicy.properties.js';
import { StructuredFormatProperties } from '../logging/structured-format.properties.js';
import { MailProperties } from '../mail/mail.properties.js';
import { AccessProperties } from '../management/access/access.properties.js';
import { ENDPOINT_KEYS } from '../management/access/endpoint.properties.js';
import { ManagementSecurityProperties } from '../management/access/management-security.properties.js';
import { ConfigpropsEndpointProperties } from '../management/configprops/configprops-endpoint.properties.js';
import { ConsoleClientProperties } from '../management/console/console-client.properties.js';
import { ConsoleInstanceProperties } from '../management/console/console-instance.properties.js';
import { EnvEndpointProperties } from '../management/env-endpoint.properties.js';
import { HealthSwitchProperties } from '../management/health/health-switch.properties.js';
import { ExposureProperties } from '../management/access/exposure.properties.js';
import { HealthEndpointProperties } from '../management/health/health-endpoint.properties.js';
import { RecordingProperties } from '../management/recording.properties.js';
import { InfoContributorsProperties } from '../management/info/info-contributors.properties.js';
import { InfoProperties } from '../management/info/info.properties.js';
import { ExternalLogfileProperties } from '../management/external-logfile.properties.js';
import { ManagementServerProperties } from '../management/dispatch/management-server.properties.js';
import { ProbesProperties } from '../management/health/probes.properties.js';
import { MetricsCompatProperties } from '../management/metrics/metrics-compat.properties.js';
import { ManagementWebProperties } from '../management/dispatch/management-web.properties.js';
import { HttpClientProperties } from '../outbound/http-client.properties.js';
import { HttpProxyProperties } from '../outbound/http-proxy.properties.js';
import { HttpsProxyProperties } from '../outbound/https-proxy.properties.js';
import { MfaProperties } from '../second-factor/mfa.properties.js';
import { DatasourceProperties } from '../persistence/datasource.properties.js';
import { JpaProperties } from '../persistence/jpa.properties.js';
import { MapperConfigurationProperties } from '../persistence/mapper/mapper-configuration.properties.js';
import { MapperProperties } from '../persistence/mapper/mapper.properties.js';
import { OrmPropertiesProperties } from '../persistence/orm-properties.properties.js';
import { OrmProperties } from '../persistence/orm.properties.js';
import { PoolProperties } from '../persistence/pool/pool.properties.js';
import { SamlProperties } from '../saml/saml.properties.js';
import { SealProperties } from '../sealing/seal.properties.js';
import { AccesslogProperties } from '../http/records/accesslog.properties.js';
import { EmbeddedProperties } from '../http/admission/embedded.properties.js';
import { EncodingProperties } from '../http/json/encoding.properties.js';
import { JsonSerializationProperties } from '../http/json/json-serialization.properties.js';
import { JsonProperties } from '../http/json/json.properties.js';
import { LifecycleProperties } from '../http/shutdown/lifecycle.properties.js';
import { MultipartProperties } from '../http/upload/multipart.properties.js';
import { OpenApiProperties } from '../web/openapi/openapi.properties.js';
import { ServerErrorProperties } from '../http/errors/server-error.properties.js';
import { ServerProperties } from '../http/server.properties.js';
import { ServletProperties } from '../http/servlet.properties.js';
import { Http2Properties } from '../http/tls/http2.properties.js';
import { SslProperties } from '../http/tls/ssl.properties.js';
import { ThreadsProperties } from '../http/admission/threads.properties.js';
import { ExecutionPoolProperties } from '../tasks/execution-pool.properties.js';
import { ExecutionProperties } from '../tasks/execution.properties.js';
import { SchedulingPoolProperties } from '../tasks/scheduling-pool.properties.js';
import { SslBundleProperties } from '../tls/ssl-bundle.properties.js';
import { ClientsProperties } from '../token/clients.properties.js';
import { PublicUrlProperties } from '../token/public-url.properties.js';
import { RefreshProperties } from '../session/refresh.properties.js';
import { SessionProperties } from '../session/session.properties.js';
import { TokenProperties } from '../token/token.properties.js';

/** Every class of configuration keys, in the order an operator reads about them. */
export const PROPERTIES: readonly PropertiesClass[] = [
  ConfigProperties,
  ProfilesProperties,
  UserProperties,

  ServerProperties,
  ServletProperties,
  SslProperties,
  Http2Properties,
  ServerErrorProperties,
  LifecycleProperties,
  EmbeddedProperties,
  ThreadsProperties,
  AccesslogProperties,

  DatasourceProperties,
  PoolProperties,
  JpaProperties,
  OrmProperties,
  OrmPropertiesProperties,
  MapperProperties,
  MapperConfigurationProperties,

  PublicUrlProperties,
  SealProperties,
  LoginIdProperties,
  RoleProperties,
  PasswordProperties,
  PasswordHashProperties,
  PasswordImportProperties,
  RateLimitProperties,
  MfaProperties,
  BackupCodeProperties,
  TokenProperties,
  RefreshProperties,
  SessionProperties,
  ClientsProperties,
  CookieProperties,
  CorsProperties,
  SamlProperties,

  LoggingProperties,
  LoggingFileProperties,
  LoggingPatternProperties,
  LoggingCharsetProperties,
  RollingpolicyProperties,
  StructuredFormatProperties,

  ManagementWebProperties,
  ExposureProperties,
  ManagementServerProperties,
  ManagementSecurityProperties,
  AccessProperties,
  ...ENDPOINT_KEYS.values(),
  HealthEndpointProperties,
  ProbesProperties,
  HealthSwitchProperties,
  InfoContributorsProperties,
  InfoProperties,
  EnvEndpointProperties,
  ConfigpropsEndpointProperties,
  RecordingProperties,
  ConsoleClientProperties,
  ConsoleInstanceProperties,
  ExternalLogfileProperties,
  MetricsCompatProperties,

  MultipartProperties,
  JsonProperties,
  JsonSerializationProperties,
  EncodingProperties,
  OpenApiProperties,

  CacheProperties,
  CaffeineProperties,
  SchedulingPoolProperties,
  ExecutionProperties,
  ExecutionPoolProperties,

  MailProperties,
  KvstoreProperties,
  HttpClientProperties,
  HttpProxyProperties,
  HttpsProxyProperties,
  SslBundleProperties,
];
