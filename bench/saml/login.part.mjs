// (b) Complete logins per second over HTTP, request and response, of new and of returning users. The work of the identity
// provider in between is not counted.
import { Buffer } from 'node:buffer';
import { URLSearchParams } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import { Connection, requestText } from '../load/connection.mjs';
import { inTurns, medianRate } from '../turns.mjs';
import { startService } from '../target/program.mjs';
import { ENTITY_ID, IdentityProvider, makeKeyPair, SSO_URL } from './identity-provider.mjs';
import { BASE, PARTIES } from './verification.mjs';

const CLIENTS = 16;
const LOGINS = 20 * CLIENTS;
const ROUNDS = 5;

export async function loginPart({ folder }) {
  const idpKeys = makeKeyPair(folder, 'idp-of-logins');
  const idp = new IdentityProvider(idpKeys);
  const keys = { 'entity-id': ENTITY_ID, 'sso-url': SSO_URL, certificates: `file:${idpKeys.certificateFile}` };
  const settings = [
    `--app.security.public-url=${BASE}`,
    ...Object.entries(keys).map(([key, value]) => `--app.security.saml.idp.corp.${key}=${value}`),
  ];
  const program = await startService({ cwd: folder, settings });
  const connections = await Promise.all(Array.from({ length: CLIENTS }, () => Connection.open(program.address)));
  let met = 0;
  const newcomers = () => Array.from({ length: LOGINS }, () => `person-${(met += 1)}`);
  const regulars = newcomers();
  try {
    await signIn(connections, idp, regulars);
    const { first, again } = await inTurns(
      { first: () => signIn(connections, idp, newcomers()), again: () => signIn(connections, idp, regulars) },
      { rounds: ROUNDS },
    );
    medianRate('logins of newcomers', first);
    medianRate('logins of those known', again);
  } finally {
    for (const connection of connections) connection.close();
    await program.stop();
  }
}

async function signIn(connections, idp, people) {
  const start = performance.now();
  const departures = await each(connections, people, (connection) => depart(connection));
  const departed = performance.now();
  const forms = departures.map(({ id, relayState, mark }, index) => {
    const response = idp.response({ ...PARTIES, inResponseTo: id, person: people[index] });
    return { mark, body: new URLSearchParams({ SAMLResponse: response, RelayState: relayState }).toString() };
  });
  const signed = performance.now();
  await each(connections, forms, arrive);
  const millis = departed - start + performance.now() - signed;
  return { rate: (1000 * people.length) / millis };
}

/** Runs `act` for each item, on all connections, one item per connection at a time. */
async function each(connections, items, act) {
  const results = [];
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let index = next++; index < items.length; index = next++)
        results[index] = await act(connection, items[index]);
    }),
  );
  return results;
}

async function depart(connection) {
  const { status, head } = await connection.send(requestText('GET', '/saml/corp/login'));
  const location = /\r\nlocation: (\S+)/i.exec(head)?.[1];
  const mark = /saml_request=([^;]+)/.exec(head)?.[1];
  if (status !== 303 || location === undefined) throw new Error(`GET /saml/corp/login answered ${status}`);
  const query = new URL(location).searchParams;
  const request = inflateRawSync(Buffer.from(query.get('SAMLRequest'), 'base64')).toString();
  return { id: /\bID="([^"]+)"/.exec(request)[1], relayState: query.get('RelayState'), mark };
}

async function arrive(connection, { mark, body }) {
  const head =
    `POST /saml/corp/acs HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: saml_request=${mark}\r\n` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const { status, body: text } = await connection.send(head + body);
  if (status !== 303) throw new Error(`POST /saml/corp/acs answered ${status} ${text}`);
}
