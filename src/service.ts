import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { type Configuration, type ConfigurationInputs, loadConfiguration } from './config/configuration.js';
import { failureReport, printable } from './config/failure-report.js';
import { originText } from './config/origin.js';
import { ConfigurationFailure, type Problem, problem } from './config/problem.js';
import { processInputs, setProcessTimeZone } from './config/process-inputs.js';
import { one } from './config/profiles.js';
import { UserProperties } from './config/user.properties.js';
import { checkRules } from './configuration-rules.js';
import { ManagementListener } from './management/management.listener.js';
import { ManagementServerProperties } from './management/management-server.properties.js';
import { DatabaseUnavailable } from './persistence/database-unavailable.js';
import { PROPERTIES } from './properties.js';
import { reachable } from './server/address.js';
import { LifecycleProperties } from './server/lifecycle.properties.js';
import { type Binding, Listener, ListenFailure } from './server/listener.js';
import { ServerProperties } from './server/server.properties.js';

/** How a start ended. */
export type Start =
  | { readonly kind: 'started'; readonly lines: readonly string[]; readonly warnings: readonly string[] }
  | { readonly kind: 'failed'; readonly report: string };

/** Reads the configuration, builds the service and opens its listeners; nothing stays open when it fails. */
export async function startService(): Promise<Start> {
  try {
    const inputs = processInputs();
    const configuration = loadConfiguration(PROPERTIES, inputs);
    const warnings = [...configuration.warnings, ...judgedRules(configuration, inputs)];
    setProcessTimeZone(configuration.get(UserProperties).timezone);
    return { kind: 'started', lines: await open(configuration), warnings };
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    return { kind: 'failed', report: failureReport(error.problems) };
  }
}

/** Breaches stop a start with profile `prod`; otherwise they are lines of the start. */
function judgedRules(configuration: Configuration, inputs: ConfigurationInputs): readonly string[] {
  const findings = checkRules(configuration, inputs);
  const breaches = findings.filter(({ severity }) => severity === 'breach');
  if (breaches.length > 0 && configuration.environment.profiles.active.includes('prod')) {
    throw new ConfigurationFailure(
      breaches.map(({ rule, text }) =>
        problem(`Configuration rule ${rule} is broken: ${text}`, 'Correct it: with profile prod the rules must hold.'),
      ),
    );
  }
  return findings.map(({ rule, text }) => printable(`Configuration rule ${rule}: ${text}`));
}

async function open(configuration: Configuration): Promise<readonly string[]> {
  const server = configuration.get(ServerProperties);
  const separate = separateManagement(configuration);
  const main = new Listener();
  const management = separate ? new Listener() : main;
  const app = await create(configuration, main);
  const stop = async (): Promise<void> => {
    const { timeoutPerShutdownPhase } = configuration.get(LifecycleProperties);
    await Promise.all(Array.from(new Set([main, management]), (listener) => listener.close(timeoutPerShutdownPhase)));
    await app.close();
  };
  try {
    const endpoints = app.get(ManagementListener);
    if (separate !== 'off') endpoints.mount(management.routes);
    await app.init();
    const binding = { port: server.port, address: server.address, key: 'server.port', addressKey: 'server.address' };
    const lines = [`Login service is ready: ${urlOf(server.address, await main.open(binding))}/`];
    if (separate && separate !== 'off') {
      const port = await management.open(separate);
      lines.push(`Management endpoints: ${urlOf(separate.address, port)}${endpoints.basePath}`);
    }
    stopOnSignal(stop);
    return lines;
  } catch (error) {
    await stop();
    if (error instanceof ListenFailure) throw new ConfigurationFailure([listenProblem(error, configuration)]);
    throw error;
  }
}

/** The listener of the management endpoints where it is not the main one; `off` where there is none. */
function separateManagement(configuration: Configuration): Binding | 'off' | undefined {
  const server = configuration.get(ServerProperties);
  const { port, address } = configuration.get(ManagementServerProperties);
  if (port === undefined || (port === server.port && port !== 0)) return undefined;
  if (port < 0) return 'off';
  return address === undefined
    ? { port, address: server.address, key: 'management.server.port', addressKey: 'server.address' }
    : { port, address, key: 'management.server.port', addressKey: 'management.server.address' };
}

async function create(configuration: Configuration, main: Listener): Promise<INestApplication> {
  try {
    return await NestFactory.create(AppModule.of(configuration), main.adapter, { logger: false, abortOnError: false });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const { facts, ...rest } = error.problem;
    const origin = originOf(configuration, 'app.datasource.url');
    throw new ConfigurationFailure([{ ...rest, facts: [...facts, ['Origin', origin]] }]);
  }
}

function originOf({ environment, registry }: Configuration, key: string): string {
  const [assignment] = one(environment, registry, key).assignments;
  return assignment ? originText(assignment.origin) : 'default value';
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

/** What an operator can do about a listener that does not open. */
function listenProblem({ binding, code, message }: ListenFailure, configuration: Configuration): Problem {
  const { port, address = '', key, addressKey } = binding;
  const ofPort = { Property: key, Value: `"${port}"`, Origin: originOf(configuration, key), Reason: code };
  switch (code) {
    case 'EADDRINUSE':
      return problem(
        `Port ${port} is taken`,
        `Stop the process that listens on port ${port}, or set ${key} to another port.`,
        ofPort,
      );
    case 'EACCES':
      return problem(`Port ${port} may not be opened by this user`, `Set ${key} to a port above 1023.`, ofPort);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return problem(
        `The address ${address} is none of this machine`,
        `Correct ${addressKey}, or leave it unset to listen on every address.`,
        {
          Property: addressKey,
          Value: `"${address}"`,
          Origin: originOf(configuration, addressKey),
          Reason: code,
        },
      );
    default:
      return problem(message, `Check ${key} and ${addressKey}.`, ofPort);
  }
}
