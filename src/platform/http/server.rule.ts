import { accessSync, constants, statSync } from 'node:fs';
import { SystemClock } from '../../kernel/clock/clock.js';
import { Duration } from '../../config/bind/duration.js';
import { problemsOf, ruleProblem, Rule } from '../../config/check/rule.js';
import { from } from '../../config/problem.js';
import type { Origin } from '../../config/read/origin.js';
import {
  LifecycleProperties,
  PublicUrlProperties,
  ServerErrorProperties,
  ServerProperties,
  SslProperties,
} from './server.properties.js';
import { MultipartProperties } from './upload/multipart.properties.js';
import { uploadFolderProblem } from './upload/upload-folder.js';

const PHASE_LIMIT = 'app.lifecycle.timeout-per-shutdown-phase';
const PUBLIC_URL = 'app.security.public-url';
const STACK_TRACE = 'server.error.include-stacktrace';
const GRACE_ORIGIN: Origin = { kind: 'variable', name: 'TERMINATION_GRACE' };

/** Rule 3: shutdown takes less time than the process manager waits (`TERMINATION_GRACE`, in seconds). */
export const shutdownWithinGrace = new Rule('3', (facts) => {
  const text = facts.inputs.variables['TERMINATION_GRACE']?.trim() ?? '';
  if (text === '') return [];
  if (!/^\d+$/.test(text)) {
    const what = 'The stop timeout of the process manager cannot be read';
    const action = 'Set TERMINATION_GRACE to whole seconds.';
    const variable = { Property: 'TERMINATION_GRACE', Value: `"${text}"`, Origin: from(GRACE_ORIGIN) };
    return [ruleProblem({ what, action }, variable)];
  }
  const grace = Duration.ofSeconds(Number(text));
  const wait = facts.get(LifecycleProperties).timeoutPerShutdownPhase;
  const { shutdownPreDrain: preDrain } = facts.get(ServerProperties);
  if (wait.seconds + preDrain.seconds < grace.seconds) return [];
  const what = 'Shutdown may take longer than the process manager waits';
  const action = `Set ${PHASE_LIMIT} so that both waits together are shorter than TERMINATION_GRACE, or raise that.`;
  const others = { 'server.shutdown-pre-drain': preDrain.toString(), TERMINATION_GRACE: grace.toString() };
  return [facts.about(PHASE_LIMIT, { what, action }, others)];
});

/** Tokens and mailed links of production contain the real URL of the service, with https. */
export const publicUrlConfigured = new Rule('security', (facts) => {
  if (!facts.activeProfiles.includes('prod')) return [];
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (publicUrl?.startsWith('https:')) return [];
  const what = `Production ${publicUrl === undefined ? 'must have a public URL' : 'has a public URL without https'}`;
  const action = `Set ${PUBLIC_URL} to the https URL of the service, as users know it.`;
  return [facts.about(PUBLIC_URL, { what, action })];
});

/** The upload folder exists and is writable; startup verifies that by writing. */
export const uploadFolderWritable = new Rule('uploads', (facts) => {
  const { location } = facts.get(MultipartProperties);
  const code = location === undefined ? undefined : obstacle(location);
  if (code === undefined) return [];
  const { Value: value, Origin: origin } = facts.of('app.servlet.multipart.location');
  return [{ ...uploadFolderProblem(code, { value, origin }), severity: 'error' }];
});

/** Responses of production contain no stack trace. */
export const noStackTraces = new Rule('5', (facts) =>
  facts.get(ServerErrorProperties).includeStacktrace === 'always' && facts.activeProfiles.includes('prod')
    ? [
        facts.about(STACK_TRACE, {
          what: 'Responses of production contain stack traces',
          action: `Set ${STACK_TRACE} to never.`,
        }),
      ]
    : [],
);

/** The certificate of the main listener can be read and used. */
export const bundleUsable = new Rule('tls', async (facts) => {
  const { bundle: name } = facts.get(SslProperties);
  if (name === undefined) return [];
  // Startup without TLS does not load the TLS code.
  const { SslBundles } = await import('../tls/ssl-bundles.service.js');
  const bundles = new SslBundles(facts.configuration, new SystemClock());
  return problemsOf(() => bundles.named({ key: 'server.ssl.bundle', name }).serverIdentity());
});

function obstacle(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return 'ENOTDIR';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EACCES';
  }
}
