import { isIP } from 'node:net';
import { Rule, type Verdict } from '../../config/check/rule.js';
import { PublicUrlProperties, ServerProperties } from '../../platform/http/server.properties.js';
import { isLoopbackHost } from '../auth/cookies.js';
import { ForwardAuthProperties, type ForwardAuthRuleProperties } from './forward-auth.properties.js';

const RULES = 'app.security.forward-auth.rules';
const STRATEGY = 'server.forward-headers-strategy';

const PUBLIC_URL = 'app.security.public-url';

/** The host of the service also tells which applications get its cookies. */
const WITHOUT_PUBLIC_URL = error(
  'Forward authentication leads browsers to the public URL, which is not set',
  `Set ${PUBLIC_URL}.`,
);

/** The member of a rule that is unsafe, and why. */
type Finding = readonly [member: string, verdict: Verdict];

/** Each rule is for one address, at which cookies are safe, and says one thing about it. */
export const safeForwardAuth = new Rule('security', (facts) => {
  const { rules } = facts.get(ForwardAuthProperties);
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (publicUrl === undefined) return rules.size === 0 ? [] : [facts.about(PUBLIC_URL, WITHOUT_PUBLIC_URL)];
  const urls = [...rules.values()].map(({ url }) => url ?? '');
  return Array.from(rules).flatMap(([name, rule], at) =>
    findings(rule, publicUrl, urls.slice(0, at)).map(([member, verdict]) =>
      facts.about(`${RULES}.${name}.${member}`, verdict),
    ),
  );
});

/** The service believes what proxies in private networks say, and of X-Forwarded-* the last values only, which they append. */
export const proxiesTrusted = new Rule('security', (facts) => {
  const { rules } = facts.get(ForwardAuthProperties);
  const { forwardHeadersStrategy: strategy } = facts.get(ServerProperties);
  if (rules.size === 0 || strategy === 'native') return [];
  const what = {
    none: 'No proxy may describe requests, so forward authentication rejects all of them',
    framework: 'Forwarded of a client would name another application to forward authentication',
  }[strategy];
  return [facts.about(STRATEGY, { severity: 'error', what, action: `Set ${STRATEGY} to native.` })];
});

function findings(
  { url, public: isPublic, roles, minAcr, maxAge }: ForwardAuthRuleProperties,
  publicUrl: string,
  earlier: readonly string[],
): readonly Finding[] {
  if (url === undefined) return [['url', error('A rule names no address', 'Set url to that of the application.')]];
  const { protocol, hostname } = new URL(url);
  const hasDemands = roles.length > 0 || minAcr !== undefined || maxAge !== undefined;
  const found: (Finding | false)[] = [
    earlier.includes(url) && ['url', error('Two rules are for the same address', 'Remove one of them.')],
    [...earlier, publicUrl].some((other) => sharesCookies(url, other)) && [
      'url',
      error('A host name has several ports or schemes, which share cookies', 'Use a host name for each of them.'),
    ],
    isPublic && hasDemands && ['public', error('A rule for everyone has demands', 'Remove public, or the demands.')],
    protocol === 'http:' &&
      !isLoopbackHost(hostname) && [
        'url',
        { what: 'The session of an application is sent over http', action: 'Use an https URL.' },
      ],
    isAtHostOf(url, publicUrl) && [
      'url',
      {
        severity: 'warning',
        what: 'Scripts of an application at the host name of the service can act as the service',
        action: 'Use another host name for the application.',
      },
    ],
    !isNear(hostname, new URL(publicUrl).hostname) && [
      'url',
      {
        what: 'An application is outside of the domain of the service',
        action: `Use a host below the parent domain of ${PUBLIC_URL}, or OpenID Connect.`,
      },
    ],
  ];
  return found.filter((each) => each !== false);
}

function error(what: string, action: string): Verdict {
  return { severity: 'error', what, action };
}

/** True for two origins at one host name; Traefik also lets a client choose the port that it describes. */
function sharesCookies(url: string, other: string): boolean {
  return isAtHostOf(url, other) && new URL(url).origin !== new URL(other).origin;
}

function isAtHostOf(url: string, other: string): boolean {
  return new URL(url).hostname === URL.parse(other)?.hostname;
}

/** True for the host of the service, and for hosts below its parent domain. */
function isNear(host: string, own: string): boolean {
  const labels = own.split('.');
  const parent = labels.length > 2 && isIP(own) === 0 ? labels.slice(1).join('.') : own;
  return host === parent || host.endsWith(`.${parent}`);
}
