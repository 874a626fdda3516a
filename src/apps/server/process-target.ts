import { cwd } from 'node:process';
import type { Configuration } from '../../config/configuration.js';
import { ServerProperties } from '../../platform/http/server.properties.js';
import { readBuildInfo } from '../../management/info/build-info.js';
import { ManagementServerProperties } from '../../management/dispatch/management-server.properties.js';
import { DatasourceProperties } from '../../platform/persistence/datasource.properties.js';
import { databasePlace } from '../../platform/persistence/jdbc/jdbc-url.js';

/** The database of a process, without account and password, its working folder and its profiles. */
export function targetOf(configuration: Configuration): string {
  const { active } = configuration.environment.profiles;
  const place = databasePlace(configuration.get(DatasourceProperties).url);
  return `Database: ${place}. Folder: ${cwd()}. Profiles: ${active.join(', ') || 'none'}.`;
}

/** The first line of a start. */
export function startLine(configuration: Configuration): string {
  const { version = 'unknown' } = readBuildInfo().build ?? {};
  const { port } = configuration.get(ServerProperties);
  const { port: management } = configuration.get(ManagementServerProperties);
  const hasOwnPort = management !== undefined && management >= 0 && management !== port;
  const ports = hasOwnPort ? `Ports: ${port} (service), ${management} (management).` : `Port: ${port}.`;
  return `Starting version ${version} on Node ${process.versions.node}. ${ports} ${targetOf(configuration)}`;
}
