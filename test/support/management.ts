import { basic, HttpClient } from './http-client.js';
import { type RunningService, type ServiceOptions, startService } from './service.js';

export const OPERATOR = { user: 'operator', password: 'an-operator-of-the-login-service' } as const;

/** Makes the account that management tests call with. */
const ACCOUNT_ARGS: readonly string[] = [
  `--management.security.user=${OPERATOR.user}`,
  `--management.security.password=${OPERATOR.password}`,
];

/** Lets tests call management endpoints without credentials, which takes a port of their own. */
export const WITHOUT_CREDENTIALS: readonly string[] = [
  '--management.server.port=0',
  '--management.security.enabled=false',
];

const ALL_EXPOSED = '--management.endpoints.web.exposure.include=*';

export const OPERATOR_HEADERS: Readonly<Record<string, string>> = basic(OPERATOR.user, OPERATOR.password);

/** What a console sends where it reads JSON. */
export const CONSOLE_ACCEPT =
  'application/vnd.spring-boot.actuator.v3+json,application/vnd.spring-boot.actuator.v2+json,application/json';

export const JSON_V3 = 'application/vnd.spring-boot.actuator.v3+json';

export interface ManagedService extends RunningService {
  /** Signed in as an operator, at the base of the management endpoints. */
  readonly operator: HttpClient;
  /** The same base for somebody nobody knows. */
  readonly stranger: HttpClient;
}

/** The built service with every management endpoint exposed, unless `args` say otherwise. */
export async function startManaged({ args = [], ...options }: ServiceOptions = {}): Promise<ManagedService> {
  return managed(await startService({ ...options, args: [ALL_EXPOSED, ...ACCOUNT_ARGS, ...args] }));
}

/** The same without the account: all of them can be called by strangers. */
export async function startOpenManagement({ args = [], ...options }: ServiceOptions = {}): Promise<ManagedService> {
  return managed(await startService({ ...options, args: [...WITHOUT_CREDENTIALS, ALL_EXPOSED, ...args] }));
}

/** A service with what calls its management endpoints, on whichever port they are. */
export function managed(service: RunningService): ManagedService {
  const base = service.managementUrl ?? `${service.url}/actuator`;
  const operator = new HttpClient(base);
  Object.assign(operator.headers, OPERATOR_HEADERS);
  return Object.assign(service, { operator, stranger: new HttpClient(base) });
}
