// (d) Requests of OpenID Connect that nobody should send, from many addresses, at an open door: an application is configured.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { URLSearchParams } from 'node:url';
import { requestText } from '../load/connection.mjs';
import { CHEAP, Stand } from '../target/stand.mjs';
import { addressOf } from './attempts.mjs';
import { watchedAttack } from './watched.mjs';

const REQUESTS = 300_000;
const CLIENT = 'app.security.clients.attacked';
const REDIRECT_URI = 'https://attacked.example/callback';
const APPLICATION = [`${CLIENT}.public=true`, `${CLIENT}.redirect-uris=${REDIRECT_URI}`].map((key) => `--${key}`);
const RESPONSES = new Set([200, 201, 302, 303, 400, 401, 403, 405, 413, 415, 429]);

const garbage = (bytes) => randomBytes(bytes).toString('base64url');
const token = () => `${garbage(30)}.${garbage(120)}.${garbage(64)}`;
const query = (fields) => new URLSearchParams(fields).toString();
const form = (path, fields) => ({ method: 'POST', path, form: query(fields) });
const valid = () => ({
  ...{ response_type: 'code', client_id: 'attacked', redirect_uri: REDIRECT_URI, scope: 'openid', state: garbage(16) },
  ...{ code_challenge: garbage(32), code_challenge_method: 'S256' },
});

/** One request of each kind: what is stored for a sign-in, what is rejected early, and what needs a query. */
const KINDS = [
  () => ({ method: 'GET', path: `/authorize?${query(valid())}` }),
  () => ({ method: 'GET', path: `/authorize?${query({ ...valid(), redirect_uri: `https://${garbage(9)}.example` })}` }),
  () => ({ method: 'GET', path: `/authorize?${query({ ...valid(), claims: `{"id_token":${garbage(400)}` })}` }),
  () => ({
    method: 'GET',
    path: `/authorize?client_id=attacked&request_uri=urn:ietf:params:oauth:request_uri:${garbage(32)}`,
  }),
  () => form('/par', valid()),
  () => form('/par', { [garbage(6)]: garbage(2000) }),
  () =>
    form('/token', {
      grant_type: 'authorization_code',
      client_id: 'attacked',
      code: garbage(32),
      redirect_uri: REDIRECT_URI,
    }),
  () => form('/token', { grant_type: 'refresh_token', client_id: 'attacked', refresh_token: garbage(64) }),
  () =>
    form('/token', { grant_type: 'client_credentials', client_assertion: token(), client_assertion_type: garbage(8) }),
  () => ({ method: 'GET', path: '/userinfo', headers: { Authorization: `Bearer ${token()}` } }),
  () => ({ method: 'GET', path: `/end-session?${query({ id_token_hint: token(), state: garbage(20) })}` }),
  () => form('/end-session', { [garbage(5)]: garbage(3000) }),
];

export async function garbagePart({ folder }) {
  const stand = await Stand.withUsers({ folder: join(folder, 'garbage'), size: 1, cost: CHEAP });
  await watchedAttack(
    stand,
    'requests of garbage',
    async (crowd) => {
      await crowd.each(Array(REQUESTS).keys(), async (connection, index) => {
        const { status, body } = await connection.send(textOf(KINDS[index % KINDS.length](), index));
        if (!RESPONSES.has(status)) throw new Error(`got ${status}: ${body.slice(0, 500)}`);
      });
      return REQUESTS;
    },
    APPLICATION,
  );
}

function textOf({ method, path, form: body, headers }, index) {
  return requestText(method, path, { form: body, headers: { ...headers, ...addressOf(index) } });
}
