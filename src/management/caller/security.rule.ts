import type { Rule } from '../../config/rule.js';
import { ServerProperties } from '../../server/server.properties.js';
import { ManagementServerProperties } from '../management-server.properties.js';
import { placeOf } from '../place.js';
import { ManagementSecurityProperties } from './security.properties.js';

/** Endpoints that ask nobody who they are must not be where users are. */
export const openEndpointsApart: Rule = (facts) => {
  if (facts.get(ManagementSecurityProperties).enabled) return [];
  if (placeOf(facts.get(ManagementServerProperties).port, facts.get(ServerProperties).port) !== 'main') return [];
  const advice =
    'the endpoints would be open to all users; set it to true, or management.server.port to a port of their own ' +
    'inside the network';
  return [facts.about('management', 'management.security.enabled', advice, 'fault')];
};
