import { Rule } from '../../config/check/rule.js';
import { BackupCodeProperties } from '../mfa.properties.js';

const KEY = 'app.security.mfa.backup-code.pepper';

/** All 2^40 backup codes can be hashed in minutes: in production the hash is keyed. */
export const pepperedBackupCodes = new Rule('security', (facts) =>
  facts.get(BackupCodeProperties).pepper === undefined && facts.activeProfiles.includes('prod')
    ? [
        facts.about(KEY, {
          what: 'Backup codes of production must have a pepper',
          action: `Set ${KEY} to a random text of at least 32 characters, from the environment.`,
        }),
      ]
    : [],
);
