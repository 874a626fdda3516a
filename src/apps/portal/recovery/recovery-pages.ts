import type { IssuedAccessCode } from '../../../identity/second-factor/access-code/access-code.js';
import { MAX_LOGIN_ID_LENGTH } from '../../../identity/account/login-id.js';
import { RECOVERY_PAGES, SIGN_IN_PAGE, withReturnTo } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageNeeds, View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import type { ReportOutcome } from '../../../signin/recovery/account-link.js';
import {
  buttonLink,
  focus,
  form,
  type FormFields,
  hidden,
  note,
  paragraph,
  passwordField,
  submitButton,
  waitingNote,
} from '../form/forms.js';

interface RecoveryFields extends FormFields {
  readonly alert?: PagePart;
}

/** `GET /portal/forgot`: the form that requests a link for a new password. */
export function forgotPage(fields: RecoveryFields & { readonly id?: string }): View {
  const { alert } = fields;
  return pageView(
    (context) => {
      const { forgot, common } = context.t;
      const typed = fields.id ?? context.answer?.typed?.['id'];
      const id = html`<div class="field"><label for="id">${common.username}</label>
<input id="id" name="id" value="${typed}" maxlength="${MAX_LOGIN_ID_LENGTH}" autocomplete="username" autocapitalize="none" autocorrect="off" \
spellcheck="false"${focus(alert === undefined)} required></div>
`;
      return {
        title: forgot.title,
        body: html`${alert?.(context)}${paragraph(forgot.text)}${form(fields, html`${id}${submitButton(forgot.submit)}`)}${toSignIn(context, fields.returnTo)}`,
      };
    },
    { address: fields.address, typed: withoutUndefined({ id: fields.id }) },
  );
}

/** The response to the form, the same for every username. */
export function forgotSentPage({ address, returnTo }: FormFields): View {
  return pageView(
    (context) => ({
      title: context.t.forgot.titleSent,
      body: html`${paragraph(context.t.forgot.sent)}<p class="hint">${context.t.forgot.notArrived}${contactOf(context)}</p>
${toSignIn(context, returnTo)}`,
    }),
    { address: `${address}&sent=true`, leadsOn: true },
  );
}

interface LinkFields extends RecoveryFields {
  /** The token of the mailed link. */
  readonly token: string;
  /** The login id that the link is about, or the address that it confirms. */
  readonly subject: string;
}

/** `GET /portal/reset` and `GET /portal/invitation`: the user chooses a password. */
export function choosePasswordPage(kind: 'reset' | 'invitation', fields: LinkFields, minLength: number): View {
  const { alert, subject, token } = fields;
  const field = (context: PageContext): Html => {
    const { common } = context.t;
    return html`<div class="field"><label for="id">${common.username}</label>
<input id="id" value="${subject}" autocomplete="username" readonly></div>
${passwordField(context, {
  id: 'new',
  label: common.newPassword,
  autocomplete: 'new-password',
  minLength,
  isFocused: alert === undefined,
})}${hidden('token', token)}`;
  };
  return linkPage(kind, fields, field, { newPassword: true });
}

/** `GET /portal/unlock`, `GET /portal/not-me` and `GET /portal/email`: mail scanners follow links, so only the button acts. */
export function confirmLinkPage(kind: 'unlock' | 'notMe' | 'email', fields: LinkFields): View {
  return linkPage(kind, fields, () => hidden('token', fields.token));
}

type LinkPage = 'reset' | 'invitation' | 'unlock' | 'notMe' | 'email';

function linkPage(
  kind: LinkPage,
  fields: LinkFields,
  content: (context: PageContext) => Html,
  needs?: PageNeeds,
): View {
  const { alert, subject } = fields;
  return pageView(
    (context) => {
      const { title, text, submit } = textsOf(kind, context.t);
      return {
        title,
        hasSecretAddress: true,
        body: html`${alert?.(context)}${paragraph(text(subject))}${form(fields, html`${content(context)}${submitButton(submit)}${waitingNote(context)}`)}`,
      };
    },
    { ...needs, address: fields.address, typed: {} },
  );
}

/** Page that confirms the effect of a link, with a link to the sign-in page. It shows an access code once. */
export function linkDonePage(
  kind: Exclude<LinkPage, 'notMe'>,
  { address, returnTo }: FormFields,
  issued?: IssuedAccessCode,
): View {
  return pageView(
    (context) => {
      const { title, done } = textsOf(kind, context.t);
      return {
        title,
        ...(issued && { isShownOnce: true }),
        body: html`${note('good', paragraph(done))}${issued && accessCodePart(context, issued)}<p class="actions">${buttonLink(withReturnTo(context.contextPath + SIGN_IN_PAGE, returnTo), context.t.common.signIn, 'primary')}</p>
`,
      };
    },
    // Without script, a page that leads on is replaced by that of its address, which has no access code.
    { address: `${address}&done=true`, leadsOn: issued === undefined },
  );
}

function accessCodePart({ t, time }: PageContext, { code, expiresAt }: IssuedAccessCode): Html {
  const { common, admin, links } = t;
  return html`${paragraph(links.invitation.accessCode)}<p><code class="key" id="access-code" data-text="${code}">${code}</code></p>
<p class="hint">${admin.validUntil}: ${time(expiresAt)}</p>
<p class="actions"><button type="button" hidden data-copy="access-code" data-done="${common.copied}">${common.copy}</button></p>
`;
}

/** The page after a report. The mailed link comes first, because the password no longer works. */
export function reportDonePage({ isAddressRemoved }: ReportOutcome, { returnTo }: FormFields): View {
  return pageView((context) => {
    const { title, done, doneWithoutMail } = context.t.links.notMe;
    return {
      title,
      body: html`${note('good', paragraph(isAddressRemoved ? doneWithoutMail : done))}${toSignIn(context, returnTo)}`,
    };
  });
}

/** A link that is unknown, used, replaced or expired; users can request another one to reset the password themselves. */
export function linkInvalidPage(canRequest: boolean, problem: PagePart, returnTo: string): View {
  return pageView((context) => {
    const { t, contextPath } = context;
    const request = buttonLink(withReturnTo(contextPath + RECOVERY_PAGES.forgot, returnTo), t.forgot.again, 'primary');
    return {
      title: t.linkInvalid.title,
      // The link may be valid for another page.
      hasSecretAddress: true,
      body: html`${problem(context)}${
        canRequest
          ? html`<p class="actions">${request}</p>
`
          : html`<p class="hint">${t.linkInvalid.ask}${contactOf(context)}</p>
`
      }${toSignIn(context, returnTo)}`,
    };
  });
}

function textsOf(kind: LinkPage, { links }: Messages): Messages['links'][LinkPage] {
  return links[kind];
}

function contactOf({ t, brand }: PageContext): string {
  return brand.helpContact === undefined ? '' : ` ${t.common.contact(brand.helpContact)}`;
}

function toSignIn({ t, contextPath }: PageContext, returnTo: string): Html {
  return html`<ul class="links">
<li><a href="${withReturnTo(contextPath + SIGN_IN_PAGE, returnTo)}">${t.forgot.toSignIn}</a></li>
</ul>
`;
}
