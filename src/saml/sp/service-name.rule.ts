import { Rule } from '../../config/check/rule.js';
import { PublicUrlProperties } from '../../http/server.properties.js';
import { SamlProperties } from '../saml.properties.js';

const KEY = 'app.security.public-url';

/** Identity providers have to know where this service is; profile `prod` demands it whoever signs in. */
export const publicUrlKnown = new Rule('saml', (facts) => {
  const hasIdps = facts.get(SamlProperties).idp.size > 0;
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (!hasIdps || publicUrl !== undefined || facts.activeProfiles.includes('prod')) return [];
  const what = 'Identity providers of staff know this service as localhost alone';
  const action = `Set ${KEY} to the URL of the service, as users know it.`;
  return [facts.about(KEY, { severity: 'warning', what, action })];
});
