import { Rule } from '../../config/check/rule.js';
import { ManagementSecurityProperties } from './access.properties.js';

const KEY = 'management.security.password';
/** Characters of a password that is the only factor (NIST SP 800-63B-4 section 3.1.1.2). */
const MIN_LENGTH = 15;
/** Characters beside the name of the account, and different ones. */
const MIN_OWN_CHARACTERS = 8;
const MIN_DISTINCT_CHARACTERS = 5;

/** The account of the operators has no second factor: its password, made at random, is all there is to guess. */
export const strongOperatorPassword = new Rule('management', (facts) => {
  const { user = '', password } = facts.get(ManagementSecurityProperties);
  if (password === undefined) return [];
  const weakness = weaknessOf(password, user);
  if (weakness === undefined) return [];
  return [
    facts.about(KEY, {
      severity: 'warning',
      what: `The account of the operators has a weak password, which ${weakness}`,
      action: `Make one of at least ${MIN_LENGTH} characters at random, as "openssl rand -base64 24" does.`,
    }),
  ];
});

function weaknessOf(password: string, user: string): string | undefined {
  const own = password.toLowerCase().replaceAll(user.toLowerCase(), '');
  if (own.length < Math.min(MIN_OWN_CHARACTERS, password.length)) return 'is little more than the name of the account';
  // Those that everybody knows are shorter, too.
  if (Array.from(password).length < MIN_LENGTH) return 'is short for the only factor of an account';
  return new Set(password).size < MIN_DISTINCT_CHARACTERS ? 'repeats a few characters' : undefined;
}
