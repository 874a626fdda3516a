import { type Clock, SystemClock } from '../../clock/clock.js';
import {
  type Facts,
  faultsOf,
  type Finding,
  finding,
  type AsyncCheck,
  Rule,
  type RuleFacts,
  type Verdict,
} from '../../config/check/rule.js';
import { type IdpProperties, SamlProperties } from '../saml.properties.js';
import type { IdpTrust } from './idp-trust.js';

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** What is configured of one identity provider, and how findings about it are made. */
interface RuleContext {
  readonly name: string;
  readonly properties: IdpProperties;
  readonly facts: RuleFacts;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Identity providers of staff can be used as they are configured, as far as no other system must be asked. */
export function identityProvidersUsable(clock: Clock = new SystemClock()): AsyncCheck {
  return async (facts) => {
    const { idp } = facts.get(SamlProperties);
    const now = clock.millis();
    const found = await Promise.all(
      Array.from(idp, ([name, properties]) => checkIdp({ name, properties, facts, now })),
    );
    return [...found.flatMap(({ findings }) => findings), ...sharedEntities(found)];
  };
}

export const usableIdentityProviders = new Rule('saml', identityProvidersUsable());

interface CheckedIdp {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly entityId?: string;
}

async function checkIdp(looked: RuleContext): Promise<CheckedIdp> {
  const { name, properties } = looked;
  if (!NAME.test(name)) return { name, findings: [invalidName(name)] };
  const torn = conflictingKeys(looked);
  if (torn.length > 0) return { name, findings: torn };
  const trusted = await (properties.metadata === undefined ? checkConfiguredTrust(looked) : checkMetadata(looked));
  const findings = [
    ...trusted.findings,
    ...(trusted.trust ? await expiredCertificates(looked, trusted.trust) : []),
    ...(await bundleFindings(looked)),
    ...(await advice(looked)),
  ];
  return { name, findings, ...(trusted.trust && { entityId: trusted.trust.entityId }) };
}

function invalidName(name: string): Finding {
  const what = `"${name}" cannot be the name of an identity provider`;
  const action = 'Name it with at most 32 lower case letters, digits and hyphens, beginning with no hyphen.';
  return finding({ severity: 'fault', what, action }, { Property: `app.security.saml.idp.${name}` });
}

/** By metadata or by hand: keys of both would leave open which of them counts. */
function conflictingKeys(looked: RuleContext): readonly Finding[] {
  const { metadata, entityId, ssoUrl, sloUrl, certificates } = looked.properties;
  const isFault = { severity: 'fault' } as const;
  if (metadata === undefined) {
    const what = 'An identity provider is not known well enough';
    const action = 'Set metadata, or all of entity-id, sso-url and certificates.';
    const missing = [
      ...(entityId === undefined ? ['entity-id'] : []),
      ...(ssoUrl === undefined ? ['sso-url'] : []),
      ...(certificates.length === 0 ? ['certificates'] : []),
    ];
    return missing.map((key) => about(looked, key, { ...isFault, what, action }));
  }
  const what = 'An identity provider is described twice';
  const action = 'Remove it, or metadata.';
  const twice = [
    ...(ssoUrl === undefined ? [] : ['sso-url']),
    ...(sloUrl === undefined ? [] : ['slo-url']),
    ...(certificates.length === 0 ? [] : ['certificates']),
  ];
  return twice.map((key) => aboutKey(looked, key, { ...isFault, what, action }));
}

interface TrustCheck {
  readonly findings: readonly Finding[];
  readonly trust?: IdpTrust;
}

async function checkConfiguredTrust(looked: RuleContext): Promise<TrustCheck> {
  const { properties } = looked;
  const { configuredTrust } = await import('./idp-trust.js');
  const found = configuredTrust(properties);
  if ('fault' in found) {
    const what = 'The certificates of an identity provider cannot be used';
    const action = 'Set it to files or PEM texts of certificates with RSA keys.';
    return {
      findings: [aboutKey(looked, 'certificates', { severity: 'fault', what, action }, { Reason: found.fault })],
    };
  }
  const { isSafeUrl } = await import('./idp-trust.js');
  const open = (['sso-url', 'slo-url'] as const).filter((key) => {
    const url = key === 'sso-url' ? properties.ssoUrl : properties.sloUrl;
    return url !== undefined && !isSafeUrl(url);
  });
  const what = 'Messages to an identity provider go without https';
  const action = 'Set it to an https URL.';
  return { findings: open.map((key) => about(looked, key, { what, action })), trust: found.trust };
}

async function checkMetadata(looked: RuleContext): Promise<TrustCheck> {
  const { properties } = looked;
  const [{ metadataSource }, { isLoopback }] = await Promise.all([
    import('./metadata-source.js'),
    import('./idp-trust.js'),
  ]);
  const source = metadataSource(properties.metadata ?? '');
  const findings = await checkMetadataCertificate(looked);
  if (source.kind === 'file') {
    const read = await checkMetadataFile(looked, source.file);
    return { ...read, findings: [...findings, ...read.findings] };
  }
  if (source.url.startsWith('https:')) return { findings };
  const what = 'Metadata say whom to trust, and come without https';
  const action = 'Set it to an https URL, or to a file.';
  const severity = isLoopback(source.url) ? 'breach' : 'fault';
  return { findings: [...findings, about(looked, 'metadata', { severity, what, action })] };
}

async function checkMetadataCertificate(looked: RuleContext): Promise<readonly Finding[]> {
  const { metadataCertificate } = looked.properties;
  if (metadataCertificate === undefined) return [];
  const { loadCertificates: certificatesAt } = await import('./idp-trust.js');
  const found = certificatesAt(metadataCertificate);
  if (!('fault' in found)) return [];
  const what = 'The certificate that metadata are signed with cannot be used';
  const action = 'Set it to a file or the PEM text of a certificate with an RSA key.';
  return [aboutKey(looked, 'metadata-certificate', { severity: 'fault', what, action }, { Reason: found.fault })];
}

async function checkMetadataFile(looked: RuleContext, file: string): Promise<TrustCheck> {
  const [{ readMetadataFile: documentIn }, { readConfigured: readAs }, { MetadataFailure }] = await Promise.all([
    import('./metadata-source.js'),
    import('./idp-metadata.js'),
    import('./metadata-source.js'),
  ]);
  const unusable = (Reason: string): TrustCheck => {
    const what = 'The metadata of an identity provider cannot be used';
    const action = 'Get them anew from the identity provider, and check the path and entity-id.';
    return { findings: [about(looked, 'metadata', { severity: 'fault', what, action }, { File: file, Reason })] };
  };
  try {
    const reading = readAs(await documentIn(file), looked.properties);
    if ('fault' in reading) return unusable(reading.fault);
    const action = 'Get the metadata anew from the identity provider.';
    const { validUntil = Infinity } = reading.trust;
    const over = validUntil > looked.now ? [] : [`The metadata was valid until ${new Date(validUntil).toISOString()}`];
    const warn = (what: string): Finding => about(looked, 'metadata', { severity: 'warning', what, action });
    return { findings: [...over, ...reading.warnings].map(warn), trust: reading.trust };
  } catch (error) {
    if (error instanceof MetadataFailure) return unusable(error.message);
    throw error;
  }
}

/** Signatures are taken all the same: who is to be trusted was said by whoever set the certificate. */
async function expiredCertificates(looked: RuleContext, { certificates }: IdpTrust): Promise<readonly Finding[]> {
  const { certificateFacts } = await import('./idp-trust.js');
  return certificates
    .map(certificateFacts)
    .filter(({ end }) => end < looked.now)
    .map(({ subject, end }) => {
      const what = `The certificate ${subject} of an identity provider has ended at ${new Date(end).toISOString()}`;
      const action = 'Ask the identity provider which one it signs with.';
      const key = looked.properties.metadata === undefined ? 'certificates' : 'metadata';
      return aboutKey(looked, key, { severity: 'warning', what, action });
    });
}

async function bundleFindings(looked: RuleContext): Promise<readonly Finding[]> {
  const { facts, properties } = looked;
  const { bundle: name } = properties;
  if (name === undefined) return [];
  const { SslBundles } = await import('../../tls/ssl-bundles.service.js');
  const bundles = new SslBundles(facts.configuration, new SystemClock());
  const keys: (string | undefined)[] = [];
  const faults = faultsOf(() => {
    const { cert } = bundles.named({ key: keyOf(looked, 'bundle'), name }).serverIdentity().context;
    keys.push(typeof cert === 'string' ? cert : undefined);
  });
  const [certificate] = keys;
  if (faults.length > 0 || (certificate !== undefined && (await isRsa(certificate)))) return faults;
  const what = 'Requests cannot be signed with this bundle';
  const action = 'Name a bundle under app.ssl.bundle.pem with an RSA key of at least 2048 bits.';
  return [about(looked, 'bundle', { severity: 'fault', what, action })];
}

async function isRsa(certificates: string): Promise<boolean> {
  const { parseCertificate: usableCertificate } = await import('./idp-trust.js');
  return typeof usableCertificate(certificates) === 'string';
}

async function advice(looked: RuleContext): Promise<readonly Finding[]> {
  const { diagnose: adviceOn } = await import('./idp-diagnostics.js');
  return adviceOn(looked.properties).map(({ key, ...verdict }) =>
    aboutKey(looked, key, { severity: 'warning', ...verdict }),
  );
}

/** An account belongs to the entity and not to the name it has here. */
function sharedEntities(all: readonly CheckedIdp[]): readonly Finding[] {
  return all.flatMap(({ name, entityId }, index) => {
    const first = all.slice(0, index).find((other) => entityId !== undefined && other.entityId === entityId);
    if (!first) return [];
    const what = `The identity providers ${first.name} and ${name} are the same entity: their logins enter the same accounts`;
    const action = 'Keep one of them, unless both are meant to lead to the same people.';
    const verdict: Verdict = { severity: 'warning', what, action };
    return [finding(verdict, { Property: `app.security.saml.idp.${name}` })];
  });
}

function keyOf({ name }: RuleContext, key: string): string {
  return `app.security.saml.idp.${name}.${key}`;
}

function about(looked: RuleContext, key: string, verdict: Omit<Verdict, 'rule'>, more: Facts = {}): Finding {
  return looked.facts.about(keyOf(looked, key), { ...verdict }, more);
}

/** The same without the value, which may be long PEM texts. */
function aboutKey(looked: RuleContext, key: string, verdict: Omit<Verdict, 'rule'>, more: Facts = {}): Finding {
  const { Property, Origin } = looked.facts.of(keyOf(looked, key));
  return finding({ ...verdict }, { Property, Origin, ...more });
}
