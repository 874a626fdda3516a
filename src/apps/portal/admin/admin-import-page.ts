import type { ImportReport } from '../../../identity/account/import/import-row.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import { buttonLink, type FormFields, hidden, note, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { errorTable, previewPanels } from './admin-import-rows.js';
import { adminLinks } from './admin-users-page.js';

/** Effect of an upload: `preview` stores nothing, `all` imports all rows or none, `partial` imports the valid rows. */
type ImportMode = 'preview' | 'all' | 'partial';

/** Content of the import page. */
export interface ImportFields {
  readonly navigation: NavigationFields;
  readonly form: FormFields;
  readonly result?: {
    readonly mode: ImportMode;
    readonly report: ImportReport;
    /** Roles of a preview that neither the configuration nor an account knows. */
    readonly newRoles: readonly string[];
  };
  readonly alert?: PagePart;
}

const FORM_ID = 'import';
/** Id of the element that the script replaces by that of a preview. */
const RESULT_ID = 'result';
const EXAMPLE = `login_id,password,email,roles
user1,five grey herons & 2 piers,user1@example.org,"ROLE_A,ROLE_B"`;

/** `GET /portal/admin/import`, and the response to its form. */
export function importPage(fields: ImportFields): View {
  const { alert, result, form } = fields;
  return pageView(
    (context) => {
      const { admin } = context.t;
      return {
        title: admin.import,
        navigation: navigation(context, fields.navigation),
        body: html`${adminLinks(context, 'import', true)}<div id="${RESULT_ID}" tabindex="-1">
${alert?.(context)}${result && resultPart(context, form, result)}</div>
<div class="panel">
${paragraph(admin.importText)}${paragraph(admin.importColumns)}<p>${admin.importExample}</p>
<pre class="code">${EXAMPLE}</pre>
<details><summary>${admin.importRules}</summary>
<ul>
${admin.importRuleTexts.map((rule) => html`<li>${rule}</li>\n`)}</ul>
</details>
${uploadForm(context, form)}</div>
`,
      };
    },
    { previews: true },
  );
}

/** Upload form; the CSRF token precedes the file, so that it is verified before the file is received. */
function uploadForm({ t }: PageContext, form: FormFields): Html {
  const { admin } = t;
  return html`<form id="${FORM_ID}" method="post" action="${action(form, 'preview')}" enctype="multipart/form-data">
${hidden('csrf', form.csrf)}<div class="field"><label for="file">${admin.file}</label>
<input id="file" name="file" type="file" accept=".csv,.jsonl,.ndjson,text/csv" required></div>
<div class="actions"><button type="submit" class="primary" data-show-in="${RESULT_ID}">${admin.preview}</button>
${importButton(form, 'all', admin.importAll)}${importButton(form, 'partial', admin.importValid)}</div>
</form>
`;
}

function action(form: FormFields, mode: ImportMode): string {
  return `${form.action}?mode=${mode}`;
}

function importButton(form: FormFields, mode: ImportMode, label: string, kind = ''): Html {
  const style = kind === '' ? undefined : html` class="${kind}"`;
  return html`<button type="submit" form="${FORM_ID}" formaction="${action(form, mode)}"${style}>${label}</button>
`;
}

function resultPart(
  context: PageContext,
  form: FormFields,
  { mode, report, newRoles }: NonNullable<ImportFields['result']>,
): Html {
  const { admin } = context.t;
  const { created, errors, errorsTotal, valid = 0 } = report;
  const kind = errorsTotal === 0 ? 'good' : 'warn';
  if (mode === 'preview') {
    return html`<div role="status">${note(kind, paragraph(admin.previewed(valid, errorsTotal)))}</div>
${newRoles.length === 0 ? undefined : note('warn', paragraph(admin.fileHasNewRoles(newRoles.join(', '))))}${nextStep(context, form, valid, errorsTotal)}${previewPanels(context, report)}`;
  }
  return html`<div role="status">${note(kind, paragraph(admin.imported(created, errorsTotal)))}</div>
${errorTable(context, errors)}<p class="actions">${buttonLink(context.contextPath + ADMIN_PAGES.users, admin.users)}</p>
`;
}

/** Form for the import after a preview. The script keeps the file; without script, the user selects it again. */
function nextStep({ t }: PageContext, form: FormFields, valid: number, errorsTotal: number): Html | undefined {
  const { admin } = t;
  if (valid === 0) return undefined;
  const step =
    errorsTotal === 0
      ? importButton(form, 'all', admin.importUsers(valid), 'primary')
      : importButton(form, 'partial', admin.importUsersWithout(valid), 'primary');
  return html`<p data-without-file>${admin.chooseAgain}</p>
<p class="actions" data-with-file hidden>${step}</p>
`;
}
