import 'reflect-metadata';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Global, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountCreation } from '../../../src/identity/account/account-creation.service.js';
import { AuthModule } from '../../../src/signin/auth/auth.module.js';
import { Clock } from '../../../src/kernel/clock/clock.js';
import '../../support/database/mapper.js';
import { CacheModule } from '../../../src/platform/cache/cache.module.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { loadServiceConfiguration } from '../../../src/apps/server/service-configuration.js';
import { KvstoreModule } from '../../../src/platform/kvstore/kvstore.module.js';
import { RateLimitModule } from '../../../src/platform/rate-limit/rate-limit.module.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { LoggingModule } from '../../../src/observability/logging/logging.module.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { MetricsModule } from '../../../src/observability/metrics/metrics.module.js';
import { PersistenceModule } from '../../../src/platform/persistence/persistence.module.js';
import { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { ACR_MFA, type Amr, PWD } from '../../../src/kernel/principal/amr.js';
import { RandomModule } from '../../../src/kernel/random/random.module.js';
import { SealingModule } from '../../../src/platform/sealing/sealing.module.js';
import { Listener } from '../../../src/platform/http/listener.js';
import { WebModule } from '../../../src/platform/web/web.module.js';
import { AccessTokens } from '../../../src/identity/token/access-tokens.service.js';
import { MfaTokens } from '../../../src/identity/token/mfa-tokens.service.js';
import type { OpenedSession } from '../../../src/identity/session/session.js';
import { Sessions } from '../../../src/identity/session/sessions.service.js';
import { GuardedClassController, GuardedController } from '../../support/http/guarded.controller.js';
import { type Answer, HttpClient } from '../../support/http/http-client.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import '../../support/runner/matchers.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../../src/resources/', import.meta.url));
/** The maximum age of the second factor on the routes that limit it, in seconds. */
const MAX_AGE = 300;
const HEADER = 'www-authenticate';
const ANY_CODE = stepUp('A one-time code (otp) is required', `acr_values="${ACR_MFA}"`);
const RECENT = `acr_values="${ACR_MFA}", max_age="${MAX_AGE}"`;
const WITHIN = `is required, proven at most ${MAX_AGE} seconds ago`;
/** The challenge of the routes that limit the age of the proof. */
const CHALLENGES: Readonly<Record<string, string>> = {
  '/guarded/fresh': stepUp(`A one-time code (otp) ${WITHIN}`, RECENT),
  '/guarded/fresh-admin': stepUp(`A second factor ${WITHIN}`, RECENT),
};

const clock = new ManualClock();

@Global()
@Module({ providers: [{ provide: Clock, useValue: clock }], exports: [Clock] })
class ManualClockModule {}

/** The service with all its guards, and routes that use every requirement a route can declare. */
@Module({
  imports: [
    ManualClockModule,
    RandomModule,
    PersistenceModule.forService(),
    KvstoreModule,
    CacheModule,
    RateLimitModule,
    WebModule,
    AuthModule,
  ],
  controllers: [GuardedController, GuardedClassController],
})
class GuardedModule {}

interface Member {
  readonly subject: string;
  readonly securityStamp: number;
  readonly roles: readonly string[];
}

/** How a caller authenticates: with the `Authorization` header, or with the session cookie of the portal. */
type Carrier = 'token' | 'portal';
/** Sends GET to a path. */
type Ask = (path: string) => Promise<Answer>;

let app: INestApplication;
let url: string;
let met = 0;

beforeAll(async () => {
  const folder = temporaryFolder('guards');
  const configuration = loadServiceConfiguration({
    args: [`--app.datasource.url=jdbc:sqlite:${join(folder, 'login.db')}`],
    variables: {},
    workingFolder: folder,
    packageFolder: PACKAGE_FOLDER,
  });
  const listener = new Listener({ clock });
  const module = {
    module: GuardedModule,
    imports: [
      ConfigModule.of(configuration),
      LoggingModule.of(new Loggers()),
      MetricsModule.of(new Meters()),
      SealingModule.of(folder),
    ],
  };
  app = await NestFactory.create(module, listener.adapter, { logger: false, abortOnError: false });
  await app.init();
  url = `http://127.0.0.1:${await listener.open({ port: 0, address: '127.0.0.1', key: '', addressKey: '' })}`;
});

afterAll(() => app.close());

async function member(...roles: readonly string[]): Promise<Member> {
  met += 1;
  const { id, securityStamp } = await app.get(AccountCreation).create({ loginId: `member-${met}`, roles }, 'test');
  return { subject: id, securityStamp, roles };
}

async function open({ subject }: Member, amr: Amr[number], kind: Carrier): Promise<OpenedSession> {
  const now = clock.seconds();
  const mfaMethod = amr === 'otp' ? 'totp' : 'passkey';
  const factor = amr === 'pwd' ? { amr: PWD } : { amr: [...PWD, amr], mfaAt: now, mfaMethod };
  return app.get(UnitOfWork).run((tx) => app.get(Sessions).open(tx, { subject, kind, authTime: now, ...factor }));
}

/** Sends requests with a full login. */
async function full(who: Member, amr: Amr[number] = 'pwd', kind: Carrier = 'token'): Promise<Ask> {
  const { session, secret = '' } = await open(who, amr, kind);
  if (kind === 'portal') return withCookie(secret);
  const { accessToken: bearer } = await app.get(AccessTokens).issue(session, who.roles, { audience: 'login-api' });
  return (path) => new HttpClient(url).get(path, { bearer });
}

/** Sends requests with an mfa_token or a half-authenticated session. */
async function halfAuthenticated({ subject, securityStamp }: Member, kind: Carrier): Promise<Ask> {
  if (kind === 'token') {
    const { token: bearer } = await app.get(MfaTokens).issue({ subject, securityStamp });
    return (path) => new HttpClient(url).get(path, { bearer });
  }
  const authTime = clock.seconds();
  const { secret = '' } = await app
    .get(UnitOfWork)
    .run((tx) => app.get(Sessions).openHalf(tx, { subject, securityStamp, authTime, isEnrolment: false }));
  return withCookie(secret);
}

function withCookie(secret: string): Ask {
  const browser = new HttpClient(url);
  browser.plant('SESSION', secret);
  return (path) => browser.get(path);
}

const CARRIERS = ['token', 'portal'] as const;
const CLOSED = [
  ...[
    '/guarded',
    '/guarded/admin',
    '/guarded/otp',
    '/guarded/fresh',
    '/guarded/fresh-admin',
    '/guarded/mfa',
    '/guarded/class',
  ],
  ...['/2fa/guarded', '/2fa/guarded/half', '/2fa/guarded/half-admin', '/2fa/guarded/half-fresh', '/2fa-guarded'],
];

describe('unauthenticated caller', () => {
  it.each(CLOSED)('an unauthenticated caller gets 401 at %s', async (path) => {
    const anonymous = await new HttpClient(url).get(path);
    const forged = await new HttpClient(url).get(path, { bearer: 'no.such.token' });

    expect(anonymous).toBeRefused(401, 'INVALID_TOKEN');
    expect(anonymous.headers.get(HEADER)).toBe('Bearer');
    expect(forged).toBeRefused(401, 'INVALID_TOKEN');
    expect(forged.headers.get(HEADER)).toBe('Bearer error="invalid_token"');
    expect(await withCookie('A'.repeat(43))(path)).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('a public route accepts every caller and identifies none', async () => {
    const known = await full(await member('ROLE_ADMIN'), 'otp');

    expect((await new HttpClient(url).get('/guarded/open')).body).toEqual({ kind: 'nobody' });
    expect((await known('/guarded/open')).body).toEqual({ kind: 'nobody' });
  });
});

describe.each(CARRIERS)('full login by %s', (kind) => {
  it(`a full login by ${kind} passes a route without further requirements`, async () => {
    const who = await member();

    const answer = await (await full(who, 'pwd', kind))('/guarded');

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({ kind: 'full', subject: who.subject, via: kind === 'token' ? 'token' : 'session' });
  });

  it.each<readonly [string, readonly string[]]>([
    ['no role', []],
    ['other roles', ['ROLE_AUDITOR', 'ROLE_MANAGEMENT']],
    ['a role that begins with ROLE_ADMIN', ['ROLE_ADMIN_HELPER']],
  ])(
    `a full login by ${kind} with %s gets 403 where ROLE_ADMIN is required, despite a recent second factor`,
    async (_, roles) => {
      const ask = await full(await member(...roles), 'otp', kind);

      for (const path of ['/guarded/admin', '/guarded/fresh-admin', '/guarded/class']) {
        expect(await ask(path), path).toBeRefused(403, 'ACCESS_DENIED');
      }
    },
  );

  it(`a full login by ${kind} with ROLE_ADMIN, alone or among other roles, passes where it is required`, async () => {
    const [only, among] = [await member('ROLE_ADMIN'), await member('ROLE_AUDITOR', 'ROLE_ADMIN')];

    for (const who of [only, among]) {
      const ask = await full(who, 'pwd', kind);
      expect(await ask('/guarded/admin')).toBeAnswered(200);
      expect(await ask('/guarded/class')).toBeAnswered(200);
    }
  });

  it(`the authority of a route replaces that of its class for a full login by ${kind}`, async () => {
    const [admin, auditor] = [await member('ROLE_ADMIN'), await member('ROLE_AUDITOR')];

    expect(await (await full(admin, 'pwd', kind))('/guarded/class/auditor')).toBeRefused(403, 'ACCESS_DENIED');
    expect(await (await full(auditor, 'pwd', kind))('/guarded/class/auditor')).toBeAnswered(200);
    expect(await (await full(auditor, 'pwd', kind))('/guarded/class')).toBeRefused(403, 'ACCESS_DENIED');
  });

  it(`a password login by ${kind} gets the step-up challenge of RFC 9470`, async () => {
    const ask = await full(await member('ROLE_ADMIN'), 'pwd', kind);

    for (const path of ['/guarded/fresh', '/guarded/fresh-admin']) {
      const answer = await ask(path);
      expect(answer, path).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.headers.get(HEADER), path).toBe(CHALLENGES[path]);
    }
    const anyAge = await ask('/guarded/otp');
    expect(anyAge).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(anyAge.headers.get(HEADER)).toBe(ANY_CODE);
    expect(anyAge.body).toMatchObject({ required: 'otp' });
  });

  it(`a full login by ${kind} without the authority gets 403 and no step-up challenge`, async () => {
    const ask = await full(await member(), 'pwd', kind);

    const answer = await ask('/guarded/fresh-admin');

    expect(answer).toBeRefused(403, 'ACCESS_DENIED');
    expect(answer.headers.get(HEADER)).toBeNull();
  });

  it(`a second factor by ${kind} is recent for 300 seconds and never expires on a route without a maximum age`, async () => {
    const ask = await full(await member('ROLE_ADMIN'), 'otp', kind);
    expect(await ask('/guarded/fresh')).toBeAnswered(200);

    clock.advance(MAX_AGE);
    expect(await ask('/guarded/fresh')).toBeAnswered(200);
    expect(await ask('/guarded/fresh-admin')).toBeAnswered(200);
    clock.advance(1);

    for (const path of ['/guarded/fresh', '/guarded/fresh-admin']) {
      const answer = await ask(path);
      expect(answer, path).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.headers.get(HEADER), path).toBe(CHALLENGES[path]);
    }
    expect(await ask('/guarded/otp')).toBeAnswered(200);
    expect(await ask('/guarded/admin')).toBeAnswered(200);
  });

  it.each(['hwk', 'swk'] as const)(
    `a login by ${kind} with a passkey (%s) passes where any second factor is required, and not where a code is`,
    async (method) => {
      const ask = await full(await member('ROLE_ADMIN'), method, kind);

      expect(await ask('/guarded/mfa')).toBeAnswered(200);
      expect(await ask('/guarded/fresh-admin')).toBeAnswered(200);
      for (const path of ['/guarded/otp', '/guarded/fresh']) {
        const answer = await ask(path);
        expect(answer, path).toBeRefused(401, 'STEP_UP_REQUIRED');
        expect(answer.body, path).toMatchObject({ required: 'otp' });
      }

      clock.advance(MAX_AGE + 1);
      expect(await ask('/guarded/mfa')).toBeAnswered(200);
      const stale = await ask('/guarded/fresh-admin');
      expect(stale).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(stale.headers.get(HEADER)).toBe(CHALLENGES['/guarded/fresh-admin']);
      expect(stale.body).toMatchObject({ required: 'mfa' });
    },
  );

  it(`a full login by ${kind} passes all routes below /2fa`, async () => {
    const ask = await full(await member('ROLE_ADMIN'), 'otp', kind);

    for (const path of CLOSED.filter((route) => route.startsWith('/2fa'))) {
      expect(await ask(path), path).toBeAnswered(200);
    }
  });
});

describe.each([
  ['an mfa_token', 'token', 401, 'INVALID_TOKEN'],
  ['a half-authenticated session', 'portal', 403, 'MFA_REQUIRED'],
] as const)('%s', (credential, kind, status, code) => {
  it(`${credential} is rejected with ${status} ${code} outside /2fa/**, even for ROLE_ADMIN`, async () => {
    const ask = await halfAuthenticated(await member('ROLE_ADMIN'), kind);

    for (const path of CLOSED.filter((route) => !route.startsWith('/2fa/'))) {
      expect(await ask(path), path).toBeRefused(status, code);
    }
  });

  it(`${credential} passes a route below /2fa marked for it and gets 403 MFA_REQUIRED at another`, async () => {
    const who = await member('ROLE_ADMIN');
    const ask = await halfAuthenticated(who, kind);

    const passed = await ask('/2fa/guarded/half');

    expect(passed).toBeAnswered(200);
    expect(passed.body).toEqual({ kind: 'half', subject: who.subject, via: kind === 'token' ? 'token' : 'session' });
    expect(await ask('/2fa/guarded')).toBeRefused(403, 'MFA_REQUIRED');
  });

  it(`${credential} has neither the roles of its user nor a second factor, even on routes marked for it`, async () => {
    const ask = await halfAuthenticated(await member('ROLE_ADMIN'), kind);

    expect(await ask('/2fa/guarded/half-admin')).toBeRefused(403, 'ACCESS_DENIED');
    expect(await ask('/2fa/guarded/half-fresh')).toBeRefused(401, 'STEP_UP_REQUIRED');
  });

  it(`${credential} is anonymous on a public route`, async () => {
    const ask = await halfAuthenticated(await member('ROLE_ADMIN'), kind);

    expect((await ask('/guarded/open')).body).toEqual({ kind: 'nobody' });
  });
});

function stepUp(description: string, rest: string): string {
  return `Bearer error="insufficient_user_authentication", error_description="${description}", ${rest}`;
}
