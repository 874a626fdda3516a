import type { Overview, PolicyFacts, SystemState } from '../../../admin/overview/overview.js';
import { ADMIN_PAGES } from '../../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../../kernel/encoding/html.js';
import type { View } from '../../../../platform/http/page/view.js';
import { type PageContext, pageView } from '../../../../signin/messages/page.js';
import { panel, paragraph } from '../../form/forms.js';
import { navigation, type NavigationFields } from '../../home/navigation.js';
import { adminLinks } from '../admin-users-page.js';
import { lastDay, lastMonth } from './sign-in-bars.js';
import { signInChart } from './sign-in-chart.js';

/** `GET /portal/admin`; only administrators see the state of the system. */
export function overviewPage(nav: NavigationFields, overview: Overview, system: SystemState | undefined): View {
  return pageView((context) => {
    const { overviewPage: texts } = context.t.admin;
    return {
      title: texts.title,
      navigation: navigation(context, nav),
      body: html`${adminLinks(context, 'overview', system !== undefined)}<div class="panels">
${panel('users', context.t.admin.users, users(context, overview))}${panel('factors', texts.secondFactor, factors(context, overview))}</div>
${panel('sign-ins', texts.signInsTitle, charts(context, overview))}${system && panel('system', texts.system, systemFacts(context, system))}`,
    };
  });
}

type Fact = readonly [label: string, value: Html | string | number];

function facts(rows: readonly Fact[]): Html {
  return html`<dl class="facts">
${rows.map(
  ([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>
`,
)}</dl>
`;
}

function users({ t, contextPath }: PageContext, { accounts, locked }: Overview): Html {
  const { admin } = t;
  const all = html`<a href="${contextPath}${ADMIN_PAGES.users}">${admin.userFilter.total(accounts.all)}</a>`;
  return facts([
    [admin.overviewPage.allUsers, all],
    [admin.overviewPage.lockedNow, noticed(locked)],
    [admin.overviewPage.notAccepted, accounts.invited],
    [admin.disabled, accounts.disabled],
    [admin.staff, accounts.staff],
  ]);
}

function factors(context: PageContext, { accounts, policy }: Overview): Html {
  const { overviewPage: overview } = context.t.admin;
  const { all, withApp, withPasskey, withBoth, unready } = accounts;
  const any = withApp + withPasskey - withBoth;
  const share = (number: number): string => `${number} (${all === 0 ? 0 : Math.round((number / all) * 100)} %)`;
  return html`${facts([
    [overview.anyFactor, share(any)],
    [overview.apps, share(withApp)],
    [overview.passkeys, share(withPasskey)],
    [overview.noFactor, share(all - any)],
  ])}${policyText(context, policy)}${paragraph(overview.unready(unready))}`;
}

function policyText({ t, time }: PageContext, facts: PolicyFacts): readonly Html[] {
  const { policy: texts } = t.admin.overviewPage;
  const { policy, requiredRoles, policyFrom, passkeyRoles, passkeysFrom } = facts;
  const demand = {
    required: texts.required,
    'by-role': texts.byRole(requiredRoles.join(', ')),
    optional: texts.optional,
  }[policy];
  const line = (text: string, from: number | undefined): Html =>
    html`<p>${text}${from === undefined ? undefined : html` ${texts.from} ${time(from)}.`}</p>
`;
  const passkeys =
    passkeyRoles === undefined
      ? []
      : [line(passkeyRoles.length === 0 ? texts.passkeys : texts.passkeysOf(passkeyRoles.join(', ')), passkeysFrom)];
  return [line(demand, policyFrom), ...passkeys];
}

function charts(context: PageContext, { signIns, at }: Overview): Html {
  const { overviewPage: overview } = context.t.admin;
  return html`<div class="panels">
${signInChart(context, { id: 'hours', title: overview.lastDay, bars: lastDay(signIns, at) })}${signInChart(context, {
    id: 'days',
    title: overview.lastMonth,
    bars: lastMonth(signIns, at),
  })}</div>
`;
}

function systemFacts(context: PageContext, { mails, deliveries, replicas, certificates }: SystemState): Html {
  const { t, time } = context;
  const { overviewPage: overview } = t.admin;
  const certificate = ({ name, user, endsAt, isDue }: SystemState['certificates'][number]): Fact => [
    user === 'idp' ? overview.certificateOf(name) : overview.certificate(name),
    endsAt === undefined
      ? noticed(overview.unreadable)
      : html`${isDue ? noticed(overview.expires) : overview.expires} ${time(endsAt)}`,
  ];
  return facts([
    [
      overview.mails,
      html`${overview.waiting(mails.waiting)}${failures(overview.failures(mails.failed), mails.failed)}`,
    ],
    [
      overview.deliveries,
      html`${overview.waiting(deliveries.pending)}${failures(overview.failures(deliveries.dead), deliveries.dead)}`,
    ],
    ...replicas.map(({ host, version, startedAt }): Fact => [
      overview.instance,
      html`${host}, ${overview.version(version)}, ${overview.since} ${time(startedAt)}`,
    ]),
    ...certificates.map(certificate),
  ]);
}

function failures(text: string, number: number): Html | undefined {
  return number === 0 ? undefined : html`, ${noticed(text)}`;
}

/** Marks what an administrator should look at; a zero needs no mark. */
function noticed(value: string | number): Html | string {
  return value === 0 ? '0' : html`<span class="badge warn">${value}</span>`;
}
