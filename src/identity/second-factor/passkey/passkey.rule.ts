import { SystemClock } from '../../../kernel/clock/clock.js';
import { type RuleProblem, Rule, type RuleFacts } from '../../../config/check/rule.js';
import type { MetadataContents } from './attestation/authenticator-model.js';
import { PasskeyProperties } from './passkey.properties.js';

const PREFIX = 'app.security.mfa.passkey';
const ALLOWED = `${PREFIX}.allowed-aaguids`;
const METADATA = `${PREFIX}.metadata-file`;

/** Without attestation or metadata, an allow list accepts no authenticator, or every one that claims an allowed model. */
export const allowedModelsProven = new Rule('security', (facts) => {
  const { enabled, allowedAaguids, attestation, metadataFile } = facts.get(PasskeyProperties);
  if (!enabled || allowedAaguids.length === 0) return [];
  if (attestation === 'none') {
    const what =
      'Authenticators are limited to models that none of them proves: without attestation, any can claim an AAGUID';
    const action = `Set ${PREFIX}.attestation to direct, or remove ${ALLOWED}.`;
    return [facts.about(ALLOWED, { severity: 'error', what, action })];
  }
  if (metadataFile !== undefined) return [];
  const what =
    'Authenticators are limited to models whose proof cannot be verified: without the root certificates of their ' +
    'manufacturers, anyone can certify an AAGUID';
  const action = `Set ${METADATA} to the BLOB of https://mds3.fidoalliance.org/, or remove ${ALLOWED}.`;
  return [facts.about(ALLOWED, { severity: 'error', what, action })];
});

/** The file of metadata can be used, is up to date and describes the allowed models. */
export const metadataUsable = new Rule('security', async (facts) => {
  const { enabled, metadataPath, metadataRootPath } = facts.get(PasskeyProperties);
  if (!enabled || metadataPath === undefined) return [];
  const [{ readMetadataFile }, { UnusableMetadata }] = await Promise.all([
    import('./attestation/metadata-file.js'),
    import('./attestation/authenticator-model.js'),
  ]);
  const now = new SystemClock().millis();
  try {
    const metadata = await readMetadataFile({ metadata: metadataPath, root: metadataRootPath }, now);
    return [...outdated(facts, metadata, now), ...undescribed(facts, metadata)];
  } catch (error) {
    if (!(error instanceof UnusableMetadata)) throw error;
    const what = 'The metadata of authenticators cannot be used';
    const action = `Download the BLOB from https://mds3.fidoalliance.org/ again; for a private service, check ${PREFIX}.metadata-root.`;
    return [facts.about(METADATA, { severity: 'error', what, action }, { File: metadataPath, Reason: error.message })];
  }
});

function outdated(facts: RuleFacts, { outdatedFrom }: MetadataContents, now: number): readonly RuleProblem[] {
  if (outdatedFrom === undefined || now < outdatedFrom) return [];
  const what = 'The metadata of authenticators are outdated, so newly compromised models are not recognized';
  const action = 'Download the BLOB from https://mds3.fidoalliance.org/ again, once a month.';
  const since = { 'Outdated since': new Date(outdatedFrom).toISOString().slice(0, 10) };
  return [facts.about(METADATA, { severity: 'warning', what, action }, since)];
}

function undescribed(facts: RuleFacts, { models }: MetadataContents): readonly RuleProblem[] {
  return facts
    .get(PasskeyProperties)
    .allowedAaguids.filter((aaguid) => !models.has(aaguid))
    .map((aaguid) => {
      const what = `The metadata do not describe ${facts.part(ALLOWED, aaguid)}, so no such authenticator can be registered`;
      return facts.about(ALLOWED, {
        severity: 'warning',
        what,
        action: 'Correct the AAGUID, or add its statement to the file.',
      });
    });
}
