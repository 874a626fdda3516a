import {
  ACCOUNT_PAGES,
  authenticatorPath,
  SECOND_FACTOR_PAGES,
  withReturnTo,
} from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import { buttonLink, panel, paragraph } from '../form/forms.js';
import type { SecondFactorSummary } from '../home/second-factor-summary.js';
import { authenticatorFacts, nameOf } from './authenticator-facts.js';

export type IrremovableReason = keyof Messages['account']['kept'];
type Policy = Pick<SecondFactorSummary, 'authenticators' | 'arePasskeysUsable' | 'isDemanded' | 'isPasskeyDemanded'>;

/**
 * Reason why an authenticator cannot be removed; undefined if it can. `passkey`: it is the last passkey, which policy
 * requires. `last` and `only`: it is the only authenticator, or the only app while passkeys cannot be used; `last` if
 * policy requires a second factor.
 */
export function irremovableReason(
  { type }: Pick<Authenticator, 'type'>,
  { authenticators, arePasskeysUsable, isDemanded, isPasskeyDemanded }: Policy,
): IrremovableReason | undefined {
  const passkeys = authenticators.filter((each) => each.type === 'passkey').length;
  if (isPasskeyDemanded && type === 'passkey' && passkeys === 1) return 'passkey';
  const usable = arePasskeysUsable || type === 'passkey' ? authenticators.length : authenticators.length - passkeys;
  if (usable > 1) return undefined;
  return isDemanded ? 'last' : 'only';
}

/** Panel with the authenticators of the user and links to change them. */
export function secondFactorPanel(context: PageContext, summary: SecondFactorSummary): Html {
  const { account } = context.t;
  const content = summary.isActive ? activeFactor(context, summary) : noFactor(context, summary);
  return panel('second-factor', account.secondFactor, content);
}

function noFactor({ t, contextPath }: PageContext, { organisation }: SecondFactorSummary): Html {
  const { account } = t;
  const text =
    organisation === undefined
      ? html`<p><span class="badge warn">${account.off}</span></p>
${paragraph(account.offText)}`
      : paragraph(account.atOrganisation(organisation));
  const path = withReturnTo(contextPath + SECOND_FACTOR_PAGES.enrol, contextPath + ACCOUNT_PAGES.security);
  return html`${text}<p class="actions">${buttonLink(path, account.setUp, organisation === undefined ? 'primary' : '')}</p>
`;
}

function activeFactor(context: PageContext, summary: SecondFactorSummary): Html {
  const { account } = context.t;
  const { activatedAt, authenticators, addable, codesLeft, isLow, isDemanded } = summary;
  const at = (path: string): string => context.contextPath + path;
  const since = activatedAt === undefined ? undefined : html` ${account.onSince}: ${context.time(activatedAt)}`;
  const low = isLow ? html` <span class="badge warn">${account.codesLow}</span>` : undefined;
  // A replacement replaces all apps, so it is offered for a single app only.
  const isReplaceable = authenticators.filter(({ type }) => type === 'totp').length === 1;
  return html`<p><span class="badge good">${account.on}</span>${since}</p>
${demandText(context, summary)}<ul class="rows">
${authenticators.map((each) => authenticatorRow(context, each, summary))}</ul>
<p class="actions">${addable.includes('passkey') ? addPasskeyLink(context) : undefined}${
    addable.includes('totp') ? buttonLink(at(ACCOUNT_PAGES.addApp), account.addApp) : undefined
  }${isReplaceable ? buttonLink(at(ACCOUNT_PAGES.replace), account.replace) : undefined}</p>
<p>${account.codesLeft(codesLeft)}${low}</p>
<p class="actions">${buttonLink(at(ACCOUNT_PAGES.backupCodes), account.newCodes)}${
    isDemanded ? undefined : buttonLink(at(ACCOUNT_PAGES.turnOff), account.turnOff)
  }</p>
`;
}

function demandText({ t }: PageContext, { isDemanded, isPasskeyDemanded, authenticators }: Policy): Html | undefined {
  const { required, requiredPasskey, noPasskey } = t.account;
  if (!isDemanded) return undefined;
  if (!isPasskeyDemanded) return paragraph(required);
  return paragraph(
    authenticators.some(({ type }) => type === 'passkey') ? requiredPasskey : `${requiredPasskey} ${noPasskey}`,
  );
}

function authenticatorRow(context: PageContext, authenticator: Authenticator, policy: Policy): Html {
  const reason = irremovableReason(authenticator, policy);
  const { account } = context.t;
  return html`<li>${authenticatorFacts(context, authenticator, reason && account.kept[reason])}<div class="actions">${actLink(
    context,
    authenticator,
    'rename',
  )}${reason ? undefined : actLink(context, authenticator, 'remove')}</div></li>
`;
}

/** Link to a page about one authenticator; its label for screen readers contains the name. */
function actLink({ t, contextPath }: PageContext, authenticator: Authenticator, act: 'rename' | 'remove'): Html {
  const { renameTitle, removeTitle } = t.authenticators;
  const label = (act === 'rename' ? renameTitle : removeTitle)(nameOf(t, authenticator));
  return html`<a class="button" href="${contextPath}${authenticatorPath(act, authenticator.id)}" aria-label="${label}">${t.account[act]}</a>
`;
}

/** Link to add a passkey; hidden until the script has detected support for passkeys. */
function addPasskeyLink({ t, contextPath }: PageContext): Html {
  return html`<a class="button" href="${contextPath}${ACCOUNT_PAGES.addPasskey}" data-with-passkeys hidden>${t.account.addPasskey}</a>
`;
}
