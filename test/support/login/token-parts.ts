import type { Clock } from '../../../src/kernel/clock/clock.js';
import { Duration } from '../../../src/config/bind/duration.js';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { mapperOf } from '../database/mapper.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import type { Rate } from '../../../src/platform/rate-limit/rate.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Sealer } from '../../../src/platform/sealing/sealer.js';
import { ScheduledTasks } from '../../../src/platform/tasks/scheduled-tasks.js';
import { AccessTokens } from '../../../src/identity/token/access-tokens.service.js';
import { ConfiguredKeys } from '../../../src/identity/token/keys/configured-keys.js';
import { ExpirySweep } from '../../../src/platform/persistence/expiry-sweep.task.js';
// Their stores register the tables that are swept.
import '../../../src/signin/saml/login/authn-request.store.js';
import '../../../src/identity/second-factor/trusted-device/trusted-device.store.js';
import { Issuer } from '../../../src/identity/token/signed-token.js';
import { KeyPolicy } from '../../../src/identity/token/keys/key-policy.service.js';
import { KeyRotation } from '../../../src/identity/token/keys/key-rotation.service.js';
import { MfaTokens } from '../../../src/identity/token/mfa-tokens.service.js';
import { RefreshTokenStore } from '../../../src/identity/session/refresh-token.store.js';
import { SessionSecrets } from '../../../src/identity/session/session-secrets.service.js';
import { lifetimesOf, RefreshProperties, SessionProperties } from '../../../src/identity/session/session.properties.js';
import { RefreshGrace } from '../../../src/identity/session/refresh-grace.task.js';
import { RefreshRotation, SessionRefresh } from '../../../src/identity/session/session-refresh.service.js';
import { SessionWriter } from '../../../src/identity/session/session-writer.service.js';
import { SessionStore } from '../../../src/identity/session/session.store.js';
import { Sessions } from '../../../src/identity/session/sessions.service.js';
import { SigningKeyLoader, SigningKeyRefresh } from '../../../src/identity/token/keys/signing-key-refresh.task.js';
import { SigningKeyStore } from '../../../src/identity/token/keys/signing-key.store.js';
import { SigningKeys } from '../../../src/identity/token/keys/signing-keys.js';
import { TokenProperties } from '../../../src/identity/token/token.properties.js';

/** Settings of a test; all others have their default. */
export interface TokenSettings {
  readonly sealer?: Sealer;
  readonly graceSeconds?: number;
  readonly maxRate?: Rate;
  readonly loggers?: Loggers;
  readonly token?: Partial<Pick<TokenProperties, 'algorithm' | 'accessLifetime' | 'signingKey' | 'verificationKeys'>>;
}

/** The services of `src/identity/token` of one process. */
export interface TokenParts {
  readonly sealer: Sealer;
  readonly sessions: Sessions;
  readonly refreshes: SessionRefresh;
  readonly rotation: KeyRotation;
  readonly keys: SigningKeys;
  readonly loader: SigningKeyLoader;
  readonly keyRefresh: SigningKeyRefresh;
  readonly accessTokens: AccessTokens;
  readonly mfaTokens: MfaTokens;
  readonly sweep: ExpirySweep;
  readonly sealedSuccessors: RefreshGrace;
}

/** A sealer with random keys; the first one is active. */
export function randomSealer(...ids: readonly string[]): Sealer {
  const random = new SystemRandom();
  const [active = 'k1'] = ids;
  return new Sealer(active, new Map([active, ...ids].map((id) => [id, random.bytes(32)])), random);
}

/** A process over a database; several of them on one database are replicas. */
export function tokenParts(work: UnitOfWork, clock: Clock, settings: TokenSettings = {}): TokenParts {
  const random = new SystemRandom();
  const tasks = new ScheduledTasks(clock);
  const { sealer = randomSealer('k1'), loggers = new Loggers() } = settings;
  const token = Object.assign(new TokenProperties(), settings.token);
  const refresh = Object.assign(
    new RefreshProperties(),
    settings.graceSeconds !== undefined && { grace: Duration.ofSeconds(settings.graceSeconds) },
    settings.maxRate && { maxRate: settings.maxRate },
  );
  const events = new SecurityEvents(new EventStore(), clock, random, loggers, work);

  const keyStore = new SigningKeyStore(sealer, clock, random);
  const rotation = new KeyRotation(keyStore, work, events, clock, new KeyPolicy(token, new Set()));
  const keys = new SigningKeys(new ConfiguredKeys(token, () => 'test'), clock);
  const loader = new SigningKeyLoader(rotation, keyStore, keys, clock, loggers);
  const issuer = new Issuer('http://localhost:8080');

  const sessionStore = new SessionStore(clock);
  const tokenStore = new RefreshTokenStore();
  const secrets = new SessionSecrets(sealer, clock, random);
  const lifetimes = lifetimesOf(new SessionProperties(), refresh);
  const writer = new SessionWriter(sessionStore, tokenStore, secrets, lifetimes, clock);
  const sealedSuccessors = new RefreshGrace(tokenStore, work, clock, refresh, tasks);
  const tokenRotation = new RefreshRotation(tokenStore, secrets, sealedSuccessors, clock, refresh);
  const sessions = new Sessions(sessionStore, writer, work, events);
  return {
    sealer,
    sessions,
    refreshes: new SessionRefresh(tokenRotation, writer, sessions, work, events),
    rotation,
    keys,
    loader,
    keyRefresh: new SigningKeyRefresh(rotation, loader, tasks),
    accessTokens: new AccessTokens(keys, issuer, clock, random, token),
    mfaTokens: new MfaTokens(keys, issuer, clock, random),
    sealedSuccessors,
    sweep: new ExpirySweep(work, mapperOf(), clock, random, tasks),
  };
}
