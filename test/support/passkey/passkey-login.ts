import type { Answer, HttpClient } from '../http/http-client.js';
import type { AssertionOverrides, SoftwareAuthenticator } from './passkey-authenticator.js';
import type { AssertionJson, RequestOptionsJson } from './passkey-messages.js';

/** Options of a sign-in by passkey alone, for which the client shows no credentials. */
export async function signInOptions(client: HttpClient): Promise<RequestOptionsJson> {
  const answer = await client.post('/login/passkey/options', {});
  if (answer.status !== 200) throw new Error(`${answer.status} instead of 200: ${answer.text}`);
  return answer.body as unknown as RequestOptionsJson;
}

/** Sends an assertion of a sign-in by passkey alone. */
export function sendSignIn(client: HttpClient, credential: AssertionJson, more: object = {}): Promise<Answer> {
  return client.post('/login/passkey', { credential, ...more });
}

/** Asks for options and signs in with a passkey alone. */
export async function signInByPasskey(
  client: HttpClient,
  authenticator: SoftwareAuthenticator,
  overrides: AssertionOverrides = {},
): Promise<Answer> {
  return sendSignIn(client, authenticator.assert(await signInOptions(client), overrides));
}
