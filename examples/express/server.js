import { randomUUID } from 'node:crypto';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';

const { ISSUER = 'http://localhost:8080', CLIENT_ID = 'example', CLIENT_SECRET, PORT = '3000' } = process.env;
const url = `http://localhost:${PORT}`;
const ACR_MFA = 'urn:login:acr:mfa';

// Only for a service on this machine: without it, openid-client demands https.
const execute = ISSUER.startsWith('http://localhost:') ? [client.allowInsecureRequests] : [];
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, { execute });
const { issuer, jwks_uri } = config.serverMetadata();
const keys = createRemoteJWKSet(new URL(jwks_uri));

/** Sessions by the value of the cookie. An application with several processes keeps them in a shared store. */
const sessions = new Map();
const cookie = { httpOnly: true, sameSite: 'lax', secure: url.startsWith('https:') };

function sessionOf({ headers }) {
  return sessions.get(/(?:^|; )session=([^;]+)/.exec(headers.cookie ?? '')?.[1]);
}

/** A new id at each sign-in, so that nobody knows the id of a session that another person has begun. */
function openSession(response, session) {
  const id = randomUUID();
  sessions.set(id, session);
  response.cookie('session', id, cookie);
}

function closeSessions(isOver) {
  for (const [id, session] of sessions) if (isOver(session)) sessions.delete(id);
}

/** Admits users who have entered a one-time code; all others sign in with one. */
async function requireOtp(request, response, next) {
  const session = sessionOf(request);
  if (!session?.claims) return signIn(request, response);
  if (session.claims.amr.includes('otp')) return next();
  response.status(403).send('Please set up an authenticator app, then sign in again. <a href="/sign-in">Sign in</a>');
}

async function signIn(request, response) {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  openSession(response, { verifier, state, nonce, returnTo: request.path === '/sign-in' ? '/' : request.path });
  const to = client.buildAuthorizationUrl(config, {
    redirect_uri: `${url}/callback`,
    scope: 'openid profile',
    acr_values: ACR_MFA,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  response.redirect(to.href);
}

const app = express();

app.get('/', (request, response) => {
  response.send('<a href="/payments">Payments</a>');
});

app.get('/sign-in', signIn);

app.get('/callback', async (request, response) => {
  const begun = sessionOf(request);
  if (!begun?.state) return response.redirect('/');
  const tokens = await client.authorizationCodeGrant(config, new URL(request.originalUrl, url), {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
  });
  const claims = tokens.claims();
  const { preferred_username: name } = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  closeSessions((session) => session === begun);
  openSession(response, { claims, name, idToken: tokens.id_token });
  response.redirect(begun.returnTo);
});

app.get('/payments', requireOtp, (request, response) => {
  const { name } = sessionOf(request);
  const safe = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  response.send(`Payments of ${safe} <form method="post" action="/sign-out"><button>Sign out</button></form>`);
});

app.post('/sign-out', (request, response) => {
  const ended = sessionOf(request);
  closeSessions((session) => session === ended);
  response.clearCookie('session', cookie);
  const to = client.buildEndSessionUrl(config, {
    post_logout_redirect_uri: `${url}/`,
    ...(ended?.idToken && { id_token_hint: ended.idToken }),
  });
  response.redirect(303, to.href);
});

/** OpenID Connect Back-Channel Logout: the service tells of a session that has ended there. */
app.post('/backchannel-logout', express.urlencoded({ extended: false }), async (request, response) => {
  const verified = await jwtVerify(request.body.logout_token, keys, {
    issuer,
    audience: CLIENT_ID,
    typ: 'logout+jwt',
    requiredClaims: ['iat', 'jti', 'events'],
  }).catch(() => undefined);
  const { sid, sub, events = {}, nonce } = verified?.payload ?? {};
  const isLogout = 'http://schemas.openid.net/event/backchannel-logout' in events && nonce === undefined;
  if (!isLogout) return response.status(400).set('cache-control', 'no-store').end();
  closeSessions(({ claims }) => claims && (sid === undefined ? claims.sub === sub : claims.sid === sid));
  response.set('cache-control', 'no-store').end();
});

// A sign-in that the user or the service has ended, or that belongs to another browser.
app.use((error, request, response, next) => {
  if (response.headersSent) return next(error);
  console.error(error);
  response.status(400).send('The sign-in has failed. <a href="/sign-in">Try again</a>');
});

app.listen(Number(PORT), '127.0.0.1');
