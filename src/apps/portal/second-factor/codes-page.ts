import type { ShownCodes } from '../../../identity/second-factor/backup-code/shown-codes.js';
import { html } from '../../../kernel/encoding/html.js';
import type { PageContent, View } from '../../../platform/http/page/view.js';
import { type PageContext, pageView } from '../../../signin/messages/page.js';
import { form, type FormFields, hidden, note, paragraph, submitButton } from '../form/forms.js';
import { passkeyButton } from '../form/passkey-button.js';
import { userLine } from './verify-page.js';

interface CodesFields extends ShownCodes {
  readonly loginId: string;
  /** The form that confirms that the codes are saved. */
  readonly saved: FormFields;
  /** The form that proves the new passkey, if that completes the sign-in. */
  readonly proof?: FormFields;
}

/** `GET /2fa/portal/codes`: new backup codes, until their user confirms that they are saved. */
export function codesPage(fields: CodesFields): View {
  return pageView((context) => contentOf(context, fields), { passkeys: fields.proof !== undefined });
}

function contentOf(context: PageContext, fields: CodesFields): PageContent {
  const { loginId, codes: backupCodes, occasion, createdAt, saved, proof } = fields;
  const { codes, common, setup } = context.t;
  const heading = codes.fileHeading(context.brand.name, loginId);
  const text = `${heading}\n${codes.created}: ${dayOf(createdAt)}\n\n${backupCodes.join('\n')}\n`;
  const intro = {
    app: html`<p class="steps">${setup.step(2, 2)}</p>
${note('good', paragraph(codes.done))}${paragraph(codes.intro)}`,
    passkey: html`${note('good', paragraph(codes.donePasskey))}${paragraph(codes.intro)}`,
    reissue: html`${paragraph(codes.intro)}${paragraph(codes.replaced)}`,
  }[occasion];
  return {
    title: codes.title,
    body: html`<div class="no-print">
${userLine(context, loginId, proof === undefined)}${intro}</div>
<p class="print-only">${heading}<br>${codes.created}: ${context.time(createdAt)}</p>
<ul class="codes code" id="backup-codes" aria-label="${codes.list}" data-text="${text}">
${backupCodes.map(
  (code) => html`<li>${code}</li>
`,
)}</ul>
<div class="thirds no-print">
<button type="button" hidden data-copy="backup-codes" data-done="${common.copied}">${common.copy}</button>
<a class="button" download="${codes.fileName}" href="data:text/plain;charset=utf-8,${encodeURIComponent(text)}">${codes.download}</a>
<button type="button" hidden data-print="">${common.print}</button>
</div>
<div class="no-print">
${
  proof
    ? html`${paragraph(codes.finish)}${form(proof, html`${hidden('proved', '0')}${passkeyButton(context, { label: codes.savedFinish, ceremony: 'get' })}`)}`
    : form(saved, submitButton(codes.saved))
}</div>
`,
  };
}

/** The day in UTC, for the file. */
function dayOf(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, 'yyyy-mm-dd'.length);
}
