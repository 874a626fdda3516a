import type { Finding, Rule } from '../config/rule.js';
import { PublicUrlProperties } from './public-url.properties.js';

/** Tokens and mailed links of a service in production name where it really is, and by https. */
export const publicUrlGiven: Rule = (facts) => {
  if (!facts.activeProfiles.includes('prod')) return [];
  const { publicUrl } = facts.get(PublicUrlProperties);
  const finding = (advice: string): readonly Finding[] => [facts.about('security', 'app.security.public-url', advice)];
  if (publicUrl === undefined) return finding('must be set in production');
  return publicUrl.startsWith('https:') ? [] : finding('must be an https URL in production');
};
