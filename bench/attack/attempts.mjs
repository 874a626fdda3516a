// Requests of attackers, each of whom has an address that no other one has.
import { requestText } from '../load/connection.mjs';
import { loginIdOf, PASSWORD } from '../load/population.mjs';
import { codeOf, STEP_SECONDS } from '../load/totp.mjs';

/** One of this many wrong passwords is for a login id that exists. */
const KNOWN_EVERY = 10;
/** More than the window has steps, so that one of them is wrong at any time. */
const CODES = ['000000', '000001', '000002', '000003', '000004', '000005'];

/** The number of users that so many wrong passwords need. */
export function usersFor(attempts) {
  return Math.ceil(attempts / KNOWN_EVERY);
}

export function wrongPassword(index) {
  const isKnown = index % KNOWN_EVERY === 0;
  const id = isKnown ? loginIdOf(index / KNOWN_EVERY) : `nobody.${index}@attacked.example`;
  return loginText(index, { id, pw: `${PASSWORD}!` });
}

export function rightPassword(index) {
  return loginText(index, { id: loginIdOf(index), pw: PASSWORD });
}

/** A code that no step around the current one has; all users of the benches have the same secret. */
export function wrongCode(index, mfaToken) {
  const step = Math.floor(Date.now() / 1000 / STEP_SECONDS);
  const right = [-2, -1, 0, 1, 2].map((skew) => codeOf(step + skew));
  const code = CODES.find((each) => !right.includes(each));
  return requestText('POST', '/login/2fa', { body: { mfa_token: mfaToken, code }, headers: addressOf(index) });
}

function loginText(index, body) {
  return requestText('POST', '/login', { body, headers: addressOf(index) });
}

/** Half of the addresses are from the benchmark network (RFC 2544), half are IPv6 networks (RFC 3849). */
export function addressOf(index) {
  const half = index >> 1;
  const address =
    index % 2 === 0
      ? `198.${18 + ((half >> 16) & 1)}.${(half >> 8) & 255}.${half & 255}`
      : `2001:db8:${(half >> 16).toString(16)}:${(half & 65_535).toString(16)}::1`;
  return { 'X-Forwarded-For': address };
}
