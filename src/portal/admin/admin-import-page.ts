import type { ImportReport } from '../../account/import/import-row.js';
import { ADMIN_PAGES } from '../../auth/page-paths.js';
import { type Html, html } from '../../encoding/html.js';
import { type PageContext, type PagePart, View } from '../../http/page/view.js';
import { buttonLink, type FormFields, hidden, note, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { adminLinks } from './admin-users-page.js';

/** What an upload is for: a preview stores nothing, `all` imports all rows or none, `partial` the valid ones. */
export type ImportMode = 'preview' | 'all' | 'partial';

/** Content of the import page. */
export interface ImportFields {
  readonly navigation: NavigationFields;
  readonly form: FormFields;
  readonly result?: { readonly mode: ImportMode; readonly report: ImportReport };
  readonly alert?: PagePart;
}

const EXAMPLE = `login_id,password,email,roles
user1,five grey herons & 2 piers,user1@example.org,"ROLE_A,ROLE_B"`;

/** `GET /portal/admin/import`, and the response to its form. */
export function importPage(fields: ImportFields): View {
  const { alert, result } = fields;
  return new View((context) => {
    const { admin } = context.t;
    return {
      title: admin.import,
      navigation: navigation(context, fields.navigation),
      body: html`${adminLinks(context, 'import', true)}${alert?.(context)}${result && resultPart(context, result)}<div class="panel">
${paragraph(admin.importText)}${paragraph(admin.importColumns)}<p>${admin.importExample}</p>
<pre class="code">${EXAMPLE}</pre>
${uploadForm(context, fields)}</div>
`,
    };
  });
}

/** The token precedes the file, so that the file is received only after it. */
function uploadForm({ t }: PageContext, { form }: ImportFields): Html {
  const { admin } = t;
  const action = (mode: ImportMode): string => `${form.action}?mode=${mode}`;
  const choice = (mode: ImportMode, label: string, kind: string): Html =>
    html`<button type="submit" formaction="${action(mode)}"${kind === '' ? undefined : html` class="${kind}"`}>${label}</button>
`;
  return html`<form method="post" action="${action('preview')}" enctype="multipart/form-data">
${hidden('csrf', form.csrf)}<div class="field"><label for="file">${admin.file}</label>
<input id="file" name="file" type="file" accept=".csv,.jsonl,.ndjson,text/csv" required></div>
<div class="actions">${choice('preview', admin.preview, 'primary')}${choice('all', admin.importAll, '')}${choice('partial', admin.importValid, '')}</div>
</form>
`;
}

function resultPart({ t, contextPath }: PageContext, { mode, report }: NonNullable<ImportFields['result']>): Html {
  const { admin } = t;
  const { created, errors, errorsTotal, valid = 0 } = report;
  const summary = mode === 'preview' ? admin.previewed(valid, errorsTotal) : admin.imported(created, errorsTotal);
  const rows = errors.map(
    ({
      line,
      field,
      code,
    }) => html`<tr><td>${line}</td><td>${field === '' ? admin.wholeRow : field}</td><td>${admin.importFaults[code] ?? code}</td></tr>
`,
  );
  const list =
    rows.length === 0
      ? undefined
      : html`<div class="panel"><div class="table"><table>
<thead><tr><th scope="col">${admin.line}</th><th scope="col">${admin.field}</th><th scope="col">${admin.fault}</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div></div>
`;
  const toUsers =
    mode === 'preview'
      ? undefined
      : html`<p class="actions">${buttonLink(contextPath + ADMIN_PAGES.users, admin.users)}</p>
`;
  return html`<div role="status">${note(errorsTotal === 0 ? 'good' : 'warn', paragraph(summary))}</div>
${list}${toUsers}`;
}
