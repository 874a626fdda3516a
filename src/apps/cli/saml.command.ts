import type { Command } from 'commander';
import type { Clock } from '../../kernel/clock/clock.js';
import type { Configuration } from '../../config/configuration.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { CertificateFacts } from '../../signin/saml/idp/idp-trust.js';
import { type IdpProperties, SamlProperties } from '../../signin/saml/saml.properties.js';
import type { CachedMetadata } from '../../signin/saml/idp/idp-metadata-cache.js';
import {
  PublicUrlProperties,
  ServerProperties,
  serviceUrl,
  ServletProperties,
} from '../../platform/http/server.properties.js';
import { EXIT, type ExitCode } from './exit-code.js';

const SOON_MILLIS = 30 * 86_400_000;

/** The services that `saml refresh` needs, opened for one command. */
export interface SamlServices {
  /** Requests that every running replica reads the metadata of this identity provider again. */
  readonly requestMetadata: (idp: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The dependencies of the commands. */
export interface SamlCommandParts {
  readonly configuration: () => Configuration;
  readonly open: () => Promise<SamlServices>;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/** The lines to print, and the problems found. */
interface Report {
  readonly lines: string[];
  readonly problems: string[];
}

/** Adds `saml check` and `saml refresh`. */
export function addSamlCommand(program: Command, parts: SamlCommandParts, exit: (code: ExitCode) => void): void {
  const saml = program.command('saml').description('identity providers of staff');
  saml
    .command('check')
    .description('reads the metadata of an identity provider and reports its content')
    .argument('<idp>', 'name of the identity provider, as in app.security.saml.idp.<name>')
    .action(async (name: string) => {
      exit(await check(parts, name));
    });
  saml
    .command('refresh')
    .description('makes the running service read the metadata of an identity provider again')
    .argument('<idp>', 'name of the identity provider, as in app.security.saml.idp.<name>')
    .action(async (name: string) => {
      exit(await refresh(parts, name));
    });
}

async function refresh(parts: SamlCommandParts, name: string): Promise<ExitCode> {
  const properties = named(parts, parts.configuration(), name);
  if (!properties) return EXIT.notFound;
  if (properties.metadata === undefined) {
    parts.printError(`The identity provider "${name}" is configured without metadata, so there is nothing to read.`);
    return EXIT.failed;
  }
  const services = await parts.open();
  try {
    await services.requestMetadata(name);
    parts.print(`Requested. Every running instance reads the metadata of "${name}" within ten seconds; see its log.`);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    parts.printError('The database cannot be reached, so nothing was requested.');
    return EXIT.failed;
  } finally {
    await services.close();
  }
}

/** The configuration of an identity provider; reports an unknown name. */
function named({ printError }: SamlCommandParts, known: Configuration, name: string): IdpProperties | undefined {
  const { idp } = known.get(SamlProperties);
  const properties = idp.get(name);
  if (properties) return properties;
  const names = [...idp.keys()].sort();
  const others = names.length === 0 ? 'none is configured' : `known: ${names.join(', ')}`;
  printError(`Unknown identity provider "${printable(name)}": ${others}.`);
  return undefined;
}

async function check(parts: SamlCommandParts, name: string): Promise<ExitCode> {
  const { configuration, clock, print, printError } = parts;
  const known = configuration();
  const properties = named(parts, known, name);
  if (!properties) return EXIT.notFound;
  const report: Report = { lines: [], problems: [] };
  await reportIdp(report, known, properties, clock);
  await reportServiceProvider(report, known, name, properties, clock);
  for (const line of report.lines) print(printable(line));
  for (const problem of report.problems) printError(printable(`${problem}.`));
  if (report.problems.length === 0) print('No problems found.');
  return report.problems.length === 0 ? EXIT.done : EXIT.failed;
}

async function reportIdp(report: Report, known: Configuration, properties: IdpProperties, clock: Clock): Promise<void> {
  const [found, { certificateFacts }] = await Promise.all([
    read(report, known, properties, clock),
    import('../../signin/saml/idp/idp-trust.js'),
  ]);
  if (!found) return;
  const { lines, problems } = report;
  const { entityId, sso, slo, certificates, validUntil } = found.trust;
  lines.push(`entity id       ${entityId}`);
  lines.push(`single sign-on  ${sso.url} (${sso.binding})`);
  lines.push(`single logout   ${slo ? `${slo.url} (${slo.binding})` : 'none'}`);
  if (slo?.responseUrl !== undefined) lines.push(`  responses to  ${slo.responseUrl}`);
  for (const pem of certificates) {
    reportCertificate(report, 'certificate', certificateFacts(pem), clock);
  }
  if (properties.metadata === undefined) return;
  lines.push(
    `signature       ${properties.metadataCertificate === undefined ? 'not verified: metadata-certificate is not set' : 'valid'}`,
  );
  lines.push(`valid until     ${validUntil === undefined ? 'not stated' : instant(validUntil)}`);
  const { cacheDurationSeconds, assuranceProfiles = [], nameIdFormats = [], warnings = [] } = found;
  lines.push(`cache duration  ${cacheDurationSeconds === undefined ? 'not stated' : `${cacheDurationSeconds} s`}`);
  lines.push(`NameID formats  ${nameIdFormats.join(', ') || 'not stated'}`);
  lines.push(`assurance       ${assuranceProfiles.join(', ') || 'no profile stated'}`);
  problems.push(...warnings);
  if (validUntil !== undefined && validUntil <= clock.millis()) problems.push('The metadata has expired');
}

/** Reads the trust settings of the identity provider from its metadata or, without metadata, from the configuration. */
async function read(
  report: Report,
  known: Configuration,
  properties: IdpProperties,
  clock: Clock,
): Promise<CachedMetadata | undefined> {
  const { configuredTrust } = await import('../../signin/saml/idp/idp-trust.js');
  if (!/^https?:/.test(properties.metadata ?? '')) {
    report.lines.push('clock           not compared: there is no metadata at a URL');
  }
  const found =
    properties.metadata === undefined
      ? configuredTrust(properties)
      : await fetchMetadata(report, known, properties, properties.metadata, clock);
  if (!('problem' in found)) return found;
  const what = properties.metadata === undefined ? 'The keys' : 'The metadata';
  report.problems.push(`${what} of the identity provider cannot be used: ${found.problem}`);
  return undefined;
}

async function fetchMetadata(
  { lines, problems }: Report,
  known: Configuration,
  properties: IdpProperties,
  metadata: string,
  clock: Clock,
): Promise<CachedMetadata | { readonly problem: string }> {
  const [
    { MetadataFailure, metadataSource, readMetadataFile },
    { readMetadata },
    { MetadataClient },
    { OutboundHttp },
    { Meters },
    { Loggers },
  ] = await Promise.all([
    import('../../signin/saml/idp/metadata-source.js'),
    import('../../signin/saml/idp/idp-metadata.js'),
    import('../../signin/saml/idp/metadata.client.js'),
    import('../../platform/outbound/outbound-http.service.js'),
    import('../../observability/metrics/meters.js'),
    import('../../observability/logging/loggers.js'),
  ]);
  const http = OutboundHttp.of(known, new Meters(), new Loggers());
  const source = metadataSource(metadata);
  try {
    if (source.kind === 'file') return readMetadata(await readMetadataFile(source.file), properties);
    const client = new MetadataClient(http);
    const { document, date } = await client.fetch(source.url);
    if (date === undefined) {
      lines.push('clock           not compared: the response with the metadata has no Date header');
    } else {
      // The header has whole seconds, and was written before we read it.
      const seconds = Math.round((clock.millis() - date) / 1000);
      lines.push(`clock           ${apart(seconds)}`);
      if (Math.abs(seconds) > properties.clockSkew.seconds + 1) {
        problems.push(`The clocks differ by more than clock-skew (${properties.clockSkew.seconds} s) allows`);
      }
    }
    return readMetadata(document, properties);
  } catch (error) {
    if (error instanceof MetadataFailure) return { problem: error.message };
    throw error;
  } finally {
    await http.close();
  }
}

function apart(seconds: number): string {
  if (Math.abs(seconds) <= 1) return 'in sync';
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the identity provider`;
}

/** Reports what the identity provider needs to know about this service. */
async function reportServiceProvider(
  report: Report,
  known: Configuration,
  name: string,
  properties: IdpProperties,
  clock: Clock,
): Promise<void> {
  const url = serviceUrl(known.get(PublicUrlProperties), known.get(ServerProperties), known.get(ServletProperties));
  report.lines.push(`our entity id   ${properties.spEntityId ?? `${url}/saml/${name}/metadata`}`);
  report.lines.push(`our ACS         ${url}/saml/${name}/acs (post)`);
  if (properties.bundle === undefined) {
    report.lines.push('our certificate none: requests are not signed, and assertions cannot be encrypted');
    return;
  }
  report.lines.push(`our logout      ${url}/saml/${name}/slo (redirect, post)`);
  const [{ SslBundles }, { certificateFacts }] = await Promise.all([
    import('../../platform/tls/ssl-bundles.service.js'),
    import('../../signin/saml/idp/idp-trust.js'),
  ]);
  const by = { key: `app.security.saml.idp.${name}.bundle`, name: properties.bundle };
  const { cert } = new SslBundles(known, clock).named(by).serverIdentity().context;
  if (typeof cert === 'string') reportCertificate(report, 'our certificate', certificateFacts(cert), clock);
}

function reportCertificate(
  { lines, problems }: Report,
  what: string,
  { subject, fingerprint, end }: CertificateFacts,
  clock: Clock,
): void {
  lines.push(`${what.padEnd(15)} ${subject}, until ${instant(end)}, SHA-256 ${fingerprint}`);
  const left = end - clock.millis();
  if (left < 0) problems.push(`The certificate ${subject} expired at ${instant(end)}`);
  else if (left < SOON_MILLIS) problems.push(`The certificate ${subject} expires at ${instant(end)}`);
}

/** Replaces control characters, so that text of others cannot control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}

function instant(millis: number): string {
  return new Date(millis).toISOString();
}
