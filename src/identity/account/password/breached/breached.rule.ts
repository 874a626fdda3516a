import { Rule } from '../../../../config/check/rule.js';
import { reachableAddress } from '../../../../platform/outbound/outbound.rule.js';
import { pathOf } from '../../../../platform/tls/bundle-reading.js';
import { BreachedPasswordProperties } from './breached.properties.js';

const URL_KEY = 'app.security.password.breached.url';
const FILE_KEY = 'app.security.password.breached.file';

/** Without encryption, a stranger decides which passwords are rejected. */
export const protectedRangeService = new Rule('security', (facts) => {
  const { url } = facts.get(BreachedPasswordProperties);
  if (url === undefined || /^https:/i.test(url) || !facts.activeProfiles.includes('prod')) return [];
  const what = 'The range service of breached passwords is called without https in production';
  return [facts.about(URL_KEY, { what, action: `Set ${URL_KEY} to an https URL.` })];
});

/** Calls to the range service are not rejected because of its address. */
export const reachableRangeService = new Rule('security', (facts) => {
  const { url } = facts.get(BreachedPasswordProperties);
  return url === undefined ? [] : reachableAddress(facts, URL_KEY, url);
});

/** The file of hashes can be searched. */
export const hashFileUsable = new Rule('security', async (facts) => {
  const { file } = facts.get(BreachedPasswordProperties);
  if (file === undefined) return [];
  const { hashFileProblem } = await import('./hash-file-check.js');
  const path = pathOf(file);
  const Reason = await hashFileProblem(path);
  if (Reason === undefined) return [];
  const what = 'The file of breached passwords cannot be used';
  const action =
    'Check the path and its permissions. The file needs SHA-1 hashes in ascending order, one in a line, with or without ' +
    '":" and a count; "LC_ALL=C sort" sorts it.';
  return [facts.about(FILE_KEY, { severity: 'error', what, action }, { File: path, Reason })];
});
