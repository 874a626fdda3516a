import { type ClientProperties, ClientsProperties } from '../../identity/client/client.properties.js';
import { isPlainHttpElsewhere } from '../../identity/client/redirect-uri.js';
import { TokenProperties } from '../../identity/token/token.properties.js';
import { CLAIMS } from '../../identity/client/client.js';
import { problemsOf, Rule, ruleProblem, type Verdict } from '../../config/check/rule.js';
import { LOGIN_API, MFA_AUDIENCE } from '../../kernel/principal/audience.js';
import { reachableAddress } from '../../platform/outbound/outbound.rule.js';
import { OidcProperties } from './oidc.properties.js';
import { ClientKeys } from './token/client-keys.service.js';
import { scopeOfClaim } from './granted-scope.js';

const CLIENTS = 'app.security.clients';
const REQUIRE_PKCE = 'app.security.oidc.require-pkce';
const ACCEPT_RESOURCE_API = 'app.security.token.accept-resource-api';
const TOKEN_CLIENT = 'app.security.token.client-id';
const TOKEN_TYPE = 'app.security.token.type';
/** Columns `client_id` and `scope` of table `session`. */
const MAX_ID_LENGTH = 64;
const MAX_SCOPE_LENGTH = 512;

/** The member of a client that is unsafe, and why. */
type Finding = readonly [member: string, verdict: Verdict];

/** Applications must be registered so that nobody else gets their codes and tokens (RFC 9700 sections 2 and 4.1). */
export const safeClients = new Rule('security', (facts) =>
  Array.from(facts.get(ClientsProperties).clients).flatMap(([id, client]) =>
    findings(client).map(([member, verdict]) => facts.about(`${CLIENTS}.${id}.${member}`, verdict)),
  ),
);

/** Logouts name users, and the address must be one that the service can call. */
export const deliverableLogouts = new Rule('security', (facts) =>
  Array.from(facts.get(ClientsProperties).clients).flatMap(([id, { backchannelLogoutUri: uri }]) => {
    if (uri === undefined) return [];
    const key = `${CLIENTS}.${id}.backchannel-logout-uri`;
    const unencrypted = isPlainHttpElsewhere(uri) ? [facts.about(key, plainHttp('logouts'))] : [];
    return [...unencrypted, ...reachableAddress(facts, key, uri)];
  }),
);

/** Ids must fit into the database, and must not be those of the tokens that users get here. */
export const distinctClients = new Rule('security', (facts) => {
  const { clientId } = facts.get(TokenProperties);
  return [...facts.get(ClientsProperties).clients.keys()].flatMap((id) => [
    ...(id === clientId
      ? [
          facts.about(
            TOKEN_CLIENT,
            error(
              `The client ${id} could introspect every access token of this service as its own`,
              `Rename the client, or set ${TOKEN_CLIENT} to an id that no client has.`,
            ),
          ),
        ]
      : []),
    ...(id.length > MAX_ID_LENGTH
      ? [
          ruleProblem(error('The id of a client is too long', `Use at most ${MAX_ID_LENGTH} characters.`), {
            Property: `${CLIENTS}.${id}`,
          }),
        ]
      : []),
  ]);
});

/** An ID token has the audience of an application's access tokens, unless that is configured; only the type differs. */
export const distinctTokens = new Rule('security', (facts) => {
  const isDistinct = facts.get(TokenProperties).type === 'at+jwt';
  if (isDistinct || !facts.get(ClientsProperties).hasApplications) return [];
  return [
    facts.about(TOKEN_TYPE, {
      severity: 'warning',
      what: 'APIs cannot distinguish the ID tokens of applications from access tokens by their type',
      action: `Set ${TOKEN_TYPE} to at+jwt once all APIs accept it, and give each application an audience of its own until then.`,
    }),
  ];
});

/** Startup reads the keys with which clients authenticate. */
export const clientKeysUsable = new Rule('tokens', (facts) =>
  problemsOf(() => new ClientKeys(facts.get(ClientsProperties), facts.configuration)),
);

/** Without PKCE, a code that leaks can be redeemed with the secret of the application alone (RFC 9700 section 2.1.1). */
export const codesAreBound = new Rule('security', (facts) => {
  const { clients } = facts.get(ClientsProperties);
  const isOpen = [...clients.values()].some((client) => client.redirectUris.length > 0 && !client.public);
  if (facts.get(OidcProperties).requirePkce || !isOpen) return [];
  return [
    facts.about(REQUIRE_PKCE, {
      severity: 'warning',
      what: 'Applications with a secret may sign users in without PKCE',
      action: `Set ${REQUIRE_PKCE} to true once all of them send a code_challenge.`,
    }),
  ];
});

/** The tokens of resource servers must not open this service (docs/decisions/0113). */
export const ownAudience = new Rule('security', (facts) => {
  if (!facts.get(TokenProperties).acceptResourceApi) return [];
  const what = 'Every service that receives an access token can act here as its user';
  const action = `Let scripts request login-api, and remove ${ACCEPT_RESOURCE_API}.`;
  return [facts.about(ACCEPT_RESOURCE_API, { severity: 'warning', what, action })];
});

function findings(client: ClientProperties): readonly Finding[] {
  const { secret, keys, redirectUris, postLogoutRedirectUris, audience, scopes } = client;
  const hasCredential = secret !== undefined || keys.length > 0;
  const found: (Finding | false)[] = [
    client.public && hasCredential && ['public', error('A public client has a secret', 'Remove the secret or public.')],
    !client.public &&
      !hasCredential &&
      redirectUris.length > 0 && [
        'secret',
        error('An application cannot authenticate', 'Set secret, keys or public=true.'),
      ],
    audience.some((each) => each === LOGIN_API || each === MFA_AUDIENCE) && [
      'audience',
      error(
        'Tokens of an application would open this service',
        `Remove ${LOGIN_API} and ${MFA_AUDIENCE} from its audience.`,
      ),
    ],
    storedLength(scopes) > MAX_SCOPE_LENGTH && [
      'scopes',
      error('The scopes of an application are too long', 'Shorten the names of its scopes, or remove some.'),
    ],
    redirectUris.some(isPlainHttpElsewhere) && ['redirect-uris', plainHttp('codes')],
    postLogoutRedirectUris.some(isPlainHttpElsewhere) && ['post-logout-redirect-uris', plainHttp('sign-outs')],
  ];
  return found.filter((each) => each !== false);
}

/** A session stores all scopes that it was granted, and the claims that its request has named. */
function storedLength(scopes: readonly string[]): number {
  return [...scopes, ...CLAIMS.map(scopeOfClaim)].join(' ').length;
}

function error(what: string, action: string): Verdict {
  return { severity: 'error', what, action };
}

function plainHttp(what: string): Verdict {
  return {
    what: `An application receives ${what} over http`,
    action: 'Use https URIs; http is for loopback addresses alone.',
  };
}
