// The yardstick of the login bench: the two steps of a login on Fastify, a raw driver and node:crypto, without framework,
// ORM or layers. For each full login it does what the service does:
//   password step   limits asked, account read, hash checked in a pool of workers (a decoy where there is none), two
//                   events in one commit, `mfa_token` signed (HS256)
//   second step     `mfa_token` verified, one attempt taken (first commit; lock, security stamp and unused jti in its condition),
//                   secret read and opened (AES-256-GCM), three codes compared, then in one transaction (second commit):
//                   step moved, jti used, session and refresh token stored as hash, event; access token signed (ES256)
// that is three durable commits, on a database the service itself has made and filled. Its answers have the service's
// members, headers and cookies. It leaves out what a right login does not meet: other routes and kinds of callers, backup
// codes, bodies with duplicate members, the retry after a deadlock.
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import { hashPool } from '../hash/pool.mjs';
import { openMariadb } from './mariadb-store.mjs';
import { openSqlite } from './sqlite-store.mjs';
import * as sql from './statements.mjs';
import { Throttle } from './throttle.mjs';
import * as tokens from './tokens.mjs';

const { database, sealKey, decoy } = JSON.parse(process.argv[2]);
const key = Buffer.from(sealKey, 'hex');
const store = database.file ? openSqlite(database) : openMariadb(database);
const pool = hashPool();
const throttle = new Throttle();

const REFRESH_SECONDS = 14 * 24 * 3600;
const SESSION_SECONDS = 90 * 24 * 3600;
const TRUSTED_PROXIES = ['loopback', 'linklocal', 'uniquelocal', '100.64.0.0/10'];
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'api-version': '1',
};

const app = fastify({
  trustProxy: TRUSTED_PROXIES,
  bodyLimit: 16_384,
  genReqId: (request) => {
    const given = request.headers['x-request-id'];
    return given !== undefined && /^[\w.-]{8,64}$/.test(given) ? given : randomBytes(16).toString('hex');
  },
  ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
});
app.addHook('onRequest', async (request, reply) => {
  reply.headers(HEADERS).header('x-request-id', request.id);
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined || (site !== undefined && site !== 'same-origin')) throw refusal(403, 'CROSS_SITE');
});
app.setErrorHandler((error, request, reply) => {
  const status = error.statusCode ?? 500;
  const code = error.publicCode ?? (status < 500 ? 'VALIDATION_FAILED' : 'INTERNAL_ERROR');
  if (status >= 500) console.error(error);
  reply
    .status(status)
    .type('application/problem+json')
    .send({ type: 'about:blank', status, code, request_id: request.id });
});

const shape = (properties) => ({
  schema: {
    body: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  },
});
const text = (maxLength) => ({ type: 'string', minLength: 1, maxLength });

app.post('/login', shape({ id: text(255), pw: text(1024) }), async (request) => {
  const millis = Date.now();
  const loginId = request.body.id.normalize('NFKC').trim().toLowerCase();
  const keys = [`ip:${request.ip}`, `id:${loginId}`];
  if (!keys.every((each) => throttle.allows(each, millis))) throw refusal(429, 'RATE_LIMITED');
  const account = await store.row(sql.ACCOUNT_BY_LOGIN_ID, [loginId]);
  const isRight = await pool.run({ hash: account?.password_hash ?? decoy, password: request.body.pw });
  if (!isRight || account?.status !== 'active' || account.totp_count === 0) {
    for (const each of keys) throttle.addFailure(each, millis);
    throw refusal(401, 'INVALID_CREDENTIALS');
  }
  const { id: subject, security_stamp: securityStamp } = account;
  const { token, expiresIn } = tokens.issueMfaToken({ subject, securityStamp }, seconds());
  await store.change(sql.ADD_TWO_EVENTS, [
    ...eventValues(request, 'LOGIN_PASSWORD_OK', subject, 'pwd', null),
    ...eventValues(request, 'MFA_CHALLENGED', subject, null, null),
  ]);
  return { mfa_required: true, mfa_token: token, expires_in: expiresIn, methods: ['totp', 'backup_code'] };
});

const code = { type: 'string', pattern: '^[0-9]{6}$' };
app.post('/login/2fa', shape({ mfa_token: text(4096), code }), async (request, reply) => {
  const now = seconds();
  const claims = tokens.verifyMfaToken(request.body.mfa_token, now);
  if (!claims) throw refusal(401, 'MFA_TOKEN_INVALID');
  const { sub: subject, epoch, jti, iat: authTime } = claims;
  const attempt = [now, tokens.timeOrderedId(Date.now()), subject, epoch, now, jti];
  if ((await store.change(sql.TAKE_ATTEMPT, attempt)) !== 1) throw refusal(401, 'MFA_TOKEN_INVALID');
  const secret = await store.row(sql.SECRET_OF, [subject]);
  const step = tokens.matchingStep({ key, sealedSecret: secret.sealed, userId: subject }, request.body.code, now);
  if (step === undefined) throw refusal(401, 'MFA_CODE_INVALID');

  const sid = tokens.timeOrderedId(Date.now());
  const refreshToken = tokens.randomText(32);
  const session = [sid, subject, authTime, now, request.ip, agentOf(request), now, now, now + SESSION_SECONDS];
  const stored = [tokens.hashOf(refreshToken), sid, subject, authTime, now, now, now + REFRESH_SECONDS];
  const isDone = await store.allOrNothing([
    [sql.ACCEPT_STEP, [step, subject, step]],
    [sql.RECORD_USE, [now, secret.id]],
    [sql.USE_MFA_TOKEN, [jti, claims.exp]],
    [sql.OPEN_SESSION, session],
    [sql.ADD_REFRESH_TOKEN, stored],
    [sql.ADD_EVENT, eventValues(request, 'MFA_OK', subject, 'pwd otp', 'totp')],
  ]);
  if (!isDone) throw refusal(401, 'MFA_CODE_INVALID');
  const cookie = (name, value, path, site, maxAge) =>
    `${name}=${value}; Max-Age=${maxAge}; Path=${path}; HttpOnly; Secure; SameSite=${site}`;
  reply.header('set-cookie', [
    cookie('device', tokens.issueDeviceCookie(subject, now), '/', 'Lax', SESSION_SECONDS),
    cookie('refresh_token', refreshToken, '/token', 'Strict', REFRESH_SECONDS),
  ]);
  const roles = secret.roles.split(',');
  const accessToken = tokens.issueAccessToken({ subject, sid, roles, authTime, mfaAt: now }, now);
  const members = { access_token: accessToken, token_type: 'Bearer', expires_in: tokens.ACCESS_SECONDS };
  return { ...members, amr: ['pwd', 'otp'], mfa_method: 'totp' };
});

process.on('SIGTERM', () => process.exit());
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`ready: http://127.0.0.1:${app.server.address().port}/`);

function eventValues(request, kind, subject, amr, reason) {
  const at = Date.now();
  return [tokens.timeOrderedId(at), at, kind, subject, request.ip, agentOf(request), request.id, amr, reason];
}

function agentOf(request) {
  return request.headers['user-agent']?.slice(0, 255) ?? null;
}

function seconds() {
  return Math.floor(Date.now() / 1000);
}

function refusal(statusCode, publicCode) {
  return Object.assign(new Error(publicCode), { statusCode, publicCode });
}
