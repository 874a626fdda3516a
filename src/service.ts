import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountCreation } from './account/account-creation.service.js';
import { AppModule } from './app.module.js';
import { CorsProperties } from './auth/cors.properties.js';
import { type Configuration, type ConfigurationInputs, loadConfiguration } from './config/configuration.js';
import { failureReport, printable } from './config/failure-report.js';
import { ConfigurationFailure, problem } from './config/problem.js';
import { processInputs, setProcessTimeZone } from './config/process-inputs.js';
import { UserProperties } from './config/user.properties.js';
import { checkRules } from './configuration-rules.js';
import { Availability } from './health/availability.js';
import { ManagementListener } from './management/management.listener.js';
import { ManagementServerProperties } from './management/management-server.properties.js';
import { PROPERTIES } from './properties.js';
import { reachable } from './server/address.js';
import { EmbeddedProperties } from './server/admission/embedded.properties.js';
import { ThreadsProperties } from './server/admission/threads.properties.js';
import type { HostOptions } from './server/http-host.js';
import { EncodingProperties } from './server/json/encoding.properties.js';
import { JsonSerializationProperties } from './server/json/json-serialization.properties.js';
import { JsonProperties } from './server/json/json.properties.js';
import { type Binding, Listener } from './server/listener.js';
import { ServerErrorProperties } from './server/problem/server-error.properties.js';
import { ServerProperties } from './server/server.properties.js';
import { ServletProperties } from './server/servlet.properties.js';
import { LifecycleProperties } from './server/shutdown/lifecycle.properties.js';
import { shutDown } from './server/shutdown/shutdown.js';
import { startProblem } from './start-problem.js';

/** As long as a timer can be. */
const LONGEST_INTERVAL_MILLIS = 2 ** 31 - 1;

/** How a start ended. */
export type Start =
  | {
      readonly kind: 'started';
      readonly lines: readonly string[];
      readonly warnings: readonly string[];
      /** A line to be printed once, where the first start makes the first user. */
      readonly firstUser: Promise<string | undefined>;
    }
  | { readonly kind: 'failed'; readonly report: string };

/** Reads the configuration, builds the service and opens its listeners; nothing stays open when it fails. */
export async function startService(): Promise<Start> {
  try {
    const inputs = processInputs();
    const configuration = loadConfiguration(PROPERTIES, inputs);
    const warnings = [...configuration.warnings, ...judgedRules(configuration, inputs)];
    setProcessTimeZone(configuration.get(UserProperties).timezone);
    return { kind: 'started', ...(await open(configuration)), warnings };
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    return { kind: 'failed', report: failureReport(error.problems) };
  }
}

/** Breaches stop a start with profile `prod`; otherwise they are lines of the start. */
function judgedRules(configuration: Configuration, inputs: ConfigurationInputs): readonly string[] {
  const findings = checkRules(configuration, inputs);
  const breaches = findings.filter(({ severity }) => severity === 'breach');
  if (breaches.length > 0 && isProduction(configuration)) {
    throw new ConfigurationFailure(
      breaches.map(({ rule, text }) =>
        problem(`Configuration rule ${rule} is broken: ${text}`, 'Correct it: with profile prod the rules must hold.'),
      ),
    );
  }
  return findings.map(({ rule, text }) => printable(`Configuration rule ${rule}: ${text}`));
}

interface Opened {
  readonly lines: readonly string[];
  readonly firstUser: Promise<string | undefined>;
}

async function open(configuration: Configuration): Promise<Opened> {
  const server = configuration.get(ServerProperties);
  const separate = separateManagement(configuration);
  const main = new Listener(mainOptions(configuration));
  const management = separate ? new Listener(managementOptions(configuration)) : main;
  const app = await create(configuration, main);
  const availability = app.get(Availability);
  try {
    const endpoints = app.get(ManagementListener);
    if (separate !== 'off') endpoints.mount(management.routes);
    await app.init();
    const accounts = app.get(AccountCreation);
    // Asked before the first request, made after the listener is open: a hash takes time.
    const isFirstStart = !isProduction(configuration) && (await accounts.isFirstStart());
    availability.started();
    const lines = [await openMain(main, configuration)];
    if (separate && separate !== 'off') {
      const port = await management.open(separate);
      lines.push(`Management endpoints: ${urlOf(separate.address, port)}${endpoints.basePath}`);
    }
    availability.ready();
    const firstUser = isFirstStart ? accounts.firstAdmin() : Promise.resolve(undefined);
    const stop = (): Promise<void> =>
      shutDown({
        ...{ availability, main, management },
        closeRest: async () => {
          // Made and never told, its password would be lost.
          await firstUser.catch(() => undefined);
          await app.close();
        },
        mode: server.shutdown,
        preDrain: server.shutdownPreDrain,
        phaseLimit: configuration.get(LifecycleProperties).timeoutPerShutdownPhase,
        say: (line) => void process.stdout.write(`${line}\n`),
        warn: (line) => void process.stderr.write(`WARN  ${line}\n`),
      });
    stopOnSignal(stop);
    return { lines, firstUser };
  } catch (error) {
    await Promise.all([main.close(0), management.close(0)]);
    await app.close();
    throw startProblem(error, configuration);
  }
}

function mainOptions(configuration: Configuration): HostOptions {
  return {
    ...managementOptions(configuration),
    contextPath: configuration.get(ServletProperties).contextPath,
    allowedOrigins: configuration.get(CorsProperties).allowedOrigins,
    threads: configuration.get(ThreadsProperties),
    encoding: configuration.get(EncodingProperties),
    json: configuration.get(JsonProperties),
    jsonSerialization: configuration.get(JsonSerializationProperties),
  };
}

/** Of a listener that nobody but operators and probes should reach. */
function managementOptions(configuration: Configuration): HostOptions {
  return {
    errors: configuration.get(ServerErrorProperties),
    server: configuration.get(ServerProperties),
    embedded: configuration.get(EmbeddedProperties),
  };
}

/** Opens the main listener and answers the line that says so. */
async function openMain(main: Listener, configuration: Configuration): Promise<string> {
  const { port, address } = configuration.get(ServerProperties);
  if (port < 0) {
    // Without a listener nothing else would keep the process.
    setInterval(() => undefined, LONGEST_INTERVAL_MILLIS);
    return 'Login service is ready without a listener, as server.port is -1';
  }
  const bound = await main.open({ port, address, key: 'server.port', addressKey: 'server.address' });
  return `Login service is ready: ${urlOf(address, bound)}${configuration.get(ServletProperties).contextPath}/`;
}

/** The listener of the management endpoints where it is not the main one; `off` where there is none. */
function separateManagement(configuration: Configuration): Binding | 'off' | undefined {
  const server = configuration.get(ServerProperties);
  const { port, address } = configuration.get(ManagementServerProperties);
  if (port !== undefined && port < 0) return 'off';
  if (port === undefined || (port === server.port && port !== 0)) return undefined;
  return address === undefined
    ? { port, address: server.address, key: 'management.server.port', addressKey: 'server.address' }
    : { port, address, key: 'management.server.port', addressKey: 'management.server.address' };
}

function isProduction({ environment }: Configuration): boolean {
  return environment.profiles.active.includes('prod');
}

async function create(configuration: Configuration, main: Listener): Promise<INestApplication> {
  try {
    return await NestFactory.create(AppModule.of(configuration), main.adapter, { logger: false, abortOnError: false });
  } catch (error) {
    throw startProblem(error, configuration);
  }
}

function urlOf(address: string | undefined, port: number): string {
  return `http://${reachable(address)}:${port}`;
}

function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // Whoever asks a second time does not want to wait.
      if (isStopping) process.exit(1);
      isStopping = true;
      stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}
