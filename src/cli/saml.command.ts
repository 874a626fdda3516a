import type { Command } from 'commander';
import type { Clock } from '../clock/clock.js';
import type { Configuration } from '../config/configuration.js';
import { ServiceError } from '../errors/service-error.js';
import { HttpClientProperties } from '../outbound/outbound.properties.js';
import type { CertificateFacts } from '../saml/idp/idp-trust.js';
import { type IdpProperties, SamlProperties } from '../saml/saml.properties.js';
import type { IdpFacts } from '../saml/idp/idp-metadata-cache.js';
import { PublicUrlProperties, ServerProperties, serviceUrl, ServletProperties } from '../http/server.properties.js';
import { EXIT, type ExitCode } from './exit-code.js';

const SOON_MILLIS = 30 * 86_400_000;

/** The service as far as `saml refresh` needs it, opened for one command. */
export interface SamlServices {
  /** Makes every running replica read the metadata of that identity provider again. */
  readonly requestMetadata: (idp: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What the commands need from outside. */
export interface SamlCommandParts {
  readonly configuration: () => Configuration;
  readonly open: () => Promise<SamlServices>;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** Lines to be printed, and what is wrong. */
interface Report {
  readonly lines: string[];
  readonly findings: string[];
}

/** Adds `saml check` and `saml refresh`. */
export function addSamlCommand(program: Command, parts: SamlCommandParts, exit: (code: ExitCode) => void): void {
  const saml = program.command('saml').description('identity providers of staff');
  saml
    .command('check')
    .description('reads the metadata of an identity provider and reports what they contain')
    .argument('<idp>', 'name of the identity provider, as in app.security.saml.idp.<name>')
    .action(async (name: string) => {
      exit(await checked(parts, name));
    });
  saml
    .command('refresh')
    .description('makes the running service read the metadata of an identity provider again')
    .argument('<idp>', 'name of the identity provider, as in app.security.saml.idp.<name>')
    .action(async (name: string) => {
      exit(await refreshed(parts, name));
    });
}

async function refreshed(parts: SamlCommandParts, name: string): Promise<ExitCode> {
  const properties = named(parts, parts.configuration(), name);
  if (!properties) return EXIT.notFound;
  if (properties.metadata === undefined) {
    parts.complain(`The identity provider "${name}" has no metadata to read: its keys are configured one by one.`);
    return EXIT.failed;
  }
  const services = await parts.open();
  try {
    await services.requestMetadata(name);
    parts.print(`Requested. Every running instance reads the metadata of "${name}" within ten seconds; see its log.`);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    parts.complain('The database cannot be reached, so nothing was requested.');
    return EXIT.failed;
  } finally {
    await services.close();
  }
}

/** Complains where it is not configured. */
function named({ complain }: SamlCommandParts, known: Configuration, name: string): IdpProperties | undefined {
  const { idp } = known.get(SamlProperties);
  const properties = idp.get(name);
  if (properties) return properties;
  const names = [...idp.keys()].sort();
  const others = names.length === 0 ? 'none is configured' : `known: ${names.join(', ')}`;
  complain(`Unknown identity provider "${shown(name)}": ${others}.`);
  return undefined;
}

async function checked(parts: SamlCommandParts, name: string): Promise<ExitCode> {
  const { configuration, clock, print, complain } = parts;
  const known = configuration();
  const properties = named(parts, known, name);
  if (!properties) return EXIT.notFound;
  const report: Report = { lines: [], findings: [] };
  await look(report, known, properties, clock);
  await lookAtUs(report, known, name, properties, clock);
  for (const line of report.lines) print(shown(line));
  for (const finding of report.findings) complain(shown(`${finding}.`));
  if (report.findings.length === 0) print('Nothing is wrong.');
  return report.findings.length === 0 ? EXIT.done : EXIT.failed;
}

async function look(report: Report, known: Configuration, properties: IdpProperties, clock: Clock): Promise<void> {
  const [found, { certificateFacts }] = await Promise.all([
    learnt(report, known, properties, clock),
    import('../saml/idp/idp-trust.js'),
  ]);
  if (!found) return;
  const { lines, findings } = report;
  const { entityId, sso, slo, certificates, validUntil } = found.trust;
  lines.push(`entity id       ${entityId}`);
  lines.push(`single sign-on  ${sso.url} (${sso.binding})`);
  lines.push(`single logout   ${slo ? `${slo.url} (${slo.binding})` : 'none'}`);
  if (slo?.responseUrl !== undefined) lines.push(`  answers to    ${slo.responseUrl}`);
  for (const pem of certificates) {
    tellCertificate(report, 'certificate', certificateFacts(pem), clock);
  }
  if (properties.metadata === undefined) return;
  lines.push(
    `signature       ${properties.metadataCertificate === undefined ? 'not checked: there is no metadata-certificate' : 'good'}`,
  );
  lines.push(`valid until     ${validUntil === undefined ? 'not said' : instant(validUntil)}`);
  const { cacheDurationSeconds, assuranceProfiles = [], nameIdFormats = [], warnings = [] } = found;
  lines.push(`cache duration  ${cacheDurationSeconds === undefined ? 'not said' : `${cacheDurationSeconds} s`}`);
  lines.push(`NameID formats  ${nameIdFormats.join(', ') || 'not said'}`);
  lines.push(`assurance       ${assuranceProfiles.join(', ') || 'no profile is stated'}`);
  findings.push(...warnings);
  if (validUntil !== undefined && validUntil <= clock.millis()) findings.push('The metadata are over');
}

/** What the metadata, or the keys in their place, say now. */
async function learnt(
  report: Report,
  known: Configuration,
  properties: IdpProperties,
  clock: Clock,
): Promise<IdpFacts | undefined> {
  const { configuredTrust } = await import('../saml/idp/idp-trust.js');
  if (!/^https?:/.test(properties.metadata ?? '')) {
    report.lines.push('clock           not compared: there are no metadata at a URL');
  }
  const found =
    properties.metadata === undefined
      ? configuredTrust(properties)
      : await read(report, known, properties, properties.metadata, clock);
  if (!('fault' in found)) return found;
  const what = properties.metadata === undefined ? 'The keys' : 'The metadata';
  report.findings.push(`${what} of the identity provider cannot be used: ${found.fault}`);
  return undefined;
}

async function read(
  { lines, findings }: Report,
  known: Configuration,
  properties: IdpProperties,
  metadata: string,
  clock: Clock,
): Promise<IdpFacts | { readonly fault: string }> {
  const [
    { metadataSource },
    { readConfigured: readAs },
    { readMetadataFile: documentIn },
    { MetadataClient },
    { MetadataFailure },
  ] = await Promise.all([
    import('../saml/idp/metadata-source.js'),
    import('../saml/idp/idp-metadata.js'),
    import('../saml/idp/metadata-source.js'),
    import('../saml/idp/metadata.client.js'),
    import('../saml/idp/metadata-source.js'),
  ]);
  const source = metadataSource(metadata);
  try {
    if (source.kind === 'file') return readAs(await documentIn(source.file), properties);
    const { connectTimeout, readTimeout } = known.get(HttpClientProperties);
    const client = new MetadataClient(connectTimeout.milliseconds + readTimeout.milliseconds);
    const { document, date } = await client.fetch(source.url);
    if (date === undefined) {
      lines.push('clock           not compared: the response with the metadata has no Date header');
    } else {
      // The header has whole seconds, and was written before we read it.
      const seconds = Math.round((clock.millis() - date) / 1000);
      lines.push(`clock           ${apart(seconds)}`);
      if (Math.abs(seconds) > properties.clockSkew.seconds + 1) {
        findings.push(`The clocks are further apart than clock-skew, ${properties.clockSkew.seconds} s, allows`);
      }
    }
    return readAs(document, properties);
  } catch (error) {
    if (error instanceof MetadataFailure) return { fault: error.message };
    throw error;
  }
}

function apart(seconds: number): string {
  if (Math.abs(seconds) <= 1) return 'as theirs';
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} theirs`;
}

/** What the identity provider has to know of us. */
async function lookAtUs(
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
    import('../tls/ssl-bundles.service.js'),
    import('../saml/idp/idp-trust.js'),
  ]);
  const by = { key: `app.security.saml.idp.${name}.bundle`, name: properties.bundle };
  const { cert } = new SslBundles(known, clock).named(by).serverIdentity().context;
  if (typeof cert === 'string') tellCertificate(report, 'our certificate', certificateFacts(cert), clock);
}

function tellCertificate(
  { lines, findings }: Report,
  what: string,
  { subject, fingerprint, end }: CertificateFacts,
  clock: Clock,
): void {
  lines.push(`${what.padEnd(15)} ${subject}, until ${instant(end)}, SHA-256 ${fingerprint}`);
  const left = end - clock.millis();
  if (left < 0) findings.push(`The certificate ${subject} has ended at ${instant(end)}`);
  else if (left < SOON_MILLIS) findings.push(`The certificate ${subject} ends at ${instant(end)}`);
}

/** What others wrote must not control the terminal. */
function shown(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}

function instant(millis: number): string {
  return new Date(millis).toISOString();
}
