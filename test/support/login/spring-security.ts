import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../programs/temporary-folder.js';

const FOLDER = join(import.meta.dirname, 'spring-security');
const POM = join(FOLDER, 'pom.xml');
const JAR = 'spring-security-oauth2-jose-6.5.1.jar';
const CACHED = join(homedir(), '.m2/repository/org/springframework/security/spring-security-oauth2-jose/6.5.1', JAR);

/** Configuration of a resource server. */
export interface Trust {
  readonly jwksUri: string;
  readonly issuer: string;
  readonly audience: string;
  readonly clientId: string;
}

/** A token, and the kind of its validator. */
export type Presented = readonly ['at+jwt' | 'JWT', string];

/**
 * The class path of Spring Security; undefined where Java, Maven or the classes are missing. Maven runs offline, so that
 * no test downloads anything: `mvn -f test/support/login/spring-security dependency:build-classpath` fetches them once.
 */
export function springSecurityClassPath(): string | undefined {
  if (!existsSync(CACHED)) return undefined;
  const file = join(temporaryFolder('spring-security'), 'classpath');
  const goal = ['-f', POM, '--offline', '-B', '-q', 'dependency:build-classpath', `-Dmdep.outputFile=${file}`];
  const { status } = spawnSync('mvn', goal, { stdio: 'ignore' });
  return status === 0 ? readFileSync(file, 'utf8').trim() : undefined;
}

/** The result of Spring Security for each token: `accepted [<amr>]` with what that proves, or `rejected <reason>`. */
export function springSecurityVerdicts(
  classPath: string,
  { jwksUri, issuer, audience, clientId }: Trust,
  tokens: readonly Presented[],
): readonly string[] {
  const program = [join(FOLDER, 'ResourceServer.java'), jwksUri, issuer, audience, clientId];
  const input = tokens.map((presented) => `${presented.join(' ')}\n`).join('');
  const output = execFileSync('java', ['-cp', classPath, ...program], { input, encoding: 'utf8' });
  return output.trim().split('\n');
}
