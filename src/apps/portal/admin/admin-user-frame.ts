import type { Account } from '../../../identity/account/account.js';
import { adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import type { FormFields } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import type { UserDone } from './admin.schema.js';
import { adminLinks } from './admin-users-page.js';

/** The content that all pages about a user share. */
export interface UserFrameFields {
  readonly navigation: NavigationFields;
  readonly account: Account;
  readonly isAdministrator: boolean;
  /** False if the caller may only see the account: the help desk on a protected account. */
  readonly isOpen: boolean;
  readonly done?: UserDone;
  readonly alert?: PagePart;
  /** Returns the fields of a form; `part` is the path segment it is sent to. */
  readonly formFor: (part: string) => FormFields;
}

type UserTab = 'overview' | 'access' | 'activity';

const TABS: Readonly<Record<UserTab, string>> = { overview: '', access: 'access', activity: 'activity' };

/** A page about a user, with links to the others. */
export function userView(fields: UserFrameFields, tab: UserTab, body: PagePart): View {
  const { account, alert, done, isAdministrator } = fields;
  return pageView((context) => {
    const notice =
      done &&
      html`<div class="note good" role="status"><p>${context.t.admin.userDone[done]}</p>
</div>
`;
    return {
      title: account.loginId,
      navigation: navigation(context, fields.navigation),
      body: html`${notice}${alert?.(context)}${adminLinks(context, 'users', isAdministrator)}${tabs(context, fields, tab)}${body(context)}`,
    };
  });
}

function tabs(
  { t, contextPath }: PageContext,
  { account, isOpen }: UserFrameFields,
  current: UserTab,
): Html | undefined {
  if (!isOpen) return undefined;
  const links = (Object.keys(TABS) as UserTab[]).map(
    (tab) =>
      html`<li><a href="${contextPath}${adminUserPath(account.id, TABS[tab])}"${tab === current ? html` aria-current="page"` : undefined}>${t.admin[tab]}</a></li>
`,
  );
  return html`<nav aria-label="${t.admin.pagesOfUser}"><ul class="switch">
${links}</ul></nav>
`;
}
