import { Rule } from '../../config/check/rule.js';
import { ServerProperties } from '../../http/server.properties.js';
import { ManagementServerProperties } from '../dispatch/management-server.properties.js';
import { managementPortOf } from '../dispatch/management-port.js';
import { ManagementSecurityProperties } from './access.properties.js';

const KEY = 'management.security.enabled';

/** Endpoints that ask nobody who they are must not be where users are. */
export const publicEndpointsOnOwnPort = new Rule('management', (facts) => {
  if (facts.get(ManagementSecurityProperties).enabled) return [];
  if (managementPortOf(facts.get(ManagementServerProperties).port, facts.get(ServerProperties).port) !== 'main')
    return [];
  return [
    facts.about(KEY, {
      severity: 'fault',
      what: 'The management endpoints would be open to all users',
      action: `Set ${KEY} to true, or management.server.port to a port of their own inside the network.`,
    }),
  ];
});
