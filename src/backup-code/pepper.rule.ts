import type { Rule } from '../config/rule.js';
import { BackupCodeProperties } from './backup-code.properties.js';

/** All 2^40 backup codes can be hashed in minutes: in production the hash is keyed. */
export const pepperedBackupCodes: Rule = (facts) =>
  facts.get(BackupCodeProperties).pepper === undefined && facts.activeProfiles.includes('prod')
    ? [facts.about('security', 'app.security.mfa.backup-code.pepper', 'must be set in production, to a random text')]
    : [];
