/** Of JSON, in the order of preference (management API, "Media types"). */
export const JSON_V3 = 'application/vnd.spring-boot.actuator.v3+json';
export const JSON_V2 = 'application/vnd.spring-boot.actuator.v2+json';
export const JSON_PLAIN = 'application/json';
export const JSON_TYPES: readonly string[] = [JSON_V3, JSON_V2, JSON_PLAIN];
