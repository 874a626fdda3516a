import { Rule } from '../../config/check/rule.js';
import { reachableAddress } from '../../platform/outbound/outbound.rule.js';
import { WebhookProperties } from './webhook.properties.js';

const URL = 'app.security.webhook.url';
const SECRET = 'app.security.webhook.secret';

/** Events name users and addresses, so in production the webhook is encrypted; a receiver must be able to verify them. */
export const protectedWebhook = new Rule('security', (facts) => {
  const { url, secret } = facts.get(WebhookProperties);
  if (url === undefined || !facts.activeProfiles.includes('prod')) return [];
  return [
    ...(url.startsWith('https:')
      ? []
      : [facts.about(URL, { what: 'The webhook of production has no https', action: `Set ${URL} to an https URL.` })]),
    ...(secret?.length
      ? []
      : [
          facts.about(SECRET, {
            what: 'The webhook of production has no secret, so its receiver cannot verify events',
            action: `Set ${SECRET} to what "openssl rand -base64 32" prints, from the environment.`,
          }),
        ]),
  ];
});

/** Calls to the receiver are not refused because of its address. */
export const reachableWebhook = new Rule('security', (facts) => {
  const { url } = facts.get(WebhookProperties);
  return url === undefined ? [] : reachableAddress(facts, URL, url);
});
