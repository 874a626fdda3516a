import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from './service.js';
import { temporaryFolder } from './temporary-folder.js';

/** A route of the router of the built service. */
export interface ServiceRoute {
  readonly method: string;
  /** Path with parameters, such as `/sessions/:id`. */
  readonly template: string;
  readonly takesForm: boolean;
  readonly takesUpload: boolean;
}

/** Every route of the packaged service, including those that the framework adds (HEAD). */
export async function routesOfService(args: readonly string[] = []): Promise<readonly ServiceRoute[]> {
  const file = join(temporaryFolder('routes'), 'routes');
  const preload = new URL('route-list-preload.ts', import.meta.url);
  preload.searchParams.set('file', file);
  const service = await startService({ args, nodeArguments: ['--import', preload.href] });
  await service.release();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ServiceRoute);
}
