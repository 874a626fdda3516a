import type {
  ImportReport,
  PreviewRow,
  RowRejection,
  RowProblem,
} from '../../../identity/account/import/import-row.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import { panel, paragraph } from '../form/forms.js';

/** The first users of a file with the effect of the import on each, and the errors of the other rows. */
export function previewPanels(
  context: PageContext,
  { firstRows = [], errors, valid = 0 }: ImportReport,
): Html | undefined {
  const { admin } = context.t;
  const shown = new Set(firstRows.map(({ line }) => line));
  const others = errors.filter(({ line }) => !shown.has(line));
  if (firstRows.length === 0) return errorTable(context, others);
  const more = valid - firstRows.filter(({ problems }) => problems.length === 0).length;
  const list = html`<ul class="rows">
${firstRows.map((row) => previewRow(context, row))}</ul>
${more > 0 ? paragraph(admin.moreRows(more)) : undefined}`;
  return html`${panel('first-rows', admin.firstRows, list)}${errorTable(context, others, admin.otherErrors)}`;
}

/** `bdi` isolates names from the file, which may contain characters of another writing direction. */
function previewRow(context: PageContext, row: PreviewRow): Html {
  const { admin } = context.t;
  const facts = [
    admin.atLine(row.line),
    row.displayName ?? '',
    row.email ?? '',
    row.emailVerified ? admin.verified : '',
    row.groups.join(', '),
    row.roles.join(', '),
    row.hasPassword ? admin.withPassword : '',
    row.hasAuthenticator ? admin.withAuthenticator : '',
  ].filter((fact) => fact !== '');
  const result =
    row.problems.length === 0
      ? html`<span class="badge good">${admin.willBeCreated}</span>`
      : html`<span><span class="badge bad">${admin.problem}</span> ${row.problems.map((error) => errorText(context, error)).join('; ')}</span>`;
  return html`<li><div><strong><bdi>${row.loginId}</bdi></strong><br>
<span class="quiet small"><bdi>${facts.join(' · ')}</bdi></span></div>
${result}</li>
`;
}

function errorText({ t }: PageContext, { field, code }: RowProblem): string {
  const { admin } = t;
  return `${field === '' ? admin.wholeRow : field} ${admin.importProblems[code] ?? code}`;
}

/** Table of errors with their lines and columns. */
export function errorTable({ t }: PageContext, errors: readonly RowRejection[], title?: string): Html | undefined {
  if (errors.length === 0) return undefined;
  const { admin } = t;
  const rows = errors.map(
    ({ line, field, code }) => html`<tr><td>${line}</td><td>${field === '' ? admin.wholeRow : field}</td>\
<td>${admin.importProblems[code] ?? code}</td></tr>
`,
  );
  const table = html`<div class="table"><table>
<thead><tr><th scope="col">${admin.line}</th><th scope="col">${admin.field}</th><th scope="col">${admin.problem}</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
  return title === undefined
    ? html`<div class="panel">${table}</div>
`
    : panel('errors', title, table);
}
