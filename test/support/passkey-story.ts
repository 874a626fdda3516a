import { type Answer, type HttpClient, textOf, textsOf } from './http-client.js';
import type { LoginStory, Person, SignedIn } from './login-story.js';
import { type AssertionOverrides, type AuthenticatorOptions, SoftwareAuthenticator } from './passkey-authenticator.js';
import type { AssertionJson, CreationOptionsJson, RequestOptionsJson } from './passkey-messages.js';

/** A user with a passkey as the only authenticator, and the session in which it was registered. */
export interface PasskeyHolder extends Person {
  readonly authenticator: SoftwareAuthenticator;
  /** The id of the passkey at the service. */
  readonly passkeyId: string;
  readonly backupCodes: readonly string[];
  readonly client: HttpClient;
  readonly accessToken: string;
}

/** Credentials of a caller: an access token or an `mfa_token`, or none with a session cookie. */
export interface Caller {
  readonly bearer?: string;
}

/** Passkeys of the users of a story. */
export class PasskeyStory {
  constructor(private readonly story: LoginStory) {}

  /** The site of the services: browsers use passkeys at `localhost`, not at an IP address. */
  get site(): { readonly rpId: string; readonly origin: string } {
    return { rpId: 'localhost', origin: `http://localhost:${new URL(this.story.service.url).port}` };
  }

  authenticator(options: Partial<AuthenticatorOptions> = {}): SoftwareAuthenticator {
    return new SoftwareAuthenticator({ ...this.site, ...options });
  }

  /** Registers a passkey, which must succeed. */
  async register(
    client: HttpClient,
    caller: Caller,
    authenticator = this.authenticator(),
    more: { readonly name?: string; readonly options?: object } = {},
  ): Promise<Answer> {
    const { options = {}, ...members } = more;
    const creation = await creationOptions(client, caller, options);
    const credential = authenticator.register(creation);
    return ok(await client.post('/2fa/passkeys', { credential, ...members }, caller), 201);
  }

  /** A new user whose first authenticator is a passkey. */
  async holder(options: Partial<AuthenticatorOptions> = {}): Promise<PasskeyHolder> {
    const person = this.story.person();
    const authenticator = this.authenticator(options);
    const { client, accessToken } = await this.story.signInByPassword(person);
    const answer = await this.register(client, { bearer: accessToken }, authenticator);
    const [passkeyId, backupCodes] = [textOf(answer, 'id'), textsOf(answer, 'backup_codes')];
    return { ...person, authenticator, passkeyId, backupCodes, client, accessToken };
  }

  /** Asks for a challenge and responds to it. */
  async assertion(
    client: HttpClient,
    caller: Caller,
    authenticator: SoftwareAuthenticator,
    overrides?: AssertionOverrides,
  ): Promise<AssertionJson> {
    return authenticator.assert(await requestOptions(client, caller), overrides);
  }

  /** Login in two steps, the second one by the passkey; must succeed. */
  async signIn(
    holder: Pick<PasskeyHolder, 'id' | 'password' | 'authenticator'>,
    client = this.story.client(),
  ): Promise<SignedIn> {
    const bearer = await this.story.mfaToken(holder, client);
    const credential = await this.assertion(client, { bearer }, holder.authenticator);
    const answer = ok(await assert(client, { bearer }, credential), 200);
    return { client, accessToken: textOf(answer, 'access_token'), answer };
  }

  /** What a rejected response must not change: the passkeys and the accounts, except for their counters of attempts. */
  async stored(): Promise<unknown> {
    const { database } = this.story;
    const passkeys = await database.query('SELECT * FROM passkey ORDER BY id');
    const accounts = await database.query<object>('SELECT * FROM account ORDER BY id');
    const isKept = ([name]: [string, unknown]): boolean => !OF_ATTEMPTS.includes(name);
    return { passkeys, accounts: accounts.map((row) => Object.fromEntries(Object.entries(row).filter(isKept))) };
  }
}

/** Columns of an account that an attempt changes, whatever it is worth. */
const OF_ATTEMPTS = ['failures', 'failures_in_row', 'last_attempt_at', 'last_attempt_id', 'clock_skew_at'];

export async function creationOptions(
  client: HttpClient,
  caller: Caller,
  body: object = {},
): Promise<CreationOptionsJson> {
  const answer = ok(await client.post('/2fa/passkeys/registration/options', body, caller), 201);
  return answer.body as unknown as CreationOptionsJson;
}

export async function requestOptions(client: HttpClient, caller: Caller): Promise<RequestOptionsJson> {
  const answer = ok(await client.post('/2fa/passkeys/assertion/options', {}, caller), 201);
  return answer.body as unknown as RequestOptionsJson;
}

export function assert(
  client: HttpClient,
  caller: Caller,
  credential: AssertionJson,
  more: object = {},
): Promise<Answer> {
  return client.post('/2fa/passkeys/assertion', { credential, ...more }, caller);
}

function ok(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`);
  return answer;
}
