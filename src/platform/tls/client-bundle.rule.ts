import { SystemClock } from '../../kernel/clock/clock.js';
import { problemsOf, type RuleProblem, type RuleFacts } from '../../config/check/rule.js';
import type { TlsIdentity } from './ssl-bundle.js';

/**
 * Problems of the bundle that a key of a client names: those that make it unusable, and one warning for each of its
 * certificates that is not valid.
 */
export async function clientBundleProblems(
  facts: RuleFacts,
  key: string,
  name: string | undefined,
): Promise<readonly RuleProblem[]> {
  if (name === undefined) return [];
  // Startup without TLS does not load the TLS code.
  const { SslBundles } = await import('./ssl-bundles.service.js');
  const bundles = new SslBundles(facts.configuration, new SystemClock());
  let identity: TlsIdentity | undefined;
  const problems = problemsOf(() => (identity = bundles.named({ key, name }).clientIdentity()));
  const action = `Replace it in the bundle "${name}".`;
  return [
    ...problems,
    ...(identity?.warnings ?? []).map((what) => facts.about(key, { severity: 'warning', what, action })),
  ];
}
