import { beforeAll, beforeEach } from 'vitest';
import { ADMIN_PAGES } from '../../../src/signin/auth/page-paths.js';
import { PUBLIC_URL } from '../login/account-links.js';
import { ADMIN, Administrator, HELP_DESK } from '../login/administrator.js';
import type { Answer, HttpClient } from '../http/http-client.js';
import { type Enrolled, type LoginStory, type Person, storyOn } from '../login/login-story.js';
import type { Mailbox } from '../mail/mailbox.js';
import { type FilePart, MULTIPART, multipart } from '../http/multipart.js';
import { BROWSER, follow, formOf, unescaped, visit } from './pages.js';
import type { Engine } from '../database/story-database.js';

type Fields = Readonly<Record<string, string>>;

export const USERS = ADMIN_PAGES.users;
export const ADMINISTRATION = ADMIN_PAGES.overview;
/** Context path of the service of an `AdminScene`. */
export const CONTEXT = '/auth';
/** Reason and ticket of an act. */
export const STATED = { reason: 'the phone is lost', ticket: 'HD-4711' };
export const HOSTILE = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;

/** A browser of an administrator, or of the help desk, with a portal session and a recent one-time code. */
export class AdminBrowser {
  private constructor(
    private readonly story: LoginStory,
    readonly person: Enrolled,
    readonly client: HttpClient,
  ) {}

  static async of(story: LoginStory, person: Enrolled): Promise<AdminBrowser> {
    const client = story.client();
    const half = await client.post('/session', { id: person.id, pw: person.password });
    const whole = await client.post('/2fa/verify', { code: story.nextCode(person) });
    if (whole.status !== 200) throw new Error(`${half.request} → ${half.status}, ${whole.request} → ${whole.status}`);
    return new AdminBrowser(story, person, client);
  }

  visit(path: string): Promise<Answer> {
    return visit(this.client, path);
  }

  async userPath(person: Pick<Person, 'id'>): Promise<string> {
    return `${ADMINISTRATION}/users/${await this.story.subjectOf(person)}`;
  }

  /** A page about a user: the overview, or `part` of its path. */
  async user(person: Pick<Person, 'id'>, part = ''): Promise<Answer> {
    return this.visit((await this.userPath(person)) + (part === '' ? '' : `/${part}`));
  }

  /** Sends the form that posts to `path` with its token, as the page has or would have it. */
  async send(path: string, typed: Fields = {}): Promise<Answer> {
    // Every form of an account has the token of the session.
    const { csrf = '' } = formOf(this.client, await this.visit('/'), 'Sign out').fields;
    return this.client.send('POST', path, { form: { csrf, ...typed }, headers: BROWSER });
  }

  /** Signs out and then sends a form that was opened before. */
  async sendAfterSignOut(path: string, typed: Fields): Promise<Answer> {
    const { csrf = '' } = formOf(this.client, await this.visit('/'), 'Sign out').fields;
    await this.client.delete('/session');
    return this.client.send('POST', path, { form: { csrf, ...typed }, headers: BROWSER });
  }

  /** Sends the form of an act on a user. */
  async act(person: Pick<Person, 'id'>, act: string, typed: Fields = {}): Promise<Answer> {
    return this.send(`${await this.userPath(person)}/${act}`, typed);
  }

  /** Performs an act that succeeds, and follows to the page that says so. */
  async done(person: Pick<Person, 'id'>, act: string, typed: Fields = {}): Promise<Answer> {
    return follow(this.client, await this.act(person, act, typed));
  }

  /** Sends the form of the import page with a file. */
  async upload(mode: string, part: FilePart): Promise<Answer> {
    const { path, fields } = formOf(this.client, await this.visit(`${ADMINISTRATION}/import`));
    const raw = multipart({ field: 'csrf', text: fields['csrf'] ?? '' }, part);
    const headers = { ...BROWSER, 'content-type': MULTIPART };
    return this.client.send('POST', path.replace('mode=preview', `mode=${mode}`), { raw, headers });
  }
}

/** The temporary password that a page shows. */
export function passwordIn({ text }: Answer): string {
  return unescaped(/ id="password" data-text="([^"]*)"/.exec(text)?.[1] ?? '');
}

/** The login ids in the list of users. */
export function loginIdsIn({ text }: Answer): readonly string[] {
  return [...text.matchAll(/<td><a href="[^"]*\/users\/[^"]*">([^<]*)<\/a>/g)].map(([, id = '']) => id);
}

/** A service with pages for an administrator and the help desk. */
export interface AdminScene {
  readonly story: LoginStory;
  readonly mailbox: Mailbox;
  /** The administrator. */
  readonly boss: Enrolled;
  readonly admin: AdminBrowser;
  readonly helpDesk: AdminBrowser;
}

/** Starts the service, and signs both in before each test, since codes age. */
export function adminSceneOn(engine: Engine, mailbox: Mailbox): AdminScene {
  const story = storyOn(engine, {
    people: 60,
    others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' },
    args: [
      ...mailbox.args,
      `--server.servlet.context-path=${CONTEXT}`,
      `--app.security.public-url=${PUBLIC_URL}`,
      '--app.security.mfa.trusted-device.enabled=true',
    ],
  });
  let [boss, desk]: Enrolled[] = [];
  let [admin, helpDesk]: AdminBrowser[] = [];
  beforeAll(async () => {
    boss = (await Administrator.of(story)).person;
    desk = (await Administrator.of(story, HELP_DESK)).person;
  });
  beforeEach(async () => {
    admin = await AdminBrowser.of(story, ready(boss));
    helpDesk = await AdminBrowser.of(story, ready(desk));
  });
  return {
    story,
    mailbox,
    get boss() {
      return ready(boss);
    },
    get admin() {
      return ready(admin);
    },
    get helpDesk() {
      return ready(helpDesk);
    },
  };
}

function ready<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the service has not started yet');
  return value;
}
