import 'reflect-metadata';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { AccountCreation } from '../../../src/identity/account/account-creation.service.js';
import { AppModule } from '../../../src/app.module.js';
import '../../../src/apps/server/configuration-rules.js';
import { Clock } from '../../../src/kernel/clock/clock.js';
import { Configuration } from '../../../src/config/configuration.js';
import { Listeners } from '../../../src/apps/server/listeners.js';
import type { LogLine } from '../../../src/observability/logging/log-line.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { EndpointRegistry } from '../../../src/management/dispatch/endpoint-registry.service.js';
import { ManagementAuthenticator } from '../../../src/management/access/management-authenticator.service.js';
import { ManagementListener } from '../../../src/management/dispatch/management.listener.js';
import {
  ManagementServerProperties,
  ManagementWebProperties,
} from '../../../src/management/dispatch/management-server.properties.js';
import type { Endpoint } from '../../../src/management/dispatch/operation.js';
import { EndpointDispatcher } from '../../../src/management/dispatch/endpoint-dispatcher.service.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { loadServiceConfiguration } from '../../../src/apps/server/service-configuration.js';
import { LOGIN_API } from '../../../src/kernel/principal/audience.js';
import { ServerProperties } from '../../../src/platform/http/server.properties.js';
import { AuthenticatorApp } from '../login/authenticator-app.js';
import { basic, HttpClient, textOf } from '../http/http-client.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../../src/resources/', import.meta.url));
const PASSWORD = 'seven quiet lanterns & 1 harbour';
const CHEAP = [
  // Lets users get an access token by password alone.
  '--app.security.mfa.required-roles=ROLE_ADMIN',
  '--app.security.password.hash.memory=1MB',
  '--app.security.password.hash.iterations=1',
  '--app.security.password.hash.parallelism=1',
];

/** The Basic account of the service. */
export const OPERATOR = basic('operator', 'operator: secret');

export interface ManagementService {
  /** Origin and context path of the main listener. */
  readonly url: string;
  /** Origin and base path of the management endpoints. */
  readonly managementUrl: string;
  /** Lines of all loggers. */
  readonly log: readonly LogLine[];
  /** An access token for this service of a new account with these roles, after a login by password. */
  tokenOf(loginId: string, roles: readonly string[]): Promise<string>;
  /** An access token with `otp` in its `amr`, of a new account with these roles. */
  otpTokenOf(loginId: string, roles: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Runs the service in this process with these endpoints in place of its own, and the Basic account `operator`. */
export async function startManagement(
  endpoints: readonly Endpoint[],
  args: readonly string[] = [],
): Promise<ManagementService> {
  const workingFolder = temporaryFolder('management');
  const keys = [
    ...['--server.port=0', '--server.address=127.0.0.1', ...CHEAP],
    `--app.datasource.url=jdbc:sqlite:${join(workingFolder, 'login.db')}`,
    ...['--server.embedded.accesslog.enabled=false', '--management.endpoints.web.exposure.include=*'],
    ...['--management.security.user=operator', '--management.security.password=operator: secret'],
  ];
  const byKey = new Map([...keys, ...args].map((argument) => [argument.replace(/=.*/s, ''), argument]));
  const inputs = { args: [...byKey.values()], variables: {}, workingFolder, packageFolder: PACKAGE_FOLDER };
  const configuration = loadServiceConfiguration(inputs);
  const log: LogLine[] = [];
  const loggers = new Loggers([{ append: (line) => log.push(line) }]);
  const listeners = await Listeners.create(configuration, { loggers, meters: new Meters() });
  const app = await NestFactory.create(AppModule.of(configuration, { loggers }), listeners.main.adapter, {
    logger: false,
    abortOnError: false,
  });
  const web = configuration.get(ManagementWebProperties);
  const registry = new EndpointRegistry(() => endpoints, app.get(Configuration));
  const listener = new ManagementListener(
    web,
    configuration.get(ManagementServerProperties),
    configuration.get(ServerProperties),
    registry,
    new EndpointDispatcher(app.get(ManagementAuthenticator), app.get(Clock)),
  );
  const stop = async (): Promise<void> => {
    await Promise.all([listeners.main.close(0), listeners.management.close(0)]);
    await app.close();
  };
  try {
    listener.mount(listeners.management.routes);
    await app.init();
    const lines = await listeners.open(listener.basePath);
    const [url = '', separate] = lines.map((line) => /https?:\S+/.exec(line)?.[0].replace(/\/$/, ''));
    const tokenOf: ManagementService['tokenOf'] = async (loginId, roles) => {
      await app.get(AccountCreation).create({ loginId, password: PASSWORD, roles }, 'test');
      const answer = await new HttpClient(url).post('/login', { id: loginId, pw: PASSWORD, resource: LOGIN_API });
      return textOf(answer, 'access_token');
    };
    return {
      url,
      managementUrl: separate ?? `${url}${listener.basePath}`,
      log,
      tokenOf,
      async otpTokenOf(loginId, roles) {
        const [client, bearer] = [new HttpClient(url), await tokenOf(loginId, roles)];
        const setup = await client.post('/2fa/setup', {}, { bearer });
        const code = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri')).codeAt(app.get(Clock).seconds());
        return textOf(await client.post('/2fa/confirm', { code, resource: LOGIN_API }, { bearer }), 'access_token');
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
