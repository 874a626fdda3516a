import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll } from 'vitest';
import { AuthenticatorApp } from './authenticator-app.js';
import type { Engine, StoryDatabase } from '../database/story-database.js';
import { type Answer, HttpClient, textOf, textsOf } from '../http/http-client.js';
import { MovedClock } from '../programs/moved-clock.js';
import { type Ended, type RunningService, runCli, startService, THIS_BUILD } from '../programs/service.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import '../runner/matchers.js';

export interface Person {
  /** The login id. */
  readonly id: string;
  readonly password: string;
}

/** A user with an active second factor, and the session in which it was confirmed. */
export interface Enrolled extends Person {
  readonly app: AuthenticatorApp;
  readonly backupCodes: readonly string[];
  readonly client: HttpClient;
  readonly accessToken: string;
}

/** A full login: the client with the refresh cookie, and the access token. */
export interface SignedIn {
  readonly client: HttpClient;
  readonly accessToken: string;
  readonly answer: Answer;
}

export interface EventRow {
  readonly kind: string;
  readonly user_id: string | null;
  readonly actor: string | null;
  readonly result: string;
  readonly reason: string | null;
  readonly amr: string | null;
  readonly ip: string | null;
  readonly agent: string | null;
  readonly request_id: string | null;
  readonly detail: string | null;
  readonly at: number;
}

export interface StoryOptions {
  /** Additional arguments of the services. */
  readonly args?: readonly string[];
  /** Number of accounts that are imported before the first start. */
  readonly people?: number;
  /** Additional accounts of the import: login id, then roles. */
  readonly others?: Readonly<Record<string, string>>;
  /** Number of services that share the database. */
  readonly services?: number;
  /** Enables the throttle of wrong passwords and the limits of routes, as by default. */
  readonly throttled?: boolean;
  /** Additional arguments of Node itself. */
  readonly nodeArguments?: readonly string[];
  /** Starts each service in a process of its own. */
  readonly isAlone?: boolean;
  /** The folder of another build for its commands and its first services. */
  readonly build?: string;
}

export const PASSWORD = 'seven quiet lanterns & 1 harbour';

/** The cheapest hash: the stories do not depend on its cost. */
const CHEAP = { memoryCost: 1024, timeCost: 1, parallelism: 1 };
const CHEAP_ARGS = [
  '--app.security.password.hash.memory=1MB',
  '--app.security.password.hash.iterations=1',
  '--app.security.password.hash.parallelism=1',
  '--app.security.password.import.min-hash=any',
];
/** The machine of the tests may be busy, which must not reject their bursts of logins; other tests cover the limit. */
const PATIENT = ['--server.embedded.target-response-time=0'];
const WITH_LONG_QUEUE = ['--server.embedded.max-wait=1m', '--server.embedded.accept-count=1000'];
/**
 * Their clients send one access token everywhere, as before resources could be requested; `audiences.e2e-spec.ts` covers the
 * audience that the service demands by default.
 */
const ONE_AUDIENCE = ['--app.security.token.accept-resource-api=true'];
/** All clients have one address; other tests cover the rate limit. */
const UNTHROTTLED = ['--app.security.rate-limit.enabled=false'];
/** The clock stands still, so that the first window of a limit would not end before the test file does. */
const UNLIMITED = ['sign-in.per-address', 'second-factor.per-address', 'second-factor.per-session', 'sso.per-address']
  .concat('recovery.per-address', 'administration.per-session')
  .map((key) => `--app.security.rate-limit.${key}=off`);

/** The service of a test file with its database, its clock and its users. */
export class LoginStory {
  readonly clock = new MovedClock();
  readonly cwd = temporaryFolder('story');
  private readonly running: RunningService[] = [];
  private opened: StoryDatabase | undefined;
  private met = 0;

  constructor(
    private readonly engine: Engine,
    private readonly options: StoryOptions,
  ) {}

  get database(): StoryDatabase {
    if (!this.opened) throw new Error('the story has not begun');
    return this.opened;
  }

  /** The arguments of its services, for a service that a test starts itself. */
  get args(): readonly string[] {
    return this.argsWith([]);
  }

  get service(): RunningService {
    return this.at(0);
  }

  get services(): readonly RunningService[] {
    return this.running;
  }

  async begin(): Promise<void> {
    this.opened = await this.engine.freshDatabase();
    await this.importPeople();
    // One after the other, so that the first one creates the signing keys.
    for (let number = 0; number < (this.options.services ?? 1); number += 1) {
      this.running.push(await this.start(number));
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.running.map((service) => service.release()));
  }

  /** Restarts the stopped or killed service of that number on the same database with `more` arguments. */
  async restart(more: readonly string[] = [], service = 0): Promise<void> {
    // A new process, so that nothing but the database can have kept what the test finds.
    this.running[service] = await this.start(service, this.clock, more, true);
  }

  /** Starts another service on the same database, with its own clock or of another build. */
  async join(clock: MovedClock, build = this.build): Promise<RunningService> {
    const service = await this.start(this.running.length, clock, [], undefined, build);
    this.running.push(service);
    return service;
  }

  /** A new browser at the service of that number. */
  client(service = 0): HttpClient {
    return new HttpClient(this.at(service).url);
  }

  /** An unused account without a second factor. */
  person(): Person {
    this.met += 1;
    if (this.met > this.people) throw new Error(`the story has ${this.people} people: ask for more in its options`);
    return { id: nameOf(this.met), password: PASSWORD };
  }

  /** Runs one command on the database of the story. */
  command(...args: readonly string[]): Promise<Ended> {
    const { nodeArguments } = this.clock;
    return runCli([...args, ...this.argsWith([])], { cwd: this.cwd, nodeArguments, build: this.build });
  }

  async subjectOf({ id }: Pick<Person, 'id'>): Promise<string> {
    const [account] = await this.database.query<{ id: string }>('SELECT id FROM account WHERE login_id = ?', [id]);
    if (!account) throw new Error(`no account ${id}`);
    return account.id;
  }

  /** The security events of an account, oldest first. */
  async events(person: Pick<Person, 'id'>): Promise<readonly EventRow[]> {
    return this.database.query<EventRow>('SELECT * FROM security_event WHERE user_id = ? ORDER BY id', [
      await this.subjectOf(person),
    ]);
  }

  async countOf(person: Pick<Person, 'id'>, kind: string): Promise<number> {
    return (await this.events(person)).filter((event) => event.kind === kind).length;
  }

  /** Password step, which must succeed. */
  async login(person: Person, client = this.client()): Promise<Answer> {
    const answer = await client.post('/login', { id: person.id, pw: person.password });
    if (answer.status !== 200) throw new Error(`POST /login → ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Password step of a user with a second factor. */
  async mfaToken(person: Person, client = this.client()): Promise<string> {
    return textOf(await this.login(person, client), 'mfa_token');
  }

  /** Login by password, of a user without a second factor. */
  async signInByPassword(person: Person, client = this.client()): Promise<SignedIn> {
    const answer = await this.login(person, client);
    return { client, accessToken: textOf(answer, 'access_token'), answer };
  }

  /** Login in two steps, with the code of the next TOTP step. */
  async signIn(person: Enrolled, client = this.client(), more: object = {}): Promise<SignedIn> {
    const code = this.nextCode(person);
    const answer = await secondStep(client, await this.mfaToken(person, client), code, more);
    if (answer.status !== 200) throw new Error(`POST /login/2fa → ${answer.status} ${answer.text}`);
    return { client, accessToken: textOf(answer, 'access_token'), answer };
  }

  /** Adds an authenticator app to the second factor, which the login has just proven. */
  async addApp({ client, accessToken: bearer }: Omit<SignedIn, 'answer'>, name?: string): Promise<AuthenticatorApp> {
    const setup = await client.post('/2fa/setup', { add: true, ...(name !== undefined && { name }) }, { bearer });
    if (setup.status !== 201) throw new Error(`POST /2fa/setup → ${setup.status} ${setup.text}`);
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const confirmed = await client.post('/2fa/confirm', { code: this.nextCode({ app }) }, { bearer });
    if (confirmed.status !== 200) throw new Error(`POST /2fa/confirm → ${confirmed.status} ${confirmed.text}`);
    return app;
  }

  /** A user with an active second factor. */
  async enrolled(person = this.person(), client = this.client()): Promise<Enrolled> {
    const { accessToken } = await this.signInByPassword(person, client);
    const setup = await client.post('/2fa/setup', {}, { bearer: accessToken });
    if (setup.status !== 201) throw new Error(`POST /2fa/setup → ${setup.status} ${setup.text}`);
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const confirmed = await client.post('/2fa/confirm', { code: this.codeOf(app) }, { bearer: accessToken });
    if (confirmed.status !== 200) throw new Error(`POST /2fa/confirm → ${confirmed.status} ${confirmed.text}`);
    const raised = textOf(confirmed, 'access_token');
    return { ...person, app, backupCodes: textsOf(setup, 'backup_codes'), client, accessToken: raised };
  }

  /** The current code of the authenticator app. */
  codeOf(app: AuthenticatorApp, stepsLater = 0): string {
    return app.codeAt(this.clock.seconds, stepsLater);
  }

  /** Moves the clock to the next TOTP step, which is unused, and returns its code. */
  nextCode({ app }: Pick<Enrolled, 'app'>): string {
    this.clock.nextStep();
    return this.codeOf(app);
  }

  /** A code that is wrong now and for three minutes; each `variant` is another code. */
  wrongCode({ app }: Pick<Enrolled, 'app'>, variant = 0): string {
    return app.wrongCodeAt(this.clock.seconds, variant);
  }

  /** Sends five wrong codes, which lock the user. */
  async lock(person: Enrolled, client = this.client()): Promise<void> {
    const token = await this.mfaToken(person, client);
    for (let variant = 0; variant < 5; variant += 1) {
      const answer = await secondStep(client, token, this.wrongCode(person, variant));
      if (answer.status !== 401) throw new Error(`wrong code ${variant + 1} → ${answer.status} ${answer.text}`);
    }
  }

  private get build(): string {
    return this.options.build ?? THIS_BUILD;
  }

  private get people(): number {
    return this.options.people ?? 40;
  }

  /** Arguments of the story; `more` overrides equal keys. */
  private argsWith(more: readonly string[], service?: number, build = this.build): readonly string[] {
    const { args = [], throttled = false } = this.options;
    // Another build may not know the limits of routes, the longest wait, or several audiences.
    const isOwnBuild = build === THIS_BUILD;
    const free = isOwnBuild ? [...UNTHROTTLED, ...UNLIMITED] : UNTHROTTLED;
    const patient = isOwnBuild ? [...PATIENT, ...WITH_LONG_QUEUE] : PATIENT;
    const audience = isOwnBuild ? ONE_AUDIENCE : [];
    const ranked = [[...CHEAP_ARGS, ...audience, ...patient, ...(throttled ? [] : free)], args, more].flat();
    const byKey = new Map(ranked.map((argument) => [argument.replace(/=.*/s, ''), argument]));
    const { args: ofDatabase, argsAt } = this.database;
    return [...(service === undefined || !argsAt ? ofDatabase : argsAt(service)), ...byKey.values()];
  }

  private at(index: number): RunningService {
    const service = this.running[index];
    if (!service) throw new Error(`the story has no service ${index}`);
    return service;
  }

  private start(
    service: number,
    clock = this.clock,
    more: readonly string[] = [],
    isAlone = this.options.isAlone ?? false,
    build = this.build,
  ): Promise<RunningService> {
    const nodeArguments = [...clock.nodeArguments, ...(this.options.nodeArguments ?? [])];
    return startService({ args: this.argsWith(more, service, build), cwd: this.cwd, nodeArguments, isAlone, build });
  }

  private async importPeople(): Promise<void> {
    const passwordHash = await hash(PASSWORD, CHEAP);
    const people = Array.from({ length: this.people }, (_, index): [string, string] => [nameOf(index + 1), '']);
    const rows = [...people, ...Object.entries(this.options.others ?? {})];
    const lines = rows.map(([id, roles]) => `${id},"${passwordHash}",${roles}`);
    const file = join(this.cwd, 'people.csv');
    writeFileSync(file, `login_id,password_hash,roles\n${lines.join('\n')}\n`);
    const { exitCode, stdout, stderr } = await this.command('users', 'import', file);
    if (exitCode !== 0) throw new Error(`users import failed:\n${stdout}${stderr}`);
  }
}

/** The story of a test file on one engine: starts before its first test and ends after its last. */
export function storyOn(engine: Engine, options: StoryOptions = {}): LoginStory {
  const story = new LoginStory(engine, options);
  beforeAll(() => story.begin());
  afterAll(() => story.end());
  return story;
}

export function secondStep(client: HttpClient, mfaToken: string, code: string, more: object = {}): Promise<Answer> {
  return client.post('/login/2fa', { mfa_token: mfaToken, code, ...more });
}

export function refresh(client: HttpClient): Promise<Answer> {
  return client.post('/token/refresh');
}

function nameOf(number: number): string {
  return `person-${number}`;
}
