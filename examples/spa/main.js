import { UserManager } from 'oidc-client-ts';

const {
  VITE_ISSUER: issuer = 'http://localhost:8080',
  VITE_CLIENT_ID: clientId = 'example-spa',
  VITE_API: api = 'http://localhost:3001',
} = import.meta.env;

/** A public client with PKCE. Tokens are in the session storage of this tab; the refresh token renews them before they expire. */
const users = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid profile',
  loadUserInfo: true,
});

/** Calls the API. If it wants more proof, the user signs in with that, and the call is repeated once. */
async function call(method, path, isRepeated = false) {
  const user = await users.getUser();
  const headers = { authorization: `Bearer ${user?.access_token}` };
  const response = await fetch(api + path, { method, headers });
  const demands = demandsOf(response);
  if (demands && !isRepeated) return users.signinRedirect({ ...demands, state: { method, path } });
  show(response.ok ? await response.text() : demands ? 'Please set up an authenticator app.' : 'Please sign in.');
}

/** Parameters of an authorization request that meets the challenge of a response (RFC 9470), if there is one. */
function demandsOf(response) {
  const challenge = response.headers.get('www-authenticate') ?? '';
  if (!challenge.includes('error="insufficient_user_authentication"')) return undefined;
  const valueOf = (name) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
  const maxAge = valueOf('max_age');
  return { acr_values: valueOf('acr_values'), ...(maxAge && { max_age: Number(maxAge) }) };
}

/** Ends a sign-in that has led back here, and repeats the call that it was for. */
async function endSignIn() {
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has('state')) return;
  try {
    if (!parameters.has('code') && !parameters.has('error')) return await users.signoutRedirectCallback();
    const { state } = await users.signinRedirectCallback();
    if (state) await call(state.method, state.path, true);
  } catch (error) {
    show(`The sign-in has failed: ${error.message}`);
  } finally {
    history.replaceState(undefined, '', '/');
  }
}

async function showUser() {
  const user = await users.getUser();
  document.querySelector('#user').textContent = user ? `Signed in as ${user.profile.preferred_username}` : 'Signed out';
}

function show(text) {
  document.querySelector('#result').textContent = text;
}

function onClick(button, action) {
  document.querySelector(`#${button}`).addEventListener('click', action);
}

onClick('sign-in', () => users.signinRedirect());
onClick('balance', () => call('GET', '/balance'));
onClick('pay', () => call('POST', '/payments'));
onClick('renew', async () => {
  await users.signinSilent();
  show('Renewed');
});
onClick('sign-out', () => users.signoutRedirect());

await endSignIn();
await showUser();
