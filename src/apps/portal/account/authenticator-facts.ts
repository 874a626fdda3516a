import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';

/** The name of an authenticator, or the name of its type if its owner has given none. */
export function nameOf({ account }: Messages, { name, type }: Pick<Authenticator, 'name' | 'type'>): string {
  return name ?? account.types[type];
}

/** Name, type and times of an authenticator, with a text below them. */
export function authenticatorFacts({ t, time }: PageContext, authenticator: Authenticator, text?: string): Html {
  const { type, name, createdAt, lastUsedAt, isSynced } = authenticator;
  const { account } = t;
  const facts = [
    ...(name === undefined ? [] : [account.types[type]]),
    ...(isSynced === undefined ? [] : [isSynced ? account.synced : account.bound]),
  ];
  const kind = facts.length === 0 ? undefined : html`${facts.join(' · ')}<br>`;
  const used = lastUsedAt === undefined ? account.unused : html`${account.lastUsed}: ${time(lastUsedAt)}`;
  return html`<div><strong>${nameOf(t, authenticator)}</strong><br>
<span class="quiet small">${kind}${account.added}: ${time(createdAt)} · ${used}${text === undefined ? undefined : html`<br>${text}`}</span></div>
`;
}
