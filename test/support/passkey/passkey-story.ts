import { expect } from 'vitest';
import { type Answer, type HttpClient, textOf, textsOf } from '../http/http-client.js';
import { AuthenticatorApp } from '../login/authenticator-app.js';
import type { Enrolled, EventRow, LoginStory, Person, SignedIn } from '../login/login-story.js';
import type { Site } from './hostile-passkey-messages.js';
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

/** An authenticator as `GET /2fa` lists it. */
export interface ListedAuthenticator {
  readonly id: string;
  readonly type: 'passkey' | 'totp';
  readonly name?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
  readonly synced?: boolean;
}

/** Credentials of a caller: an access token or an `mfa_token`, or none with a session cookie. */
export interface Caller {
  readonly bearer?: string;
}

/** Passkeys of the users of a story. */
export class PasskeyStory {
  /** `publicSite` is that of the public URL, if the services have one. */
  constructor(
    private readonly story: LoginStory,
    private readonly publicSite?: Site,
  ) {}

  /** The site of the services: browsers use passkeys at `localhost`, not at an IP address. */
  get site(): Site {
    const { port } = new URL(this.story.service.url);
    return this.publicSite ?? { rpId: 'localhost', origin: `http://localhost:${port}` };
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

  /** Adds an authenticator app beside the passkey; its first code must be the next one. */
  async withApp(holder: PasskeyHolder): Promise<PasskeyHolder & Pick<Enrolled, 'app'>> {
    const { client, accessToken: bearer } = await this.signIn(holder);
    const setup = ok(await client.post('/2fa/setup', { add: true }, { bearer }), 201);
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const code = this.story.nextCode({ app });
    const confirmed = ok(await client.post('/2fa/confirm', { code }, { bearer }), 200);
    return { ...holder, app, client, accessToken: textOf(confirmed, 'access_token') };
  }

  /** The authenticators that `GET /2fa` lists. */
  async authenticatorsOf(client: HttpClient, caller: Caller): Promise<readonly ListedAuthenticator[]> {
    const { authenticators } = ok(await client.get('/2fa', caller), 200).body;
    return authenticators as readonly ListedAuthenticator[];
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

  /** The rows of now, for `expectRefused`. */
  async snapshot(): Promise<Snapshot> {
    // One query, since every query has a connection of its own.
    const rows = await this.story.database.query<{ last_event: string | null }>(SNAPSHOT);
    const isKept = ([name]: [string, unknown]): boolean => !OF_ATTEMPTS.includes(name);
    const stored = rows.map((row) => Object.fromEntries(Object.entries(row).filter(isKept)));
    return { stored, lastEvent: rows[0]?.last_event ?? '' };
  }

  /** Kind and reason of the events since a snapshot. */
  async eventsSince({ lastEvent }: Snapshot): Promise<Events> {
    const sql = 'SELECT kind, reason FROM security_event WHERE id > ? ORDER BY id';
    const rows = await this.story.database.query<Pick<EventRow, 'kind' | 'reason'>>(sql, [lastEvent]);
    return rows.map(({ kind, reason }) => [kind, reason]);
  }

  /** Expects that a request is refused, records these events and changes neither a passkey nor an account. */
  async expectRefused(send: () => Promise<Answer>, { status, code, events }: Refusal): Promise<void> {
    const before = await this.snapshot();

    expect(await send()).toBeRefused(status, code);

    expect(await this.eventsSince(before)).toEqual(events);
    expect((await this.snapshot()).stored).toEqual(before.stored);
  }
}

/** The response to a request that is refused, and its events. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly events: Events;
}

type Events = readonly (readonly [kind: string, reason: string | null])[];

interface Snapshot {
  /** Passkeys and accounts, without the counters of attempts. */
  readonly stored: unknown;
  readonly lastEvent: string;
}

const SNAPSHOT = `SELECT account.*, passkey.*, (SELECT MAX(id) FROM security_event) AS last_event
  FROM account LEFT JOIN passkey ON passkey.user_id = account.id ORDER BY account.id, passkey.id`;
/** Columns that an attempt changes, whatever it is worth. */
const OF_ATTEMPTS = [
  'failures',
  'failures_in_row',
  'last_attempt_at',
  'last_attempt_id',
  'clock_skew_at',
  'last_event',
];

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
