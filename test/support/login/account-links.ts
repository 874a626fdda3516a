import { afterAll } from 'vitest';
import { AccountStore } from '../../../src/identity/account/account.store.js';
import { Accounts } from '../../../src/identity/account/accounts.service.js';
import { LoginIdProperties } from '../../../src/identity/account/account.properties.js';
import { LoginIds } from '../../../src/identity/account/login-id.js';
import { Clock } from '../../../src/kernel/clock/clock.js';
import { openDatabase, unitOfWork } from '../../../src/platform/persistence/database.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import type { LinkKind } from '../../../src/signin/recovery/account-link.js';
import { AccountLinkStore } from '../../../src/signin/recovery/account-link.store.js';
import { AccountLinks } from '../../../src/signin/recovery/account-links.service.js';
import { LinkTokens } from '../../../src/signin/recovery/link-tokens.service.js';
import { RecoveryProperties } from '../../../src/signin/recovery/recovery.properties.js';
import { Issuer } from '../../../src/identity/token/signed-token.js';
import type { LoginStory, Person } from './login-story.js';
import { secondFactorParts } from './second-factor-parts.js';

/** The base of all links. */
export const PUBLIC_URL = 'https://login.example';

export function accountLinks(work: UnitOfWork, clock: Clock, store = new AccountLinkStore(clock)): AccountLinks {
  const accounts = new Accounts(new AccountStore(), work, new LoginIds(new LoginIdProperties()));
  const { budget } = secondFactorParts(work, clock);
  const tokens = new LinkTokens(new SystemRandom(), new Issuer(PUBLIC_URL), new RecoveryProperties());
  return new AccountLinks(store, accounts, budget, tokens, work);
}

/** The token of a URL in a text, such as a mail. */
export function tokenIn(text: string): string {
  const [, token] = /\?token=([\w-]{43})(?![\w-])/.exec(text) ?? [];
  if (token === undefined) throw new Error(`no link in ${text}`);
  return token;
}

/** Creates links on the database of a story, as the mails about locks and other notices do. */
export class StoryLinks {
  private opened: Promise<AccountLinks> | undefined;
  private close: () => Promise<unknown> = () => Promise.resolve();

  constructor(private readonly story: LoginStory) {
    afterAll(() => this.close());
  }

  /** The token of a new link; undefined if the account gets none. */
  async create(person: Pick<Person, 'id'>, kind: LinkKind): Promise<string | undefined> {
    const links = await (this.opened ??= this.open());
    const created = await links.create(await this.story.subjectOf(person), [kind]);
    const link = created?.links[kind];
    return link && tokenIn(link.url);
  }

  async token(person: Pick<Person, 'id'>, kind: LinkKind): Promise<string> {
    const token = await this.create(person, kind);
    if (token === undefined) throw new Error(`${person.id} gets no link: ${kind}`);
    return token;
  }

  private async open(): Promise<AccountLinks> {
    const { story } = this;
    const given = new Map(
      story.database.args.map((argument) => argument.replace('--app.datasource.', '').split('=', 2)) as [
        string,
        string,
      ][],
    );
    const { url = '', username, password } = Object.fromEntries(given);
    const dataSource = await openDatabase({
      url,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
    });
    this.close = () => dataSource.destroy();
    const clock = new (class extends Clock {
      millis(): number {
        return story.clock.millis;
      }
    })();
    return accountLinks(unitOfWork(dataSource), clock);
  }
}
