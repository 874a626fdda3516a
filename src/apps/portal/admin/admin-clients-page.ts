import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, pageView } from '../../../signin/messages/page.js';
import type { ListedClient } from '../../admin/listed-client.js';
import { panel, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { adminLinks } from './admin-users-page.js';

/** `GET /portal/admin/applications`: the configured clients and their use. */
export function clientsPage(nav: NavigationFields, clients: readonly ListedClient[]): View {
  return pageView((context) => {
    const { admin } = context.t;
    return {
      title: admin.clients,
      navigation: navigation(context, nav),
      body: html`${adminLinks(context, 'clients', true)}${paragraph(clients.length === 0 ? admin.noClients : admin.clientsHint)}${clients.map(
        (each, index) => panel(`client-${index}`, each.client.name, facts(context, each)),
      )}`,
    };
  });
}

function facts(context: PageContext, listed: ListedClient): Html {
  const { admin } = context.t;
  const { client: names } = admin;
  const { client, sources } = listed;
  const rows: readonly (readonly [string, Html | string])[] = [
    ['client_id', code(client.id)],
    [admin.state, use(context, listed)],
    [names.kind, kindText(context, listed)],
    [names.redirectUris, lines(client.redirectUris)],
    [names.postLogoutUris, lines(client.postLogoutRedirectUris)],
    [names.backchannelUri, lines(optional(client.backchannelLogoutUri))],
    [names.audience, lines(client.audiences)],
    [names.scopes, words([...client.scopes])],
    [names.claims, words(client.claims)],
    [names.grantTypes, words([...client.grantTypes])],
    [names.minAcr, words(optional(client.minAcr))],
    [names.maxAge, client.maxAge === undefined ? '' : admin.client.seconds(client.maxAge)],
    [admin.roles, words(client.roles)],
    [names.accessLifetime, admin.client.seconds(listed.accessLifetime)],
    [names.idToken, `${client.idTokenAlgorithm}${client.hasSignedUserinfo ? `, ${names.signedUserinfo}` : ''}`],
    [names.logo, lines(optional(client.logo))],
    [names.sources, lines(sources)],
  ];
  const shown = rows.filter(([, value]) => value !== '');
  return html`<dl class="facts">
${shown.map(
  ([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>
`,
)}</dl>
`;
}

function use({ t: { admin }, time }: PageContext, { sessions, lastUsedAt }: ListedClient): Html | string {
  const number = admin.client.sessions(sessions);
  return lastUsedAt === undefined ? number : html`${number} ${admin.client.lastUse} ${time(lastUsedAt)}`;
}

function kindText({ t: { admin } }: PageContext, { client, credentials }: ListedClient): string {
  const kind = client.isPublic ? admin.client.public : admin.client.confidential;
  return `${kind} (${credentials.join(', ')})`;
}

function optional(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** One value on each line; an empty text without any. */
function lines(values: readonly string[]): Html | string {
  if (values.length === 0) return '';
  return html`${values.map((value, index) => html`${index === 0 ? undefined : html`<br>`}${code(value)}`)}`;
}

function words(values: readonly string[]): Html | string {
  return values.length === 0 ? '' : code(values.join(' '));
}

function code(value: string): Html {
  return html`<code>${value}</code>`;
}
