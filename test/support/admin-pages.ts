import type { Answer, HttpClient } from './http-client.js';
import type { Enrolled, LoginStory, Person } from './login-story.js';
import { type FilePart, MULTIPART, multipart } from './multipart.js';
import { BROWSER, follow, formOf, visit } from './pages.js';

type Fields = Readonly<Record<string, string>>;

export const USERS = '/portal/admin';

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
    return `${USERS}/users/${await this.story.subjectOf(person)}`;
  }

  async user(person: Pick<Person, 'id'>): Promise<Answer> {
    return this.visit(await this.userPath(person));
  }

  /** Sends the form that posts to `path` with its token, as the page has or would have it. */
  async send(path: string, typed: Fields = {}): Promise<Answer> {
    // Every form of an account has the token of the session.
    const { csrf = '' } = formOf(this.client, await this.visit('/'), 'Sign out').fields;
    return this.client.send('POST', path, { form: { csrf, ...typed }, headers: BROWSER });
  }

  /** Performs an act of the page about a user. */
  async act(person: Pick<Person, 'id'>, act: string, typed: Fields = {}): Promise<Answer> {
    return this.send(`${await this.userPath(person)}/${act}`, typed);
  }

  /** Performs an act that succeeds, and follows to the page that says so. */
  async done(person: Pick<Person, 'id'>, act: string, typed: Fields = {}): Promise<Answer> {
    return follow(this.client, await this.act(person, act, typed));
  }

  async upload(mode: string, part: FilePart): Promise<Answer> {
    const page = await this.visit(`${USERS}/import`);
    const action = formOf(this.client, page).path.replace('mode=preview', `mode=${mode}`);
    const headers = { ...BROWSER, 'content-type': MULTIPART };
    return this.client.send('POST', action, { raw: multipart(part), headers });
  }
}
