import { Duration } from '../../config/bind/duration.js';
import type { Origin } from '../../config/read/origin.js';
import { from } from '../../config/problem.js';
import { finding, Rule } from '../../config/check/rule.js';
import { LifecycleProperties, ServerProperties } from '../server.properties.js';

const KEY = 'app.lifecycle.timeout-per-shutdown-phase';
const ORIGIN: Origin = { kind: 'variable', name: 'TERMINATION_GRACE' };

/** Rule 3: the waits at a shutdown end before the process manager loses its patience, stated in seconds. */
export const shutdownWithinGrace = new Rule('3', (facts) => {
  const stated = facts.inputs.variables['TERMINATION_GRACE']?.trim() ?? '';
  if (stated === '') return [];
  if (!/^\d+$/.test(stated)) {
    const what = 'The stop timeout of the process manager cannot be read';
    const action = 'Set TERMINATION_GRACE to whole seconds.';
    const variable = { Property: 'TERMINATION_GRACE', Value: `"${stated}"`, Origin: from(ORIGIN) };
    return [finding({ what, action }, variable)];
  }
  const grace = Duration.ofSeconds(Number(stated));
  const wait = facts.get(LifecycleProperties).timeoutPerShutdownPhase;
  const { shutdownPreDrain: preDrain } = facts.get(ServerProperties);
  if (wait.seconds + preDrain.seconds < grace.seconds) return [];
  const what = 'A stop may take longer than the process manager waits';
  const action = `Set ${KEY} so that both waits together are shorter than TERMINATION_GRACE, or raise that.`;
  const others = { 'server.shutdown-pre-drain': preDrain.toString(), TERMINATION_GRACE: grace.toString() };
  return [facts.about(KEY, { what, action }, others)];
});
