import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, pageView } from '../../../signin/messages/page.js';
import { button, form, type FormFields, hidden, note, paragraph, submitButton } from '../form/forms.js';
import { nameField } from '../form/name-field.js';
import { passkeyButton, withoutPasskeys } from '../form/passkey-button.js';
import { atAddress, leaving, type SetupFields, whoOf } from './setup-pages.js';
import { codeField } from './verify-page.js';

/** Content of the page on which the user chooses an authenticator to set up. */
export interface ChoiceFields extends Pick<SetupFields, 'alert' | 'signOut' | 'loginId'> {
  readonly app?: {
    readonly form: FormFields;
    readonly change: 'first' | 'replace' | 'add';
    /** Pending secret of another login of the user, and its expiry in epoch seconds. */
    readonly pending?: { readonly until: number } | undefined;
  };
  /** Path and query of the page. */
  readonly address: string;
  readonly passkey?: {
    readonly form: FormFields;
    /** True if the user must first prove the existing factor, which policy no longer accepts alone. */
    readonly asksForCode: boolean;
  };
}

/** `GET /2fa/portal/setup`: creates nothing before a button is pressed, and replaces nothing without a warning. */
export function choicePage(fields: ChoiceFields): View {
  const { alert, app, passkey } = fields;
  return pageView(
    (context) => {
      const { setup } = context.t;
      const content =
        passkey === undefined
          ? app && appOnly(context, app)
          : app === undefined
            ? passkeyOnly(context, passkey)
            : html`${paragraph(setup.choice)}${creationForm(context, passkey.form, { label: setup.usePasskey, about: setup.aboutPasskey })}\
${withoutPasskeys(context, false)}<p class="or" data-with-passkeys hidden>${context.t.signIn.or}</p>
${paragraph(setup.aboutApp)}${appForm(
                context,
                app,
                html`<p class="actions">${button(setup.useApp)}</p>
`,
              )}`;
      const title = app === undefined ? setup.titlePasskey : passkey ? setup.titleChoice : setup.title;
      return { title, body: html`${alert?.(context)}${whoOf(context, fields)}${content}${leaving(context, fields)}` };
    },
    { ...atAddress(fields), passkeys: passkey !== undefined },
  );
}

function appOnly(context: PageContext, app: NonNullable<ChoiceFields['app']>): Html {
  const { setup } = context.t;
  const intro = { first: setup.intro, replace: setup.introReplace, add: setup.introAdd }[app.change];
  const begin = submitButton(app.pending === undefined ? setup.begin : setup.beginAgain);
  return html`${paragraph(intro)}${appForm(context, app, begin)}`;
}

function appForm({ t }: PageContext, app: NonNullable<ChoiceFields['app']>, begin: Html): Html {
  const { pending } = app;
  return html`${pending && note('warn', paragraph(t.setup.otherPending))}${form(
    app.form,
    html`${pending && hidden('replaces', String(pending.until))}${begin}`,
  )}`;
}

function passkeyOnly(context: PageContext, passkey: NonNullable<ChoiceFields['passkey']>): Html {
  const { setup, verify } = context.t;
  const isCode = passkey.asksForCode;
  const step = isCode
    ? html`<div data-with-passkeys hidden>
${paragraph(setup.proveFirst)}${form(passkey.form, html`${codeField(context, 'any')}${submitButton(verify.submit)}`)}</div>
`
    : creationForm(context, passkey.form, { label: context.t.passkey.create, about: setup.aboutPasskey });
  return html`${paragraph(setup.onlyPasskey)}${step}${withoutPasskeys(context, true)}`;
}

/** Creates a passkey with options that the service has issued after a proof. */
export function creationPage(fields: SetupFields, options: object): View {
  return pageView(
    (context) => {
      const { passkey } = context.t;
      const creation = creationForm(context, fields, { label: passkey.create, about: passkey.creation, options });
      return {
        title: passkey.title,
        body: html`${fields.alert?.(context)}${whoOf(context, fields)}${creation}${withoutPasskeys(context, true)}${leaving(context, fields)}`,
      };
    },
    { passkeys: true, address: fields.address },
  );
}

function creationForm(
  context: PageContext,
  fields: FormFields,
  { label, about, options }: { readonly label: string; readonly about: string; readonly options?: object },
): Html {
  const content = html`${paragraph(about)}${nameField(context, { label: context.t.passkey.name })}`;
  return form(fields, passkeyButton(context, { ceremony: 'create', label, content, ...(options && { options }) }));
}
