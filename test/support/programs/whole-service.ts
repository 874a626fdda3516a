import 'reflect-metadata';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { AppModule, type Instruments } from '../../../src/app.module.js';
import '../../../src/apps/server/configuration-rules.js';
import { HealthPaths } from '../../../src/management/health/health-paths.listener.js';
import { ManagementListener } from '../../../src/management/dispatch/management.listener.js';
import { LockedAccounts } from '../../../src/identity/second-factor/attempts/locked-accounts.task.js';
import { loadServiceConfiguration } from '../../../src/apps/server/service-configuration.js';
import { ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { Listener } from '../../../src/platform/http/listener.js';
import { ServletProperties } from '../../../src/platform/http/server.properties.js';
import { PAGES } from '../pages/views.js';
import { temporaryFolder } from './temporary-folder.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../../src/resources/', import.meta.url));

export interface WholeService {
  /** URL with the context path. */
  readonly url: string;
  /** `METHOD /template` of every route, without the context path. */
  readonly routes: readonly string[];
  /** Runs the periodic task of the gauge `login.mfa.locked`. */
  countLocked(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Runs the whole service in this process, with its management endpoints, on a fresh database unless `args` name one;
 * its log lines and meters go to `watching`.
 */
export async function startWholeService(
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
  watching: Instruments = {},
): Promise<WholeService> {
  const workingFolder = temporaryFolder('whole');
  const own = `--app.datasource.url=jdbc:sqlite:${join(workingFolder, 'login.db')}`;
  const database = args.some((argument) => argument.startsWith('--app.datasource.url=')) ? [] : [own];
  const inputs = { args: [...database, ...args], variables, workingFolder, packageFolder: PACKAGE_FOLDER };
  const configuration = loadServiceConfiguration(inputs);
  const { contextPath } = configuration.get(ServletProperties);
  const listener = new Listener({
    contextPath,
    pages: PAGES,
    threads: configuration.get(ThreadsProperties),
    ...(watching.meters && { meters: watching.meters }),
  });
  const routes: string[] = [];
  listener.adapter.getInstance().addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().map((name) => `${name} ${url}`));
  });
  const app = await NestFactory.create(AppModule.of(configuration, watching), listener.adapter, {
    logger: false,
    abortOnError: false,
  });
  app.get(ManagementListener).mount(listener.routes);
  app.get(HealthPaths).mount(listener.routes, listener.routes);
  await app.init();
  const port = await listener.open({ port: 0, address: '127.0.0.1', key: '', addressKey: '' });
  return {
    url: `http://127.0.0.1:${port}${contextPath}`,
    routes,
    countLocked: () => app.get(LockedAccounts).look(),
    stop: () => app.close(),
  };
}
