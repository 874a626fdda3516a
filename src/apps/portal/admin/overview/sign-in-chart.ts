import { type Html, html } from '../../../../kernel/encoding/html.js';
import type { PageContext } from '../../../../signin/messages/page.js';

/** One bar of a chart, and one row of its table. */
export interface SignInBar {
  readonly label: string;
  readonly completed: number;
  readonly failed: number;
}

const [WIDTH, HEIGHT] = [12, 80];
const GAP = 2;

/** A bar chart with the failed sign-ins above the completed ones, and a table of the same numbers. */
export function signInChart(
  { t }: PageContext,
  { id, title, bars }: { readonly id: string; readonly title: string; readonly bars: readonly SignInBar[] },
): Html {
  const { overviewPage: overview } = t.admin;
  const [completed, failed] = [sum(bars, 'completed'), sum(bars, 'failed')];
  const most = Math.max(1, ...bars.map((bar) => bar.completed + bar.failed));
  const path = (part: (bar: SignInBar) => readonly [from: number, height: number]): string =>
    bars.map((bar, at) => barPath(at, part(bar), most)).join('');
  return html`<figure>
<figcaption id="${id}">${title}: ${overview.signIns(completed, failed)}</figcaption>
<svg class="chart" viewBox="0 0 ${bars.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}">\
<path class="good" d="${path((bar) => [0, bar.completed])}"/><path class="bad" d="${path((bar) => [bar.completed, bar.failed])}"/></svg>
<details><summary>${overview.asTable}</summary>
<table><thead><tr><th>${overview.time}<th>${overview.completed}<th>${overview.failed}</thead><tbody>
${bars.map(
  (bar) => html`<tr><td>${bar.label}<td>${bar.completed}<td>${bar.failed}
`,
)}</tbody></table>
</details>
</figure>
`;
}

function barPath(at: number, [from, height]: readonly [number, number], most: number): string {
  if (height === 0) return '';
  // At least one unit, so that a single failure is visible beside thousands.
  const units = Math.max(1, Math.round((height / most) * HEIGHT));
  const bottom = HEIGHT - Math.round((from / most) * HEIGHT);
  return `M${at * WIDTH} ${bottom}v-${units}h${WIDTH - GAP}v${units}z`;
}

function sum(bars: readonly SignInBar[], part: 'completed' | 'failed'): number {
  return bars.reduce((total, bar) => total + bar[part], 0);
}
