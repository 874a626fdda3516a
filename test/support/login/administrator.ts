import { AuthenticatorApp } from './authenticator-app.js';
import { type Answer, textOf, textsOf } from '../http/http-client.js';
import { type Enrolled, type LoginStory, PASSWORD } from './login-story.js';
import { type FilePart, MULTIPART, multipart } from '../http/multipart.js';

export const ADMIN = 'boss';
export const HELP_DESK = 'desk';
/** Additional accounts of a story with an administrator. */
export const OTHERS = { [ADMIN]: 'ROLE_ADMIN' };

export function csv(...lines: readonly string[]): FilePart {
  return { content: `${lines.join('\n')}\n`, fileName: 'people.csv', mediaType: 'text/csv' };
}

/** An administrator, or a member of the help desk, with both factors. */
export class Administrator {
  private constructor(
    readonly story: LoginStory,
    readonly person: Enrolled,
  ) {}

  static async of(story: LoginStory, id = ADMIN): Promise<Administrator> {
    const person = { id, password: PASSWORD };
    const client = story.client();
    // Policy requires a second factor of administrators, so the password alone permits only the setup.
    const bearer = await story.mfaToken(person, client);
    const setup = await client.post('/2fa/setup', {}, { bearer });
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer });
    if (confirmed.status !== 200) throw new Error(`POST /2fa/confirm → ${confirmed.status} ${confirmed.text}`);
    const backupCodes = textsOf(setup, 'backup_codes');
    return new Administrator(story, {
      ...person,
      app,
      backupCodes,
      client,
      accessToken: textOf(confirmed, 'access_token'),
    });
  }

  /** The same person with another access token. */
  static signedIn(story: LoginStory, person: Enrolled): Administrator {
    return new Administrator(story, person);
  }

  import(part: FilePart, query = '', bearer = this.person.accessToken): Promise<Answer> {
    return this.story.client().send('POST', `/admin/users/import${query}`, {
      raw: multipart(part),
      headers: { 'content-type': MULTIPART },
      bearer,
    });
  }

  /** Sends a request of the administration. */
  send(method: string, path: string, json?: object, bearer = this.person.accessToken): Promise<Answer> {
    return this.story.client().send(method, `/admin${path}`, { ...(json && { json }), bearer });
  }

  async accounts(): Promise<number> {
    const [row] = await this.story.database.query<{ total: number }>('SELECT COUNT(*) AS total FROM account');
    return Number(row?.total);
  }
}
