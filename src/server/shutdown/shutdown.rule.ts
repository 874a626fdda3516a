import { Duration } from '../../config/duration.js';
import type { Rule } from '../../config/rule.js';
import { ServerProperties } from '../server.properties.js';
import { LifecycleProperties } from './lifecycle.properties.js';

/** Rule 3: the waits at a shutdown end before the process manager loses its patience, stated in seconds. */
export const shutdownWithinGrace: Rule = (facts) => {
  const stated = facts.inputs.variables['TERMINATION_GRACE']?.trim() ?? '';
  if (stated === '') return [];
  if (!/^\d+$/.test(stated)) {
    const advice = 'must be the stop timeout of the process manager in whole seconds';
    return [{ rule: '3', severity: 'breach', text: `TERMINATION_GRACE = ${stated}: ${advice}` }];
  }
  const grace = Duration.ofSeconds(Number(stated));
  const wait = facts.get(LifecycleProperties).timeoutPerShutdownPhase;
  const { shutdownPreDrain: preDrain } = facts.get(ServerProperties);
  if (wait.seconds + preDrain.seconds < grace.seconds) return [];
  const together = preDrain.seconds > 0 ? `with server.shutdown-pre-drain = ${preDrain.toString()} ` : '';
  const limit = `must be shorter than the stop timeout of the process manager, TERMINATION_GRACE = ${grace.toString()}`;
  return [facts.about('3', 'app.lifecycle.timeout-per-shutdown-phase', `${together}${limit}`)];
};
