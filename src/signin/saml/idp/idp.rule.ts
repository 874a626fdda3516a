import { type Clock, SystemClock } from '../../../kernel/clock/clock.js';
import {
  type Facts,
  problemsOf,
  type RuleProblem,
  ruleProblem,
  type AsyncCheck,
  Rule,
  type RuleFacts,
  type Verdict,
} from '../../../config/check/rule.js';
import { reachableAddress } from '../../../platform/outbound/outbound.rule.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { type IdpProperties, SamlProperties } from '../saml.properties.js';
import type { IdpTrust } from './idp-trust.js';

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** The configuration of one identity provider, and the configuration that problems quote. */
interface RuleContext {
  readonly name: string;
  readonly properties: IdpProperties;
  readonly facts: RuleFacts;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Checks identity providers of staff as far as that needs no other system. */
export function identityProvidersUsable(clock: Clock = new SystemClock()): AsyncCheck {
  return async (facts) => {
    const { idp } = facts.get(SamlProperties);
    const now = clock.millis();
    const found = await Promise.all(
      Array.from(idp, ([name, properties]) => checkIdp({ name, properties, facts, now })),
    );
    return [...found.flatMap(({ problems }) => problems), ...sharedEntities(found)];
  };
}

export const usableIdentityProviders = new Rule('saml', identityProvidersUsable());

interface CheckedIdp {
  readonly name: string;
  readonly problems: readonly RuleProblem[];
  readonly entityId?: string;
}

async function checkIdp(context: RuleContext): Promise<CheckedIdp> {
  const { name, properties } = context;
  if (!NAME.test(name)) return { name, problems: [invalidName(name)] };
  const conflicts = conflictingKeys(context);
  if (conflicts.length > 0) return { name, problems: conflicts };
  const found = await (properties.metadata === undefined ? checkConfiguredTrust(context) : checkMetadata(context));
  const problems = [
    ...found.problems,
    ...(found.trust ? await expiredCertificates(context, found.trust) : []),
    ...(await bundleProblems(context)),
    ...(await diagnostics(context)),
  ];
  return { name, problems, ...withoutUndefined({ entityId: found.trust?.entityId }) };
}

function invalidName(name: string): RuleProblem {
  const what = `"${name}" is not a valid name of an identity provider`;
  const action = 'Use at most 32 lower-case letters, digits and hyphens; the first one is not a hyphen.';
  return ruleProblem({ severity: 'error', what, action }, { Property: `app.security.saml.idp.${name}` });
}

/** With the keys of metadata and those in place of metadata, it would be unclear which ones apply. */
function conflictingKeys(context: RuleContext): readonly RuleProblem[] {
  const { metadata, entityId, ssoUrl, sloUrl, certificates } = context.properties;
  const isError = { severity: 'error' } as const;
  if (metadata === undefined) {
    const what = 'The description of an identity provider is incomplete';
    const action = 'Set metadata, or all of entity-id, sso-url and certificates.';
    const missing = [
      ...(entityId === undefined ? ['entity-id'] : []),
      ...(ssoUrl === undefined ? ['sso-url'] : []),
      ...(certificates.length === 0 ? ['certificates'] : []),
    ];
    return missing.map((key) => about(context, key, { ...isError, what, action }));
  }
  const what = 'An identity provider is described twice';
  const action = 'Remove it, or remove metadata.';
  const duplicates = [
    ...(ssoUrl === undefined ? [] : ['sso-url']),
    ...(sloUrl === undefined ? [] : ['slo-url']),
    ...(certificates.length === 0 ? [] : ['certificates']),
  ];
  return duplicates.map((key) => withoutValue(context, key, { ...isError, what, action }));
}

interface TrustCheck {
  readonly problems: readonly RuleProblem[];
  readonly trust?: IdpTrust;
}

async function checkConfiguredTrust(context: RuleContext): Promise<TrustCheck> {
  const { properties } = context;
  const { configuredTrust, isSafeUrl } = await import('./idp-trust.js');
  const found = configuredTrust(properties);
  if ('problem' in found) {
    const what = 'The certificates of an identity provider cannot be used';
    const action = 'Set it to files or PEM texts of certificates with RSA keys.';
    return {
      problems: [withoutValue(context, 'certificates', { severity: 'error', what, action }, { Reason: found.problem })],
    };
  }
  const unprotected = (['sso-url', 'slo-url'] as const).filter((key) => {
    const url = key === 'sso-url' ? properties.ssoUrl : properties.sloUrl;
    return url !== undefined && !isSafeUrl(url);
  });
  const what = 'Messages to an identity provider are sent without https';
  const action = 'Set it to an https URL.';
  return { problems: unprotected.map((key) => about(context, key, { what, action })), trust: found.trust };
}

async function checkMetadata(context: RuleContext): Promise<TrustCheck> {
  const { properties } = context;
  const [{ metadataSource }, { isLoopback }] = await Promise.all([
    import('./metadata-source.js'),
    import('./idp-trust.js'),
  ]);
  const source = metadataSource(properties.metadata ?? '');
  const certificate = await checkMetadataCertificate(context);
  if (source.kind === 'file') {
    const read = await checkMetadataFile(context, source.file);
    return { ...read, problems: [...certificate, ...read.problems] };
  }
  const problems = [...certificate, ...reachableAddress(context.facts, keyOf(context, 'metadata'), source.url)];
  if (source.url.startsWith('https:')) return { problems };
  const what = 'Metadata decides which keys are trusted, but is fetched without https';
  const action = 'Set it to an https URL, or to a file.';
  const severity = isLoopback(source.url) ? 'breach' : 'error';
  return { problems: [...problems, about(context, 'metadata', { severity, what, action })] };
}

async function checkMetadataCertificate(context: RuleContext): Promise<readonly RuleProblem[]> {
  const { metadataCertificate } = context.properties;
  if (metadataCertificate === undefined) return [];
  const { loadCertificates } = await import('./idp-trust.js');
  const found = loadCertificates(metadataCertificate);
  if (!('problem' in found)) return [];
  const what = 'The certificate that verifies metadata cannot be used';
  const action = 'Set it to a file or the PEM text of a certificate with an RSA key.';
  return [
    withoutValue(context, 'metadata-certificate', { severity: 'error', what, action }, { Reason: found.problem }),
  ];
}

async function checkMetadataFile(context: RuleContext, file: string): Promise<TrustCheck> {
  const [{ MetadataFailure, readMetadataFile }, { readMetadata }] = await Promise.all([
    import('./metadata-source.js'),
    import('./idp-metadata.js'),
  ]);
  const unusable = (Reason: string): TrustCheck => {
    const what = 'The metadata of an identity provider cannot be used';
    const action = 'Get new metadata from the identity provider, and check the path and entity-id.';
    return { problems: [about(context, 'metadata', { severity: 'error', what, action }, { File: file, Reason })] };
  };
  try {
    const reading = readMetadata(await readMetadataFile(file), context.properties);
    if ('problem' in reading) return unusable(reading.problem);
    const action = 'Get new metadata from the identity provider.';
    const { validUntil = Infinity } = reading.trust;
    const expired =
      validUntil > context.now ? [] : [`The metadata was valid until ${new Date(validUntil).toISOString()}`];
    const warn = (what: string): RuleProblem => about(context, 'metadata', { severity: 'warning', what, action });
    return { problems: [...expired, ...reading.warnings].map(warn), trust: reading.trust };
  } catch (error) {
    if (error instanceof MetadataFailure) return unusable(error.message);
    throw error;
  }
}

/** Warns only: signatures by an expired certificate are accepted, because trust comes from the configuration. */
async function expiredCertificates(context: RuleContext, { certificates }: IdpTrust): Promise<readonly RuleProblem[]> {
  const { certificateFacts } = await import('./idp-trust.js');
  return certificates
    .map(certificateFacts)
    .filter(({ end }) => end < context.now)
    .map(({ subject, end }) => {
      const what = `The certificate ${subject} of an identity provider expired at ${new Date(end).toISOString()}`;
      const action = 'Ask the identity provider which certificate it signs with.';
      const key = context.properties.metadata === undefined ? 'certificates' : 'metadata';
      return withoutValue(context, key, { severity: 'warning', what, action });
    });
}

async function bundleProblems(context: RuleContext): Promise<readonly RuleProblem[]> {
  const { facts, properties } = context;
  const { bundle: name } = properties;
  if (name === undefined) return [];
  const { SslBundles } = await import('../../../platform/tls/ssl-bundles.service.js');
  const bundles = new SslBundles(facts.configuration, new SystemClock());
  const keys: (string | undefined)[] = [];
  const problems = problemsOf(() => {
    const { cert } = bundles.named({ key: keyOf(context, 'bundle'), name }).serverIdentity().context;
    keys.push(typeof cert === 'string' ? cert : undefined);
  });
  const [certificate] = keys;
  if (problems.length > 0 || (certificate !== undefined && (await isRsa(certificate)))) return problems;
  const what = 'Requests cannot be signed with this bundle';
  const action = 'Name a bundle under app.ssl.bundle.pem with an RSA key of at least 2048 bits.';
  return [about(context, 'bundle', { severity: 'error', what, action })];
}

async function isRsa(certificates: string): Promise<boolean> {
  const { parseCertificate } = await import('./idp-trust.js');
  return typeof parseCertificate(certificates) === 'string';
}

async function diagnostics(context: RuleContext): Promise<readonly RuleProblem[]> {
  const { diagnose } = await import('./idp-diagnostics.js');
  return diagnose(context.properties).map(({ key, ...verdict }) =>
    withoutValue(context, key, { severity: 'warning', ...verdict }),
  );
}

/** Warns about two names for one entity: an account belongs to the entity, not to its name here. */
function sharedEntities(all: readonly CheckedIdp[]): readonly RuleProblem[] {
  return all.flatMap(({ name, entityId }, index) => {
    const first = all.slice(0, index).find((other) => entityId !== undefined && other.entityId === entityId);
    if (!first) return [];
    const what = `The identity providers ${first.name} and ${name} are the same entity, so their users sign in to the same accounts`;
    const action = 'Keep one of them, unless both are meant for the same users.';
    const verdict: Verdict = { severity: 'warning', what, action };
    return [ruleProblem(verdict, { Property: `app.security.saml.idp.${name}` })];
  });
}

function keyOf({ name }: RuleContext, key: string): string {
  return `app.security.saml.idp.${name}.${key}`;
}

function about(context: RuleContext, key: string, verdict: Omit<Verdict, 'rule'>, more: Facts = {}): RuleProblem {
  return context.facts.about(keyOf(context, key), { ...verdict }, more);
}

/** Like `about`, but without the value, which may be long PEM texts. */
function withoutValue(
  context: RuleContext,
  key: string,
  verdict: Omit<Verdict, 'rule'>,
  more: Facts = {},
): RuleProblem {
  const { Property, Origin } = context.facts.of(keyOf(context, key));
  return ruleProblem({ ...verdict }, { Property, Origin, ...more });
}
