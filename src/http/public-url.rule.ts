import { Rule } from '../config/check/rule.js';
import { PublicUrlProperties } from './server.properties.js';

const KEY = 'app.security.public-url';

/** Tokens and mailed links of a service in production name where it really is, and by https. */
export const publicUrlGiven = new Rule('security', (facts) => {
  if (!facts.activeProfiles.includes('prod')) return [];
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (publicUrl?.startsWith('https:')) return [];
  const what = `Production ${publicUrl === undefined ? 'must have a public URL' : 'has a public URL without https'}`;
  const action = `Set ${KEY} to the https URL of the service, as users know it.`;
  return [facts.about(KEY, { what, action })];
});
