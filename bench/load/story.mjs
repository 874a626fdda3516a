// The requests of a login, as a client without a browser sends them.
import { PASSWORD } from './population.mjs';
import { requestText } from './connection.mjs';

/** Returns the `mfa_token`. */
export async function passwordStep(connection, user) {
  const body = { id: user.id, pw: PASSWORD };
  const answer = await connection.send(requestText('POST', '/login', { body, headers: from(user) }));
  return memberOf(answer, 'mfa_token');
}

/** Returns the refresh token. */
export async function secondStep(connection, user, mfaToken, code) {
  const answer = await secondAnswer(connection, user, mfaToken, code);
  memberOf(answer, 'access_token');
  return refreshTokenOf(answer);
}

export async function fullLogin(connection, population) {
  const user = population.next();
  const mfaToken = await passwordStep(connection, user);
  return secondStep(connection, user, mfaToken, population.takeCode(user));
}

/** Runs a full login and returns its access token. */
export async function accessToken(connection, population) {
  const user = population.next();
  const mfaToken = await passwordStep(connection, user);
  return memberOf(await secondAnswer(connection, user, mfaToken, population.takeCode(user)), 'access_token');
}

/** Returns the rotated refresh token. */
export async function refresh(connection, refreshToken) {
  const headers = { Cookie: `refresh_token=${refreshToken}` };
  const answer = await connection.send(requestText('POST', '/token/refresh', { headers }));
  memberOf(answer, 'access_token');
  return refreshTokenOf(answer);
}

/** The route that only responds. */
export async function trivial(connection) {
  const { status } = await connection.send(requestText('GET', '/'));
  if (status !== 200) throw new Error(`GET / answered ${status}`);
}

function secondAnswer(connection, user, mfaToken, code) {
  const body = { mfa_token: mfaToken, code };
  return connection.send(requestText('POST', '/login/2fa', { body, headers: from(user) }));
}

function from(user) {
  return { 'X-Forwarded-For': user.address };
}

function memberOf(answer, member) {
  // Cheaper than reading the whole body as JSON.
  const value = new RegExp(`"${member}":"([^"]+)"`).exec(answer.body)?.[1];
  if (answer.status !== 200 || value === undefined) {
    throw new Error(`expected 200 with ${member}, but got ${answer.status}: ${answer.body.slice(0, 500)}`);
  }
  return value;
}

function refreshTokenOf({ head }) {
  const value = /\r\nset-cookie: *refresh_token=([^;\r]+)/i.exec(head)?.[1];
  if (value === undefined) throw new Error('the answer sets no refresh cookie');
  return value;
}
