import { basic, HttpClient } from '../http/http-client.js';
import { type RunningService, type ServiceOptions, startService } from '../programs/service.js';

export const OPERATOR = { user: 'operator', password: 'an-operator-of-the-login-service' } as const;

/** Arguments that configure the account of the management tests. */
export const ACCOUNT_ARGS: readonly string[] = [
  `--management.security.user=${OPERATOR.user}`,
  `--management.security.password=${OPERATOR.password}`,
];

/** Arguments that permit management calls without credentials, which require a separate port. */
export const WITHOUT_CREDENTIALS: readonly string[] = [
  '--management.server.port=0',
  '--management.security.enabled=false',
];

export const ALL_EXPOSED = '--management.endpoints.web.exposure.include=*';

export const OPERATOR_HEADERS: Readonly<Record<string, string>> = basic(OPERATOR.user, OPERATOR.password);

/** The Accept header of a console for JSON. */
export const CONSOLE_ACCEPT =
  'application/vnd.spring-boot.actuator.v3+json,application/vnd.spring-boot.actuator.v2+json,application/json';

export const JSON_V3 = 'application/vnd.spring-boot.actuator.v3+json';

export interface ManagedService extends RunningService {
  /** A client with the credentials of an operator, at the base of the management endpoints. */
  readonly operator: HttpClient;
  /** A client without credentials at the same base. */
  readonly stranger: HttpClient;
}

/** Starts the built service with every management endpoint exposed, unless `args` override it. */
export async function startManaged({ args = [], ...options }: ServiceOptions = {}): Promise<ManagedService> {
  return managed(await startService({ ...options, args: [ALL_EXPOSED, ...ACCOUNT_ARGS, ...args] }));
}

/** The same without the account: unauthenticated callers can use all endpoints. */
export async function startOpenManagement({ args = [], ...options }: ServiceOptions = {}): Promise<ManagedService> {
  return managed(await startService({ ...options, args: [...WITHOUT_CREDENTIALS, ALL_EXPOSED, ...args] }));
}

/** A service with clients of its management endpoints. */
export function managed(service: RunningService): ManagedService {
  const base = service.managementUrl ?? `${service.url}/actuator`;
  const operator = new HttpClient(base);
  Object.assign(operator.headers, OPERATOR_HEADERS);
  return Object.assign(service, { operator, stranger: new HttpClient(base) });
}
