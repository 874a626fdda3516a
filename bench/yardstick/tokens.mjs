// Tokens with node:crypto only, synchronously: the cheapest correct way to sign, seal and verify them.
import { Buffer } from 'node:buffer';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  generateKeyPairSync,
  randomBytes,
  sign,
  timingSafeEqual,
} from 'node:crypto';

const ISSUER = 'http://localhost:8080';
const MFA_SECONDS = 180;
export const ACCESS_SECONDS = 600;
const WINDOW = [-1, 0, 1];

const mfaSecret = randomBytes(32);
const deviceSecret = randomBytes(32);
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const mfaHeader = encoded({ alg: 'HS256', typ: 'mfa+jwt', kid: 'mfa-1' });
const accessHeader = encoded({ alg: 'ES256', typ: 'at+jwt', kid: 'access-1' });

export function issueMfaToken({ subject, securityStamp }, now) {
  const claims = { iss: ISSUER, sub: subject, aud: 'mfa', iat: now, exp: now + MFA_SECONDS, jti: randomText(16) };
  const input = `${mfaHeader}.${encoded({ ...claims, amr: ['pwd'], epoch: securityStamp })}`;
  return { token: `${input}.${macOf(mfaSecret, input).toString('base64url')}`, expiresIn: MFA_SECONDS };
}

/** Returns the claims, or undefined if signature, type, audience or time are invalid. */
export function verifyMfaToken(token, now) {
  const [header, payload, signature, ...rest] = token.split('.');
  if (signature === undefined || rest.length > 0) return undefined;
  const given = Buffer.from(signature, 'base64url');
  const expected = macOf(mfaSecret, `${header}.${payload}`);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { alg, typ, kid } = decoded(header);
  const claims = decoded(payload);
  const isOurs = alg === 'HS256' && typ === 'mfa+jwt' && kid === 'mfa-1';
  return isOurs && claims.iss === ISSUER && claims.aud === 'mfa' && claims.exp > now ? claims : undefined;
}

export function issueAccessToken({ subject, sid, roles, authTime, mfaAt }, now) {
  const claims = { iss: ISSUER, sub: subject, aud: 'resource-api', iat: now, nbf: now, exp: now + ACCESS_SECONDS };
  const login = { jti: randomText(16), sid, roles, amr: ['pwd', 'otp'], acr: 'urn:login:acr:mfa', auth_time: authTime };
  const input = `${accessHeader}.${encoded({ ...claims, ...login, mfa_at: mfaAt, mfa_method: 'totp' })}`;
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** Cookie of a browser that completed a login. */
export function issueDeviceCookie(subject, now) {
  const text = `${subject}.${now}`;
  return `${text}.${macOf(deviceSecret, text).toString('base64url')}`;
}

export function hashOf(secret) {
  return createHash('sha256').update(secret).digest('base64url');
}

export function randomText(bytes) {
  return randomBytes(bytes).toString('base64url');
}

/** A UUID of version 7 (RFC 9562 section 5.7), as the service's keys are. */
export function timeOrderedId(millis) {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(millis, 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** AES-256-GCM, bound to the user, in the text form `v.<nonce, ciphertext, tag>`. */
export function sealed(key, plain, userId) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(userId));
  const parts = [nonce, cipher.update(plain), cipher.final()];
  return `v.${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url')}`;
}

function opened(key, text, userId) {
  const bytes = Buffer.from(text.slice(2), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(userId));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}

/** The highest step of the window whose code this is (RFC 6238 section 5.2); all three are compared. */
export function matchingStep({ key, sealedSecret, userId }, code, now) {
  const secret = opened(key, sealedSecret, userId);
  const given = Buffer.from(code);
  let match;
  for (const offset of WINDOW) {
    const step = Math.floor(now / 30) + offset;
    const counter = Buffer.alloc(8);
    counter.writeUIntBE(step, 2, 6);
    const hmac = createHmac('sha1', secret).update(counter).digest();
    const number = (hmac.readUInt32BE(hmac[19] & 15) & 0x7f_ff_ff_ff) % 1_000_000;
    if (timingSafeEqual(given, Buffer.from(String(number).padStart(6, '0')))) match = step;
  }
  return match;
}

function macOf(secret, text) {
  return createHmac('sha256', secret).update(text).digest();
}

function encoded(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(part) {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
